// Why something was decided and what follows from it.

import { Line, Prose } from "../parts/Prose";
import type { DecisionShown } from "../shapes";

export function Reasoned({ of }: { of: DecisionShown }) {
  return (
    <>
      <Prose text={of.rationale} />
      {!!of.consequences?.length && (
        <ul>
          {of.consequences.map((one) => (
            <li key={one}>
              <Line text={one} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
