// Text to be copied, with the button that does.

import { useState } from "preact/hooks";

export function Copy({ text, label }: { text: string; label: string }) {
  const [said, setSaid] = useState("");
  const copy = () => {
    // Only where the browser allows it; the text can be selected everywhere.
    const done = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error("not offered"));
    done.then(
      () => setSaid("Copied"),
      () => setSaid("Select and copy it"),
    );
  };
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
