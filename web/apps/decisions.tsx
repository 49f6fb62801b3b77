// `ui://hansard/decisions`: what was found, and each decision with the chain it stands in.

import { begin } from "./frame";
import { Found } from "./Found";

begin({
  tool: "search_decisions",
  places: { decisions: Found },
  note: "To accept or reject a proposal, run hansard open.",
});
