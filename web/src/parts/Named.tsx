// A sentence in which the records, decisions, proposals and entries that it names are links.

import { Ref } from "./Ref";

const NAMES = /\b([RDP]\d{3,}|s:\d+)\b/;

export function Named({ text }: { text: string }) {
  // What a pattern in brackets divides by stands at every other place.
  return <>{text.split(NAMES).map((part, place) => (place % 2 ? <Ref key={place} to={part} /> : part))}</>;
}
