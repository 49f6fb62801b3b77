// How the other one is called who changed what one edits: somebody else, or oneself elsewhere.

import { index } from "./state";
import { who } from "./words";

export interface Other {
  /** Begins a sentence about them. */
  subject: string;
  /** Whose something is. */
  whose: string;
  /** Where something comes from. */
  name: string;
}

export function otherOf(author: string): Other {
  if (author === index.value?.actor)
    return { subject: "You, elsewhere,", whose: "Your other", name: "your other window" };
  const name = who(author);
  return { subject: name, whose: `${name}’s`, name };
}
