// The keys there are.

import { Dialog } from "../parts/Dialog";
import { helpOpen } from "./keys";
import { PLACES } from "./places";

const OTHERS: [string, string][] = [
  ["/ or Ctrl K", "Search, or go anywhere"],
  ["?", "These keys"],
  ["a, r", "Accept or reject what is reviewed; j and k go through"],
  ["j, k", "Next and previous entry in the timeline; Enter opens it"],
  ["Space", "Play or pause a film"],
  ["←, →", "One revision or scene back or on"],
  ["Home, End", "First and last revision"],
  ["↑, ↓, Enter", "From line to line, and why it is there"],
  ["+, −", "Faster, slower"],
];

export function Help() {
  return (
    <Dialog title="Keys" open={helpOpen.value} onClose={() => (helpOpen.value = false)}>
      <dl class="keys">
        {OTHERS.map(([keys, about]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{about}</dd>
          </div>
        ))}
        {PLACES.map((place) => (
          <div key={place.view}>
            <dt>
              <kbd>g {place.key}</kbd>
            </dt>
            <dd>{place.name}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
