// The views there are, in the order and the groups of the navigation, with the operation each one needs.

export type Group = "Now" | "Work" | "History" | "More";

export interface Offered {
  view: string;
  name: string;
  group: Group;
  /** The view from which one comes to it: it is listed below that one while one is there. */
  within?: string;
  /** After `g`. */
  key: string;
  needs: string;
  about: string;
}

export const PLACES: readonly Offered[] = [
  {
    view: "overview",
    name: "Overview",
    group: "Now",
    key: "o",
    needs: "get_project_overview",
    about: "Where the project stands",
  },
  {
    view: "control",
    name: "Mission control",
    group: "Now",
    key: "l",
    needs: "list_sessions",
    about: "Who is at what right now, and what needs you",
  },
  {
    view: "review",
    name: "Review",
    group: "Now",
    key: "i",
    needs: "propose_decision",
    about: "What agents propose and you decide",
  },
  {
    view: "records",
    name: "Records",
    group: "Work",
    key: "r",
    needs: "list_records",
    about: "Goals, tasks and findings",
  },
  {
    view: "decisions",
    name: "Decisions",
    group: "Work",
    key: "d",
    needs: "search_decisions",
    about: "What was decided, and what is proposed",
  },
  {
    view: "timeline",
    name: "Timeline",
    group: "History",
    key: "t",
    needs: "get_recent_activity",
    about: "What happened, newest first",
  },
  {
    view: "story",
    name: "Stories",
    group: "History",
    within: "timeline",
    key: "s",
    needs: "get_story",
    about: "A session told step by step",
  },
  {
    view: "movie",
    name: "Movies",
    group: "History",
    within: "timeline",
    key: "m",
    needs: "get_evolution",
    about: "A session as a film of all its files",
  },
  {
    view: "evolution",
    name: "Files",
    group: "History",
    key: "e",
    needs: "get_evolution",
    about: "The evolution of each file as a film",
  },
  {
    view: "past",
    name: "Time machine",
    group: "History",
    key: "p",
    needs: "get_evolution",
    about: "The page as of a moment, and what changed since",
  },
  {
    view: "undo",
    name: "Undo",
    group: "History",
    within: "past",
    key: "u",
    needs: "undo",
    about: "Take changes back, and only these",
  },
  {
    view: "restore",
    name: "Restore",
    group: "History",
    within: "past",
    key: "b",
    needs: "restore",
    about: "Files as they stood at a moment",
  },
  {
    view: "entities",
    name: "Runs and chats",
    group: "More",
    key: "n",
    needs: "entity_list",
    about: "Chats, graphs, runs, metrics and other entities",
  },
  {
    view: "checkpoints",
    name: "Checkpoints",
    group: "More",
    key: "c",
    needs: "workflow_checkpoint_list",
    about: "Contexts that agents saved",
  },
  { view: "search", name: "Search", group: "More", key: "f", needs: "search", about: "Everything at once" },
  {
    view: "verify",
    name: "Verify",
    group: "More",
    key: "v",
    needs: "",
    about: "Whether the journal is sound",
  },
];
