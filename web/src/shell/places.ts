// The views there are, in the order of the navigation, with the operation each one needs.

export interface Offered {
  view: string;
  name: string;
  /** After `g`. */
  key: string;
  needs: string;
  about: string;
}

export const PLACES: readonly Offered[] = [
  {
    view: "overview",
    name: "Overview",
    key: "o",
    needs: "get_project_overview",
    about: "Where the project stands",
  },
  {
    view: "review",
    name: "Review",
    key: "i",
    needs: "propose_decision",
    about: "What agents propose and you decide",
  },
  {
    view: "control",
    name: "Mission control",
    key: "l",
    needs: "list_sessions",
    about: "Who is at what right now, and what needs you",
  },
  { view: "records", name: "Records", key: "r", needs: "list_records", about: "Goals, tasks and findings" },
  {
    view: "timeline",
    name: "Timeline",
    key: "t",
    needs: "get_recent_activity",
    about: "What happened, newest first",
  },
  { view: "story", name: "Story", key: "s", needs: "get_story", about: "A session told step by step" },
  {
    view: "movie",
    name: "Movie",
    key: "m",
    needs: "get_evolution",
    about: "A session as a film of all its files",
  },
  { view: "evolution", name: "Evolution", key: "e", needs: "get_evolution", about: "A file as a film" },
  {
    view: "past",
    name: "Time machine",
    key: "p",
    needs: "get_evolution",
    about: "The page as of a moment, and what changed since",
  },
  { view: "undo", name: "Undo", key: "u", needs: "undo", about: "Take changes back, and only these" },
  { view: "restore", name: "Restore", key: "b", needs: "restore", about: "Files as they stood at a moment" },
  {
    view: "decisions",
    name: "Decisions",
    key: "d",
    needs: "search_decisions",
    about: "What was decided, and what is proposed",
  },
  {
    view: "checkpoints",
    name: "Checkpoints",
    key: "c",
    needs: "workflow_checkpoint_list",
    about: "Contexts that agents saved",
  },
  {
    view: "entities",
    name: "Entities",
    key: "n",
    needs: "entity_list",
    about: "Chats, graphs, runs and metrics",
  },
  { view: "search", name: "Search", key: "f", needs: "search", about: "Everything at once" },
  { view: "verify", name: "Verify", key: "v", needs: "", about: "Whether the journal is sound" },
];
