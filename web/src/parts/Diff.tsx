// A unified diff, line by line, each with its number. It is text: nothing in it is ever markup.

export function Diff({ text, label }: { text: string; label: string }) {
  return (
    <pre class="diff" tabIndex={0} aria-label={label}>
      {numbered(text).map(({ line, look, number }, place) => (
        <span key={place} class={`line ${look}`} data-number={number}>
          {line || " "}
        </span>
      ))}
    </pre>
  );
}

interface Numbered {
  line: string;
  look: string;
  /** Where it stands: what is gone in the old text, the rest in the new one. */
  number?: number;
}

const HEAD = /^(\+\+\+|---|diff |index )/;
const PLACE = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** Give each line the number it has in its text; before the first place nobody knows. */
export function numbered(text: string): Numbered[] {
  const lines = text.split("\n").filter((line, place, all) => line || place < all.length - 1);
  let [old, now] = [0, 0];
  let isPlaced = false;
  return lines.map((line) => {
    const place = PLACE.exec(line);
    if (place) [isPlaced, old, now] = [true, Number(place[1]), Number(place[2])];
    const look = !isPlaced && HEAD.test(line) ? "is-head" : kindOf(line);
    if (!isPlaced || look === "is-place" || line.startsWith("\\")) return { line, look };
    if (look === "is-removed") return { line, look, number: old++ };
    if (look !== "is-added") old++;
    return { line, look, number: now++ };
  });
}

function kindOf(line: string): string {
  if (line.startsWith("@@")) return "is-place";
  if (line.startsWith("+")) return "is-added";
  if (line.startsWith("-")) return "is-removed";
  return "";
}
