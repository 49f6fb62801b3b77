// A link to whatever a reference names, or just its text.

import { Mention } from "./Mention";

export function Ref({ to, titled = false }: { to: string; titled?: boolean }) {
  return <Mention to={to} titled={titled} />;
}
