// Putting a record under another one without a mouse.

import { useState } from "preact/hooks";

import { useDoing } from "../asking";
import { moveUnder } from "../onrecord";
import { Closing, Dialog } from "../parts/Dialog";
import { Wrong } from "../parts/Notice";
import { Pick } from "../parts/Pick";
import type { RecordRef } from "../shapes";

interface Shown {
  ids: string[];
  onEnd: () => void;
}

export function Moving({ ids, onEnd }: Shown) {
  const [chosen, setChosen] = useState<RecordRef | null>(null);
  const doing = useDoing();
  const move = (parent: string | null) =>
    doing.run(async () => {
      for (const id of ids) await moveUnder(id, parent);
      onEnd();
    });
  return (
    <Dialog title={`Move ${ids.length === 1 ? ids[0] : `${ids.length} records`}`} open onClose={onEnd}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (chosen) move(chosen.id);
        }}
      >
        <Pick label="Under which record?" chosen={chosen} onChoose={setChosen} except={ids} />
        {doing.problem && <Wrong problem={doing.problem} />}
        <Closing verb="Move" busy={doing.busy || !chosen} onEnd={onEnd}>
          <button type="button" disabled={doing.busy} onClick={() => move(null)}>
            To the top level
          </button>
        </Closing>
      </form>
    </Dialog>
  );
}
