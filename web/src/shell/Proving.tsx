// Who looks at the page: where the server has a secret, a person is whoever has entered it here.

import { useState } from "preact/hooks";

import { useDoing } from "../asking";
import { Dialog } from "../parts/Dialog";
import { Wrong } from "../parts/Notice";
import { isProving, prove, stopProving } from "../proving";
import { index } from "../state";

/** Name who we are, and offer to prove it. */
export function Self() {
  const { actor, proof } = index.value ?? {};
  if (!actor) return null;
  return (
    <div class="row self">
      <small>{actor.replace(/^[a-z]+:/, "")}</small>
      {proof === "missing" && (
        <button type="button" class="quiet" onClick={() => (isProving.value = true)}>
          Prove who you are
        </button>
      )}
    </div>
  );
}

export function Proving() {
  return (
    <Dialog title="Prove that you are a person" open={isProving.value} onClose={() => stopProving()}>
      <Form />
    </Dialog>
  );
}

function Form() {
  const [secret, setSecret] = useState("");
  const doing = useDoing();
  const enter = (event: Event) => {
    event.preventDefault();
    doing.run(() => prove(secret));
  };
  return (
    <form onSubmit={enter}>
      <p>
        This server has a secret. Until you enter it, what you do here is recorded as an agent’s, and what is
        for people is refused. You are then not asked again in this browser for an hour.
      </p>
      {doing.problem && <Wrong problem={doing.problem} />}
      <label class="field">
        <span>The server’s secret (HANSARD_SECRET)</span>
        <input
          type="password"
          autocomplete="off"
          value={secret}
          onInput={(event) => setSecret(event.currentTarget.value)}
        />
      </label>
      <p class="tools">
        <button type="submit" class="main" disabled={doing.busy || secret === ""}>
          Prove it
        </button>
      </p>
    </form>
  );
}
