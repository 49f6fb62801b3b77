// A modal dialog: the browser's own, so focus and Escape are as people know them.

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface Shown {
  title: string;
  open: boolean;
  onClose: () => void;
  plain?: boolean;
  children: ComponentChildren;
}

interface Closing {
  /** What the form does. */
  verb: string;
  busy: boolean;
  onEnd: () => void;
  /** Other ways to do it. */
  children?: ComponentChildren;
}

/** How a form in a dialog ends: done, or left. */
export function Closing({ verb, busy, onEnd, children }: Closing) {
  return (
    <p class="tools">
      <button type="submit" class="main" disabled={busy}>
        {verb}
      </button>
      {children}
      <button type="button" class="quiet" onClick={onEnd}>
        Cancel
      </button>
    </p>
  );
}

export function Dialog({ title, open, onClose, plain = false, children }: Shown) {
  const element = useRef<HTMLDialogElement>(null);
  // The browser tells of a closing later, when the dialog may be wanted again: of ours we know already.
  const ours = useRef(0);
  useEffect(() => {
    const dialog = element.current;
    if (!dialog || dialog.open === open) return;
    if (open) dialog.showModal();
    else {
      ours.current += 1;
      dialog.close();
    }
  }, [open]);
  const onClosed = () => {
    if (ours.current > 0) ours.current -= 1;
    else onClose();
  };
  // Closed by the browser it would tell of that later: of what comes between, the dialog would know nothing.
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.defaultPrevented || event.isComposing) return;
    event.preventDefault();
    onClose();
  };
  const pressed = useRef<EventTarget | null>(null);
  const onBackdrop = (event: MouseEvent) => {
    // Marking text may end outside of the dialog: only what also began there means to leave.
    if (event.target === element.current && pressed.current === element.current) onClose();
  };
  return (
    <dialog
      ref={element}
      aria-label={title}
      class={plain ? "is-plain" : ""}
      onClose={onClosed}
      onKeyDown={onKey}
      onMouseDown={(event) => (pressed.current = event.target)}
      onClick={onBackdrop}
    >
      {open && (
        <div class="inside">
          {!plain && (
            <header>
              <h2>{title}</h2>
              <button type="button" class="quiet" aria-label="Close" onClick={onClose}>
                ✕
              </button>
            </header>
          )}
          {children}
        </div>
      )}
    </dialog>
  );
}
