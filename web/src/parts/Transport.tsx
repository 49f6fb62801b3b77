// What one plays with: back, play, on, a slider over bars, the speed.

import { Icon } from "./Icon";
import { type Playing, SPEEDS } from "./playing";
import "../styles/film.css";

interface Bar {
  /** How much happens there. */
  size: number;
  /** Whether a new part begins there. */
  isMarked?: boolean;
}

interface Shown {
  player: Playing;
  /** What one place is called. */
  unit: string;
  /** The place in words, for those who do not see the slider. */
  said: string;
  bars: readonly Bar[];
}

export function Transport({ player, unit, said, bars }: Shown) {
  const { playing, play, step, to, last, speed, setSpeed } = player;
  return (
    <div class="controls" role="group" aria-label="Player">
      <button type="button" aria-label={`First ${unit}`} onClick={() => to(0)}>
        <Icon of="first" />
      </button>
      <button type="button" aria-label={`Previous ${unit}`} onClick={() => step(-1)}>
        <Icon of="back" />
      </button>
      <button type="button" class="main" aria-label={playing ? "Pause" : "Play"} onClick={play}>
        <Icon of={playing ? "pause" : "play"} />
      </button>
      <button type="button" aria-label={`Next ${unit}`} onClick={() => step(1)}>
        <Icon of="on" />
      </button>
      <button type="button" aria-label={`Last ${unit}`} onClick={() => to(last)}>
        <Icon of="last" />
      </button>
      <Scrubber player={player} unit={unit} said={said} bars={bars} />
      <select
        aria-label="Speed"
        value={String(speed)}
        onChange={(event) => setSpeed(Number(event.currentTarget.value))}
      >
        {SPEEDS.map((one) => (
          <option key={one} value={String(one)}>
            {one}×
          </option>
        ))}
      </select>
    </div>
  );
}

const BARS_MAX = 240;

/** The slider, with a bar for how much happens at each place. */
function Scrubber({ player: { place, last, to }, unit, said, bars }: Shown) {
  const most = Math.max(1, ...bars.map((one) => one.size));
  const drawn = bars.length <= BARS_MAX ? bars : [];
  const looks = (bar: Bar, index: number) =>
    [index === place ? "is-here" : "", bar.isMarked ? "is-marked" : ""].filter((one) => one).join(" ");
  return (
    <div class="scrubber">
      <div class="bars" aria-hidden="true">
        {drawn.map((bar, index) => (
          <span
            key={index}
            class={looks(bar, index)}
            style={{ height: `${12 + (88 * bar.size) / most}%` }}
            onClick={() => to(index)}
          />
        ))}
      </div>
      <input
        type="range"
        aria-label={unit.charAt(0).toUpperCase() + unit.slice(1)}
        aria-valuetext={said}
        min={0}
        max={last}
        value={place}
        onInput={(event) => to(Number(event.currentTarget.value))}
      />
    </div>
  );
}
