// An example to look around in, written by the same calls that agents make, into a project of its own.

import { type Arguments, post, Problem } from "./api";

export const EXAMPLE = "example";

const ABOUT =
  "A small shop, made up to look around in: records, decisions, a proposal that waits for you, and a session with its plan.";

/** Make the example project, unless it is there. */
export async function fillExample(): Promise<void> {
  try {
    await post("create_project", { id: EXAMPLE, name: "Example", description: ABOUT });
  } catch (error) {
    if (error instanceof Problem && error.code === "PROJECT_EXISTS") return;
    throw error;
  }
  const { session_id: session } = await post<{ session_id: string }>("record_session_start", {
    project_id: EXAMPLE,
    title: "Make the checkout fast",
    user_message: "The checkout takes eight seconds. Find out why, and make it fast.",
  });
  const call = <T = unknown>(operation: string, args: Arguments) =>
    post<T>(operation, { session_id: session, ...args });
  const finding = await records(call);
  await work(call, finding);
  await decisions(call, finding);
  await call("record_session_end", {});
}

type Call = <T = unknown>(operation: string, args: Arguments) => Promise<T>;

/** Write the records; gives the finding that decisions rest on. */
async function records(call: Call): Promise<string> {
  const create = async (type: string, title: string, summary: string, body: string, parent: string | null) =>
    (
      await call<{ record: { id: string } }>("create_record", {
        type,
        title,
        summary,
        body,
        parent_id: parent,
      })
    ).record.id;
  const goal = await create(
    "goal",
    "Nobody waits at the checkout",
    "Under one second, on a phone, on a train.",
    "Measured from the click to the page that says **thank you**.\n\n| where | then | now |\n|---|---|---|\n| office | 3.1 s | 0.4 s |\n| train | 8.0 s | 1.0 s |",
    null,
  );
  const task = await create(
    "task",
    "Ask for all prices at once",
    "One question in place of one for each article.",
    "- 40 articles were 40 questions\n- now it is one, see `src/prices.py`",
    goal,
  );
  const finding = await create(
    "finding",
    "Seven of eight seconds were spent asking for prices",
    "The same price was asked for up to four times.",
    "Found by looking at the log of one slow order.",
    goal,
  );
  await create(
    "question",
    "What if a price changes meanwhile?",
    "Show the old one, or the new?",
    "Ask the shop.",
    goal,
  );
  await call("transition", { id: task, to_state: "RESOLVED", resolved_by: finding });
  return finding;
}

async function work(call: Call, finding: string): Promise<void> {
  const path = "src/prices.py";
  const first = "def prices(articles):\n    return {one: ask_price(one) for one in articles}\n";
  const then =
    'def prices(articles):\n    """Ask once for all: each question takes 0.2 s."""\n    return ask_prices(sorted(set(articles)))\n';
  await call("record_plan", { steps: ["Find where the time goes", "Ask once", "Measure again"] });
  await call("record_step", { index: 0 });
  await call("audit_event", {
    type: "note",
    description: `Seven of eight seconds are questions about prices: ${finding}.`,
  });
  await call("record_step", { index: 1 });
  await call("record_file_create", { path, content: first });
  await call("record_file_edit", { path, content: then, old_content: first });
  await call("record_step", { index: 2 });
  await call("audit_event", { type: "milestone", description: "From 8.0 s to 1.0 s on the train." });
}

async function decisions(call: Call, finding: string): Promise<void> {
  const { decision_id: holds } = await call<{ decision_id: string }>("record_decision", {
    title: "Ask for all prices at once",
    target: "prices",
    rationale: `Each question takes 0.2 s, whatever it asks for. See ${finding}.`,
    consequences: ["An order shows prices of one moment"],
    cites: [finding],
  });
  await call("propose_decision", {
    title: "Keep prices for a minute",
    target: "prices",
    rationale: "Most orders ask for the same hundred articles. **A minute** is short enough for a shop.",
    consequences: ["A price may be a minute old"],
    old_decision_ids: [holds],
    cites: [finding],
  });
}
