// A long list read page by page. Rows far from where one looks are let go; cursors are kept, so that
// any page can be read again. Memory is bounded whatever the length of the list.

export interface Fetched<T> {
  rows: T[];
  next?: string | undefined;
  total?: number | undefined;
  /** About how many rows follow, where nobody knows how many there are. */
  left?: number | undefined;
}

export type Fetch<T> = (cursor: string | undefined, signal: AbortSignal) => Promise<Fetched<T>>;

interface Page<T> {
  start: number;
  count: number;
  cursor: string | undefined;
  rows: T[] | null;
}

const HELD_MAX = 12;

export class Pages<T> {
  problem: unknown = null;
  private pages: Page<T>[] = [];
  private next: string | undefined;
  private ended = false;
  private total: number | undefined;
  private control = new AbortController();
  private working: Promise<void> | null = null;
  private wanted = 0;
  private asked: [number, number] = [0, 0];

  constructor(
    private readonly fetch: Fetch<T>,
    private readonly changed: () => void,
  ) {}

  /** How many rows there are, as far as is known. */
  get length(): number {
    return Math.max(this.total ?? 0, this.read + (this.ended ? 0 : 1));
  }

  /** Whether all rows have been walked past, so that their number is known. */
  get isWhole(): boolean {
    return this.ended;
  }

  /** How many rows have been walked past. */
  get read(): number {
    const last = this.pages.at(-1);
    return last ? last.start + last.count : 0;
  }

  get begun(): boolean {
    return this.pages.length > 0;
  }

  row(place: number): T | undefined {
    const page = this.find(place);
    return page?.rows?.[place - page.start];
  }

  /** See to it that the rows from one place to another are there soon. */
  want(first: number, last: number): void {
    this.wanted = last;
    this.asked = [first, last];
    const missing = this.pages.find(
      (page) => page.rows === null && page.start <= last && page.start + page.count > first,
    );
    if (!missing && (this.ended || last < this.read)) return;
    this.working ??= this.work(first, last).finally(() => {
      this.working = null;
      // What was wanted while the work was ending is wanted still.
      if (!this.problem && !this.control.signal.aborted) this.want(...this.asked);
    });
  }

  stop(): void {
    this.control.abort();
  }

  private async work(first: number, last: number): Promise<void> {
    try {
      for (const page of this.pages) {
        const isMissing = page.rows === null && page.start <= last && page.start + page.count > first;
        if (isMissing)
          page.rows = (await this.fetch(page.cursor, this.control.signal)).rows.slice(0, page.count);
      }
      while (!this.ended && this.read <= Math.max(last, this.wanted)) await this.readOn();
      this.problem = null;
    } catch (error) {
      if (this.control.signal.aborted) return;
      this.problem = error;
      this.ended = true;
    }
    this.changed();
  }

  private async readOn(): Promise<void> {
    const cursor = this.next;
    const found = await this.fetch(cursor, this.control.signal);
    this.pages.push({ start: this.read, count: found.rows.length, cursor, rows: found.rows });
    this.next = found.next;
    this.ended = found.next === undefined;
    const about = found.left === undefined ? undefined : this.read + found.left;
    this.total = this.ended ? this.read : (found.total ?? about);
    this.letGo();
    if (this.read > this.wanted || this.pages.length === 1) this.changed();
  }

  private letGo(): void {
    const held = this.pages.filter((page) => page.rows !== null);
    held.sort((one, other) => Math.abs(one.start - this.wanted) - Math.abs(other.start - this.wanted));
    for (const page of held.slice(HELD_MAX)) page.rows = null;
  }

  private find(place: number): Page<T> | undefined {
    let low = 0;
    let high = this.pages.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const page = this.pages[middle] as Page<T>;
      if (place < page.start) high = middle - 1;
      else if (place >= page.start + page.count) low = middle + 1;
      else return page;
    }
    return undefined;
  }
}
