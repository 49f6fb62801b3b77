// Waiting for a quiet moment, but not for ever: while things keep coming, it acts now and then.

export interface Pace {
  /** How long it must have been quiet. */
  quiet: number;
  /** How long the first thing may wait at most. */
  longest: number;
}

/** Give what to call for each thing that comes; `settle` is called once for many. */
export function settling(settle: () => void, { quiet, longest }: Pace, now = () => Date.now()): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let first: number | null = null;
  const act = () => {
    first = null;
    settle();
  };
  return () => {
    first ??= now();
    clearTimeout(timer);
    timer = setTimeout(act, Math.max(0, Math.min(quiet, first + longest - now())));
  };
}
