// What every in-host view has around it: the host's colours, its size, links that stay inside.

import { signal } from "@preact/signals";
import { type ComponentType, render } from "preact";
import { useErrorBoundary } from "preact/hooks";

import { asProblem } from "../src/asking";
import { Empty, Loading, Wrong } from "../src/parts/Notice";
import { index, theme } from "../src/state";
import { answerOf, HERE, Problem, take } from "./api";
import { greet, type HostContext, mayCall, sized, type ToolResult } from "./host";
import { placeOf } from "./opening";
import { back, follow, hasPast, href, read, route } from "./route";
import "../src/styles/base.css";
import "../src/styles/parts.css";
import "../src/styles/views.css";
import "./frame.css";

export interface View {
  /** The tool whose answers it shows. */
  tool: string;
  /** What one can look at without leaving it. */
  places: Record<string, ComponentType>;
  /** What to say under it. */
  note: string;
  /** Shows the answer by itself, where the place it opens at would have to ask for more. */
  alone?: ComponentType;
}

const problem = signal<Problem | null>(null);
const isThere = signal(false);

/** Show a view once the host has given it something. */
export function begin(view: View): void {
  const root = document.getElementById("page") as HTMLElement;
  render(<Frame view={view} />, root);
  document.addEventListener("click", stayInside);
  new ResizeObserver(() => sized(Math.ceil(root.getBoundingClientRect().height))).observe(root);
  let input: Record<string, unknown> = {};
  greet(view.tool, {
    onInput: (given) => {
      input = given;
    },
    onResult: (result) => show(view.tool, input, result),
    onCancelled: (reason) => {
      problem.value = new Problem("CANCELLED", reason || "The call was cancelled", "", 0);
    },
    onContext: dress,
  })
    .then(() => {
      document.documentElement.dataset.calls = mayCall() ? "some" : "none";
    })
    .catch((error: unknown) => {
      problem.value = asProblem(error);
    });
}

function show(tool: string, input: Record<string, unknown>, result: ToolResult): void {
  try {
    const given = { tool, input, answer: answerOf(result) };
    take(given);
    const project = typeof input.project_id === "string" ? input.project_id : HERE;
    index.value = { version: "", project, operations: [] };
    route.value = read(href({ project, ...placeOf(given) }));
    problem.value = null;
    isThere.value = true;
  } catch (error) {
    problem.value = asProblem(error);
  }
}

/** Look like the host. */
function dress(context: HostContext): void {
  const style = document.documentElement.style;
  if (context.theme) theme.value = context.theme;
  for (const [name, value] of Object.entries(context.styles?.variables ?? {})) {
    if (value !== undefined && name.startsWith("--")) style.setProperty(name, value);
  }
  if (context.displayMode) document.documentElement.dataset.mode = context.displayMode;
  const { height, maxHeight } = context.containerDimensions ?? {};
  const room = height ?? maxHeight;
  if (room) style.setProperty("--room", `${room}px`);
}

/** A link leads to another place in the view; there is nowhere else to go. */
function stayInside(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  const address = link?.getAttribute("href");
  if (!address) return;
  event.preventDefault();
  if (address.startsWith("#/")) follow(address);
}

const ALONE =
  "This host lets a view call no tools, so it shows what the agent asked for, and no more. " +
  "For the rest ask the agent, or run hansard open.";

/** What to show: where nothing can be asked for, the answer, and behind every link why there is no more. */
function placeIn(view: View): ComponentType | undefined {
  const place = view.places[route.value.view];
  if (mayCall()) return place;
  return hasPast() ? Needs : (view.alone ?? place);
}

function Needs() {
  return (
    <Empty title="The host does not let a view ask for this">
      It is not in the agent's answer, and to get it a view has to call tools, which needs the host's
      permission. Ask the agent for it, or run <code>hansard open</code> to see it on the page.
    </Empty>
  );
}

function Frame({ view }: { view: View }) {
  const [broken] = useErrorBoundary((error) => console.error(error));
  const Place = placeIn(view);
  const wrong = problem.value ?? (broken ? asProblem(broken) : null);
  return (
    <>
      <main>
        {wrong ? (
          <Wrong problem={wrong} />
        ) : !isThere.value ? (
          <Loading />
        ) : Place ? (
          <Place />
        ) : (
          <Empty title="This is on the page">Run `hansard open` to see it there.</Empty>
        )}
      </main>
      <footer>
        {hasPast() && (
          <button type="button" class="quiet" onClick={back}>
            Back
          </button>
        )}
        <small>{isThere.value && !mayCall() ? ALONE : view.note}</small>
      </footer>
    </>
  );
}
