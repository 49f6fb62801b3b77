// The page begins: find out what the server offers, follow its journal, show the view.

import { effect } from "@preact/signals";
import { render } from "preact";

import { getIndex } from "./api";
import { asProblem } from "./asking";
import { remember } from "./recents";
import { route, settle } from "./route";
import { loadLater } from "./shell/later";
import { Shell } from "./shell/Shell";
import { index, shut } from "./state";
import { follow } from "./stream";
import "./styles/base.css";
import "./styles/shell.css";
import "./styles/parts.css";
import "./styles/views.css";

// An address that is sent to somebody, or opened tomorrow, must say of which project it is.
effect(() => {
  if (index.value?.project && !route.value.project) settle(index.value.project);
});

const root = document.getElementById("page");

function begin(): void {
  if (root) render(<Shell />, root);
  getIndex().then(
    (found) => {
      index.value = found;
      follow();
      remember();
      void loadLater();
    },
    (error: unknown) => {
      shut.value = asProblem(error);
    },
  );
}

/** Whoever came by another address than the page's is helped, and shown nothing else. */
async function help(): Promise<void> {
  const { Astray } = await import("./shell/Astray");
  if (root) render(<Astray path={location.pathname} />, root);
}

if (location.pathname === "/") begin();
else void help();
