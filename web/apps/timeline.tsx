// `ui://hansard/timeline`: what happened in a session, and from there its story, its films, what a
// restore would change.

import Evolution from "../src/views/Evolution";
import Restore from "../src/views/Restore";
import Story from "../src/views/Story";
import Timeline from "../src/views/Timeline";
import Undo from "../src/views/Undo";
import { begin } from "./frame";

begin({
  tool: "get_timeline",
  places: { timeline: Timeline, story: Story, evolution: Evolution, restore: Restore, undo: Undo },
  note: "To bring files back, ask the agent, or run hansard open.",
});
