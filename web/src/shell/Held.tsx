// What is about to be rejected, with the way back; and how many proposals wait, for the navigation.

import { useEffect, useState } from "preact/hooks";

import { useAsk } from "../asking";
import { Wrong } from "../parts/Notice";
import { failed, held, sendHeld, takeBack } from "../rejecting";
import type { ActivityList } from "../shapes";
import { knows } from "../state";
import { stillWaiting, waiting, WAITING_KINDS, WAITING_LIMIT } from "../waiting";

export function Held() {
  const one = held.value;
  useCount();
  return (
    <>
      <div role="status">
        {one && (
          <p class="held">
            <span>
              {one.id} {one.title} is rejected <Seconds until={one.until} />
            </span>
            <button type="button" class="main" onClick={takeBack}>
              Take it back
            </button>
            <button type="button" class="quiet" onClick={() => void sendHeld()}>
              Reject now
            </button>
          </p>
        )}
      </div>
      {failed.value && <Wrong problem={failed.value} />}
    </>
  );
}

/** Counted for the eye; ears are told once. */
function Seconds({ until }: { until: number }) {
  const left = () => Math.max(0, Math.ceil((until - Date.now()) / 1000));
  const [seconds, setSeconds] = useState(left);
  useEffect(() => {
    const timer = setInterval(() => setSeconds(left()), 250);
    return () => clearInterval(timer);
  }, [until]);
  return (
    <>
      <span class="for-ears">in ten seconds.</span>
      <span aria-hidden="true">in {seconds} s.</span>
    </>
  );
}

function useCount(): void {
  const asked = useAsk<ActivityList>(
    "get_recent_activity",
    knows("propose_decision") ? { types: WAITING_KINDS, limit: WAITING_LIMIT } : null,
  );
  useEffect(() => {
    waiting.value = asked.value && stillWaiting(asked.value);
  }, [asked.value]);
}
