// Text in boxes: broken into lines that fit, and cut where it does not.

const LINE_CHARS = 30;
const LINES_MAX = 4;

/** A title in lines that fit a box; what is longer than all of them is cut, and told in full on hovering. */
export function linesOf(title: string): string[] {
  const lines: string[] = [];
  for (const word of title.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < LINE_CHARS)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(cut(word, LINE_CHARS));
  }
  return lines.length > LINES_MAX
    ? [...lines.slice(0, LINES_MAX - 1), cut(`${lines[LINES_MAX - 1]} …`, LINE_CHARS)]
    : lines;
}

export function cut(text: string, chars: number): string {
  return text.length > chars ? `${text.slice(0, chars - 1)}…` : text;
}
