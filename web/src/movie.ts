// A session as scenes, one after the other: each change of a file is a picture, and what was planned,
// begun, noted and decided are the captions under it.

import type { TimelineItem } from "./shapes";
import { plain } from "./words";

/** A revision of a file, as it is in the picture. */
export interface Picture {
  path: string;
  revision: number;
}

export interface Scene {
  seq: number;
  at: string;
  actor: string;
  kind: string;
  caption: string;
  /** The title of the plan step during which it happens. */
  step: string;
  /** The number of that step, from 1 on; 0 outside of any. */
  number: number;
  /** What is in the picture: this scene's own change, or the last one before it. */
  picture: Picture | null;
  /** Whether the scene changes the picture. */
  isChange: boolean;
  added: number;
  removed: number;
}

/** More scenes than these nobody sits through. */
export const SCENES_MAX = 240;
const MOVIE_MS = 60_000;
const [SHORTEST_MS, LONGEST_MS] = [700, 2_200];
/** A character takes so long to read. */
const READ_MS = 38;

const TOLD =
  /^(session_titled|step_begun|audit_event|decision_|proposal_|record_(created|updated|moved)|state_transition|checkpoint_saved|conflict_|restore|external_change|session_closed|file_)/;

/** Make scenes of a session's timeline, from its oldest entry on. */
export function scenesOf(timeline: readonly TimelineItem[]): Scene[] {
  const titles = new Map<string, string>();
  const scenes: Scene[] = [];
  let picture: Picture | null = null;
  let step = { step: "", number: 0 };
  for (const item of timeline) {
    if (item.kind === "plan_step") titles.set(keyOf(item), item.step ?? "");
    if (item.index !== undefined && item.kind !== "plan_step")
      step = { step: titles.get(keyOf(item)) ?? "", number: item.index + 1 };
    if (!TOLD.test(item.kind)) continue;
    const own = pictureOf(item);
    picture = own ?? picture;
    scenes.push({
      seq: item.seq,
      at: item.at,
      actor: item.actor,
      kind: item.kind,
      caption: captionOf(item, step.step),
      ...step,
      picture,
      isChange: own !== null,
      added: own ? (item.added ?? 0) : 0,
      removed: own ? (item.removed ?? 0) : 0,
    });
  }
  return shortened(scenes);
}

function keyOf(item: TimelineItem): string {
  return `${item.plan_revision ?? 1}.${item.index}`;
}

function pictureOf(item: TimelineItem): Picture | null {
  const isMade = [undefined, "done", "recovered"].includes(item.status);
  return item.path && item.revision && isMade
    ? { path: item.to ?? item.path, revision: item.revision }
    : null;
}

const VERBS: Record<string, string> = {
  file_create: "Creates",
  file_edit: "Edits",
  file_delete: "Deletes",
  file_move: "Moves",
  file_refused: "Is refused",
  external_change: "Somebody else changes",
};

function captionOf(item: TimelineItem, step: string): string {
  if (item.kind === "step_begun") return step || plain(item.summary);
  if (item.kind === "session_titled") return item.content ?? item.title ?? plain(item.summary);
  if (item.path)
    return `${VERBS[item.kind] ?? "Changes"} ${item.to ? `${item.path} to ${item.to}` : item.path}`;
  return item.content ?? plain(item.summary);
}

/** Let a long session's changes of one file in a row be one scene; then, those of one step. */
function shortened(scenes: Scene[]): Scene[] {
  if (scenes.length <= SCENES_MAX) return scenes;
  const rows = joined(scenes, (one, other) => one === other - 1);
  return rows.length <= SCENES_MAX ? rows : joined(rows, () => true).slice(-SCENES_MAX);
}

/** Put a change into the later one of the same file and step, if they lie together as asked. */
function joined(scenes: Scene[], isNear: (one: number, other: number) => boolean): Scene[] {
  const latest = new Map<string, number>();
  const kept: (Scene | null)[] = [];
  for (const scene of scenes) {
    const key = `${scene.number} ${scene.picture?.path}`;
    const was = scene.isChange ? latest.get(key) : undefined;
    const before = was === undefined ? null : kept[was];
    if (was !== undefined && before && isNear(was, kept.length)) {
      kept[was] = null;
      kept.push({ ...scene, added: scene.added + before.added, removed: scene.removed + before.removed });
    } else kept.push(scene);
    if (scene.isChange) latest.set(key, kept.length - 1);
  }
  return kept.filter((scene) => scene !== null);
}

/** How long a scene is looked at: a minute in all, but no faster than one can read. */
export function lastsMs(scene: Scene, scenes: number): number {
  const share = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, MOVIE_MS / Math.max(1, scenes)));
  return scene.isChange ? share : Math.max(share, Math.min(2 * LONGEST_MS, scene.caption.length * READ_MS));
}
