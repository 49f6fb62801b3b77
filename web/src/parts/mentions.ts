// What a text mentions: records, decisions, entries and recorded files, found by how they are written.

export interface Mention {
  /** As it stands in the text. */
  text: string;
  /** As references are written, if it is one. */
  ref?: string;
}

const MENTION =
  /(?<![\w/.:#-])(?:[RDP]\d{3,9}|s:\d{1,15}|path:[\w./@+-]*\w|(?:[\w@+-][\w.@+-]*\/)+[\w@+-][\w.@+-]*\w)(?![\w/-])/g;

/** Cut a text at what it mentions. A path is a mention only where it is known to be recorded. */
export function mentions(text: string, isFile: (path: string) => boolean): Mention[] {
  const found: Mention[] = [];
  let end = 0;
  for (const { 0: word, index } of text.matchAll(MENTION)) {
    const ref = refOf(word, isFile);
    if (!ref) continue;
    if (index > end) found.push({ text: text.slice(end, index) });
    found.push({ text: word, ref });
    end = index + word.length;
  }
  if (end < text.length) found.push({ text: text.slice(end) });
  return found;
}

/** Whether there may be a path in it: only then it matters which files there are. */
export function maySayPath(text: string): boolean {
  return /[\w.-]\/[\w.-]|\w\.\w{1,5}\b/.test(text);
}

/** The reference that one word is, if it is one. */
export function refOf(word: string, isFile: (path: string) => boolean): string | null {
  if (/^([RDP]\d{3,9}|s:\d{1,15}|path:.+)$/.test(word)) return word;
  return isFile(word) ? `path:${word}` : null;
}
