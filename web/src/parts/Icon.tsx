// The few pictures there are, drawn, so that they look the same whatever fonts a machine has.

const PATHS = {
  first: "M4 3v10M13 3L6 8l7 5z",
  back: "M11 3L5 8l6 5z",
  play: "M5 3l8 5-8 5z",
  pause: "M5 3v10M11 3v10",
  on: "M5 3l6 5-6 5z",
  last: "M12 3v10M3 3l7 5-7 5z",
} as const;

export function Icon({ of }: { of: keyof typeof PATHS }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={PATHS[of]} />
    </svg>
  );
}
