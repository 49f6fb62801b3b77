// Following the journal's tail. The browser connects again by itself; we say how it stands.

import { effect, signal } from "@preact/signals";

import { streamAddress } from "./api";
import type { Told } from "./shapes";
import { connection, head, index, project, settledHead } from "./state";

const QUIET_MS = 200;
const AGAIN_MS = 2_000;

/** Whether somebody can see the page. Browsers open few connections to a host, so who cannot needs none. */
const inSight = signal(!document.hidden);
let quiet: number | undefined;
let followed = "";

function heard(seq: number): void {
  head.value = Math.max(head.value, seq);
  clearTimeout(quiet);
  quiet = setTimeout(() => {
    settledHead.value = head.value;
  }, QUIET_MS);
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
    source.addEventListener("hello", (event) => {
      const told = JSON.parse(event.data) as { head: number };
      // What is asked from now on is as new as this, so it need not be asked again.
      if (!head.value) settledHead.value = head.value = told.head;
      else heard(told.head);
      connection.value = "live";
    });
    source.addEventListener("entry", (event) => heard((JSON.parse(event.data) as Told).seq));
    source.onerror = () => {
      connection.value = "lost";
      source?.close();
      retry = setTimeout(open, AGAIN_MS);
    };
  };
  open();
  return () => {
    clearTimeout(retry);
    source?.close();
  };
}
