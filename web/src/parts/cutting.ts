// Where the words stand in a text that were looked for.

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Cut a text at words, whatever their case; every second piece is one of them. Pure. */
export function cutAt(text: string, query: string): string[] {
  const whole = query.trim();
  // A name of code, or words that stand there as they were asked for, are one.
  if (/\P{L}/u.test(whole) && text.toLowerCase().includes(whole.toLowerCase()))
    return text.split(new RegExp(`(${escaped(whole)})`, "giu"));
  const words = query
    .split(/[^\p{L}\p{N}_]+/u)
    .filter((one) => one.length > 1)
    .map(escaped);
  // Words are found by how they begin, so that other forms of them are, too.
  return words.length
    ? text.split(new RegExp(`((?<![\\p{L}\\p{N}])(?:${words.join("|")})\\p{L}*)`, "giu"))
    : [text];
}
