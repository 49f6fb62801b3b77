// The session that lies in the file, as `hansard replay` wrote it.

import type { FileEvolved, Revision, Story, TimelineItem } from "../src/shapes";

export interface Recorded {
  project: string;
  session_id: string;
  exported_at: string;
  /** The story's pages, in order. */
  story: Story[];
  /** Newest first. */
  timeline: TimelineItem[];
  files: { file: FileEvolved; revisions: Revision[] }[];
  /** By digest: what is text. */
  contents: Record<string, string>;
  /** By digest: why it is not here. */
  missing: Record<string, string>;
  /** What there was no room for, in sentences. */
  left_out: string[];
}

export const recorded = JSON.parse(document.getElementById("session")?.textContent ?? "null") as Recorded;
