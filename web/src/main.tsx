// The page begins: find out what the server offers, follow its journal, show the view.

import { render } from "preact";

import { getIndex } from "./api";
import { asProblem } from "./asking";
import { loadLater } from "./shell/later";
import { Shell } from "./shell/Shell";
import { index, shut } from "./state";
import { follow } from "./stream";
import "./styles/base.css";
import "./styles/shell.css";
import "./styles/parts.css";
import "./styles/views.css";

const root = document.getElementById("page");
if (root) render(<Shell />, root);
getIndex().then(
  (found) => {
    index.value = found;
    follow();
    void loadLater();
  },
  (error: unknown) => {
    shut.value = asProblem(error);
  },
);
