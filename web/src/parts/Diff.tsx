// A unified diff, line by line. It is text: nothing in it is ever markup.

export function Diff({ text, label }: { text: string; label: string }) {
  const lines = text.split("\n").filter((line, place, all) => line || place < all.length - 1);
  return (
    <pre class="diff" tabIndex={0} aria-label={label}>
      {lines.map((line, place) => (
        <span key={place} class={`line ${kindOf(line)}`}>
          {line || " "}
        </span>
      ))}
    </pre>
  );
}

function kindOf(line: string): string {
  if (/^(\+\+\+|---|diff |index )/.test(line)) return "is-head";
  if (line.startsWith("@@")) return "is-place";
  if (line.startsWith("+")) return "is-added";
  if (line.startsWith("-")) return "is-removed";
  return "";
}
