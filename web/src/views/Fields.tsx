// The fields of a record as boxes to type in.

import { useEffect, useRef } from "preact/hooks";

import { boxed, type Field, parsed, type Texts, unboxed } from "../fields";

interface Shown {
  texts: Texts;
  onChange: (texts: Texts) => void;
}

export function Fields({ texts, onChange }: Shown) {
  const box = (field: Field) => ({
    text: texts[field],
    onType: (text: string) => onChange({ ...texts, [field]: text }),
  });
  return (
    <>
      <Line name="Title" required {...box("title")} />
      <Line name="Summary" required {...box("summary")} />
      <Box name="Body" rows={14} {...box("body")} />
      <details class="more">
        <summary>Related, citations, metadata</summary>
        <Line name="Related records (ids)" {...box("related")} />
        <Line name="Citations" {...box("cites")} />
        <Box name="Metadata (JSON)" rows={5} check={parsed} {...box("metadata")} />
      </details>
    </>
  );
}

interface Typing {
  name: string;
  text: string;
  onType: (text: string) => void;
}

function Line({ name, text, required = false, onType }: Typing & { required?: boolean }) {
  // A one-line box would drop the line ends of a text that has some.
  if (/[\r\n]/.test(text)) return <Box name={name} rows={2} text={text} onType={onType} />;
  return (
    <label class="field">
      <span>{name}</span>
      <input value={text} required={required} onInput={(event) => onType(event.currentTarget.value)} />
    </label>
  );
}

interface Checked extends Typing {
  rows: number;
  /** Throws what is wrong with the text. */
  check?: (text: string) => unknown;
}

export function Box({ name, rows, text, check, onType }: Checked) {
  const element = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    element.current?.setCustomValidity(check ? faultOf(check, text) : "");
  }, [text]);
  return (
    <label class="field">
      <span>{name}</span>
      <textarea
        ref={element}
        rows={rows}
        value={boxed(text)}
        onInput={(event) => onType(unboxed(text, event.currentTarget.value))}
      />
    </label>
  );
}

function faultOf(check: (text: string) => unknown, text: string): string {
  try {
    check(text);
    return "";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
