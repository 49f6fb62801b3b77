// A link to whatever a reference names, or just its text.

import { href } from "../route";
import { placeOfRef } from "./found";

export function Ref({ to }: { to: string }) {
  const place = placeOfRef(to);
  return place ? <a href={href(place)}>{to}</a> : <code>{to}</code>;
}
