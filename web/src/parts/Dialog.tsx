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

export function Dialog({ title, open, onClose, plain = false, children }: Shown) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = element.current;
    if (!dialog || dialog.open === open) return;
    if (open) dialog.showModal();
    else dialog.close();
  }, [open]);
  const onBackdrop = (event: MouseEvent) => {
    if (event.target === element.current) onClose();
  };
  return (
    <dialog
      ref={element}
      aria-label={title}
      class={plain ? "is-plain" : ""}
      onClose={onClose}
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
