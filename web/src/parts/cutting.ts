// Where the words stand in a text that were looked for.

/** Cut a text at words, whatever their case; every second piece is one of them. Pure. */
export function cutAt(text: string, query: string): string[] {
  const words = query
    .split(/[^\p{L}\p{N}_]+/u)
    .filter((one) => one.length > 1)
    .map((one) => one.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  // Words are found by how they begin, so that other forms of them are, too.
  return words.length
    ? text.split(new RegExp(`((?<![\\p{L}\\p{N}])(?:${words.join("|")})\\p{L}*)`, "giu"))
    : [text];
}
