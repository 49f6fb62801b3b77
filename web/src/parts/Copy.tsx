// Text to be copied, with the button that does.

import { useState } from "preact/hooks";

function useCopy(text: string): { said: string; copy: () => void } {
  const [said, setSaid] = useState("");
  const copy = () => {
    // Only where the browser allows it; the text can be selected everywhere.
    const done = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error("not offered"));
    done.then(
      () => setSaid("Copied"),
      () => setSaid("Select and copy it"),
    );
  };
  return { said, copy };
}

/** An id or a digest that nobody reads, to be passed on whole. */
export function CopyId({ of, shown = "Copy its id" }: { of: string; shown?: string }) {
  const { said, copy } = useCopy(of);
  return (
    <>
      <button type="button" class="quiet id" title={of} onClick={copy}>
        {shown}
      </button>
      <span role="status">{said === "Copied" || !said ? said : of}</span>
    </>
  );
}

export function Copy({ text, label }: { text: string; label: string }) {
  const { said, copy } = useCopy(text);
  return (
    <div class="copy">
      <pre tabIndex={0} aria-label={label}>
        {text}
      </pre>
      <button type="button" onClick={copy}>
        Copy<span class="for-ears"> {label}</span>
      </button>
      <span role="status" class="soft">
        {said}
      </span>
    </div>
  );
}
