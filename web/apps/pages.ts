// Pages whose first may be short: what an agent asked for is seldom as long as the screen.

import { Pages as Read } from "../src/parts/pages";

export type { Fetch, Fetched } from "../src/parts/pages";

export class Pages<T> extends Read<T> {
  /** Want it once more when the page under way is done, since it may be what was in the way. */
  override want(first: number, last: number): void {
    super.want(first, last);
    setTimeout(() => super.want(first, last));
  }
}
