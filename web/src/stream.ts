// Following the journal's tail. The browser connects again by itself; we say how it stands.

import { effect, signal } from "@preact/signals";

import { getIndex, Problem, showStore, streamAddress } from "./api";
import { asProblem } from "./asking";
import { settling } from "./settling";
import type { Told } from "./shapes";
import { connection, head, index, project, returned, settledHead, shut, store } from "./state";

const PACE = { quiet: 200, longest: 1_000 };
const AGAIN_MS = 2_000;

/** Whether somebody can see the page. Browsers open few connections to a host, so who cannot needs none. */
const inSight = signal(!document.hidden);
let followed = "";

const settle = settling(() => {
  settledHead.value = head.value;
}, PACE);

function heard(seq: number): void {
  head.value = Math.max(head.value, seq);
  settle();
}

/** Keep a stream of the project we look at open. */
export function follow(): void {
  addEventListener("visibilitychange", () => {
    inSight.value = !document.hidden;
  });
  effect(() => {
    const here = project.value;
    if (!index.value || !here || !inSight.value) return;
    if (here !== followed) settledHead.value = head.value = 0;
    followed = here;
    connection.value = "connecting";
    return connect(here);
  });
}

/** Open a stream, again whenever it is lost. Gives what closes it. */
function connect(here: string): () => void {
  let source: EventSource | null = null;
  let retry: number | undefined;

  const open = () => {
    source = new EventSource(streamAddress(here, head.peek() || null));
    source.addEventListener("hello", (event) => greet(JSON.parse(event.data) as Hello));
    source.addEventListener("entry", (event) => heard((JSON.parse(event.data) as Told).seq));
    source.onerror = () => {
      connection.value = "lost";
      source?.close();
      retry = setTimeout(open, AGAIN_MS);
      // A stream does not say why it ended; who is not let in any more must be told.
      getIndex().catch(asProblem);
    };
  };
  open();
  return () => {
    clearTimeout(retry);
    source?.close();
  };
}

interface Hello {
  head: number;
  store: string | null;
}

function greet(told: Hello): void {
  if (store.peek() && told.store !== store.peek()) {
    shut.value = new Problem("STORE_CHANGED", "Another store answers at this address now", RELOAD, 409);
    return;
  }
  store.value = told.store;
  showStore(told.store);
  // What is asked from now on is as new as this, so it need not be asked again. A journal that is
  // shorter than it was is a backup's.
  if (!head.value || told.head < head.value) settledHead.value = head.value = told.head;
  else heard(told.head);
  if (connection.peek() === "lost") returned.value += 1;
  connection.value = "live";
}

const RELOAD = "Reload the page to see what it holds. What you typed is kept for when the other is back";
