// A text with the words that were looked for made plain.

import { cutAt } from "./cutting";

export function Marked({ text, query }: { text: string; query: string }) {
  return <>{cutAt(text, query).map((one, place) => (place % 2 ? <mark key={place}>{one}</mark> : one))}</>;
}
