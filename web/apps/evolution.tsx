// `ui://hansard/evolution`: files as films, and what bringing a revision back would change.

import Evolution from "../src/views/Evolution";
import Restore from "../src/views/Restore";
import Timeline from "../src/views/Timeline";
import Undo from "../src/views/Undo";
import { begin } from "./frame";
import { Held } from "./Held";

begin({
  tool: "get_evolution",
  places: { evolution: Evolution, restore: Restore, undo: Undo, timeline: Timeline },
  alone: Held,
  note: "To bring files back, ask the agent, or run hansard open.",
});
