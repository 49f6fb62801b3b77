// Markdown as elements. A text is cut into tokens by `marked`, and of those only what is listed here
// becomes an element: there is no markup to clean, since none is ever made. HTML in a text stays text,
// a picture is a link, and a link leads to the web, to post or nowhere.

import { Lexer, type Token, type Tokens } from "marked";
import type { ComponentChild, ComponentChildren } from "preact";
import { useEffect, useMemo } from "preact/hooks";

import { files, learnFiles } from "../cards";
import { Mention } from "./Mention";
import { maySayPath, mentions, refOf } from "./mentions";
import "../styles/markdown.css";

/** Longer texts are data rather than prose, and take too long to read. */
const READ_MAX = 200_000;

export function Markdown({ text }: { text: string }) {
  useFiles(text);
  const tokens = useMemo(() => (text.length > READ_MAX ? null : Lexer.lex(text, { gfm: true })), [text]);
  return <>{tokens ? blocks(tokens) : <pre class="plain">{text}</pre>}</>;
}

export function MarkdownLine({ text }: { text: string }) {
  useFiles(text);
  const tokens = useMemo(
    () => (text.length > READ_MAX ? null : Lexer.lexInline(text, { gfm: true })),
    [text],
  );
  return <>{tokens ? inline(tokens) : text}</>;
}

function useFiles(text: string): void {
  useEffect(() => {
    if (maySayPath(text)) learnFiles();
  }, [text]);
}

const isFile = (path: string) => files.value?.has(path) ?? false;

function blocks(tokens: Token[] = []): ComponentChildren {
  return tokens.map((token, place) => <Block key={place} token={token} />);
}

function Block({ token }: { token: Token }): ComponentChild {
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "heading":
      return <Heading of={token as Tokens.Heading} />;
    case "code":
      return <pre tabIndex={0}>{(token as Tokens.Code).text}</pre>;
    case "blockquote":
      return <blockquote>{blocks((token as Tokens.Blockquote).tokens)}</blockquote>;
    case "list":
      return <List of={token as Tokens.List} />;
    case "table":
      return <Table of={token as Tokens.Table} />;
    case "hr":
      return <hr />;
    case "paragraph":
      return <p>{inline((token as Tokens.Paragraph).tokens)}</p>;
    case "text":
      return <>{inline((token as Tokens.Text).tokens ?? [token])}</>;
    case "checkbox":
      return <Tick is={(token as Tokens.Checkbox).checked} />;
    default:
      // Markup, and whatever a later version of the reader may find.
      return <p class="plain">{token.raw.trimEnd()}</p>;
  }
}

/** A heading inside a view that has its own: three levels down. */
function Heading({ of }: { of: Tokens.Heading }) {
  const children = inline(of.tokens);
  if (of.depth === 1) return <h4>{children}</h4>;
  if (of.depth === 2) return <h5>{children}</h5>;
  return <h6>{children}</h6>;
}

function List({ of }: { of: Tokens.List }) {
  const items = of.items.map((item, place) => (
    <li key={place} class={item.task ? "is-task" : undefined}>
      {blocks(item.tokens)}
    </li>
  ));
  return of.ordered ? <ol start={Number(of.start) || 1}>{items}</ol> : <ul>{items}</ul>;
}

function Tick({ is }: { is: boolean }) {
  return (
    <>
      <span aria-hidden="true">{is ? "☑" : "☐"} </span>
      <span class="for-ears">{is ? "Done: " : "To do: "}</span>
    </>
  );
}

function Table({ of }: { of: Tokens.Table }) {
  return (
    <div class="wide-table" tabIndex={0} role="region" aria-label="Table">
      <table>
        <thead>
          <tr>
            {of.header.map((cell, place) => (
              <th key={place}>{inline(cell.tokens)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {of.rows.map((row, place) => (
            <tr key={place}>
              {row.map((cell, column) => (
                <td key={column}>{inline(cell.tokens)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function inline(tokens: Token[] = []): ComponentChildren {
  return joined(tokens).map((token, place) => <Inline key={place} token={token} />);
}

/** Put markup and the text around it together again, so that a text stays one text. */
function joined(tokens: Token[]): Token[] {
  const made: Token[] = [];
  for (const token of tokens) {
    const last = made.at(-1);
    const isPlain = (one: Token | undefined) =>
      one?.type === "html" || (one?.type === "text" && !("tokens" in one));
    if (last && isPlain(last) && isPlain(token)) {
      const raw = last.raw + token.raw;
      made[made.length - 1] = { type: "text", raw, text: raw, escaped: false };
    } else made.push(token);
  }
  return made;
}

function Inline({ token }: { token: Token }): ComponentChild {
  switch (token.type) {
    case "strong":
      return <strong>{inline((token as Tokens.Strong).tokens)}</strong>;
    case "em":
      return <em>{inline((token as Tokens.Em).tokens)}</em>;
    case "del":
      return <s>{inline((token as Tokens.Del).tokens)}</s>;
    case "br":
      return <br />;
    case "codespan":
      return <Code text={(token as Tokens.Codespan).text} />;
    case "link":
      return <Leads of={token as Tokens.Link} />;
    case "image":
      return (
        <Leads of={{ ...(token as Tokens.Image), type: "link", tokens: [] } as unknown as Tokens.Link} />
      );
    case "escape":
      return <>{(token as Tokens.Escape).text}</>;
    case "checkbox":
      return <Tick is={(token as Tokens.Checkbox).checked} />;
    case "text":
      return <Words text={(token as Tokens.Text).text} />;
    default:
      return <>{token.raw}</>;
  }
}

function Words({ text }: { text: string }) {
  return (
    <>
      {mentions(text, isFile).map((one, place) =>
        one.ref ? <Mention key={place} to={one.ref} text={one.text} /> : one.text,
      )}
    </>
  );
}

function Code({ text }: { text: string }) {
  const ref = refOf(text, isFile);
  return <code>{ref ? <Mention to={ref} text={text} /> : text}</code>;
}

const WEB = /^(https?:\/\/|mailto:)/i;

function Leads({ of }: { of: Tokens.Link }) {
  const words = of.tokens?.length ? inline(of.tokens) : of.text || of.href;
  if (!WEB.test(of.href)) return <>{of.raw}</>;
  return (
    <a href={of.href} rel="noopener noreferrer nofollow" target="_blank" title={of.href}>
      {words}
    </a>
  );
}
