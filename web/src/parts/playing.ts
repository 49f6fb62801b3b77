// Playing: a place that moves on by itself, or by hand and keys.

import { useEffect, useLayoutEffect, useState } from "preact/hooks";

import { isTyping } from "../shell/keys";

export const STEP_MS = 2_200;
export const SPEEDS = [0.5, 1, 2, 4];

export interface Playing {
  place: number;
  last: number;
  playing: boolean;
  speed: number;
  to: (place: number) => void;
  step: (by: number) => void;
  play: () => void;
  pause: () => void;
  setSpeed: (speed: number) => void;
}

interface Wanted {
  /** Where it begins. */
  first: number;
  last: number;
  /** How long a place is looked at, at speed 1. */
  lasts: (place: number) => number;
  /** Whether the place can be seen; what is still on its way is waited for. */
  isThere: (place: number) => boolean;
}

/** Go from place to place in time, and by keys. */
export function usePlaying({ first, last, lasts, isThere }: Wanted): Playing {
  const [wanted, setPlace] = useState(first);
  const [playing, setPlaying] = useState(false);
  const [speed, setSpeed] = useState(1);
  const place = Math.min(wanted, last);
  const within = (next: number) => Math.max(0, Math.min(last, next));
  const step = (by: number) => setPlace((was) => within(was + by));
  const play = () => {
    if (!playing && place >= last) setPlace(0);
    setPlaying(!playing);
  };
  const isWaiting = playing && !isThere(place);
  useEffect(() => {
    if (!playing || isWaiting) return;
    if (place >= last) {
      setPlaying(false);
      return;
    }
    const timer = setTimeout(() => step(1), lasts(place) / speed);
    return () => clearTimeout(timer);
  }, [playing, place, speed, isWaiting]);
  const player = {
    place,
    last,
    playing,
    speed,
    to: (next: number) => setPlace(within(next)),
    step,
    play,
    pause: () => setPlaying(false),
    setSpeed,
  };
  useKeys(player);
  return player;
}

function useKeys({ play, step, to, last, speed, setSpeed }: Playing): void {
  useLayoutEffect(() => {
    const faster = (by: 1 | -1) => setSpeed(SPEEDS[SPEEDS.indexOf(speed) + by] ?? speed);
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
      // A focused button has its own use for the space bar.
      const isButton = event.target instanceof HTMLButtonElement || event.target instanceof HTMLAnchorElement;
      const acts: Record<string, () => void> = {
        ...(isButton ? {} : { " ": play }),
        ArrowLeft: () => step(-1),
        ArrowRight: () => step(1),
        Home: () => to(0),
        End: () => to(last),
        "+": () => faster(1),
        "-": () => faster(-1),
      };
      const act = acts[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });
}
