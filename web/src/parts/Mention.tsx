// A link to what is mentioned, with a card that says what it is before one goes there.

import { useEffect, useId, useRef, useState } from "preact/hooks";

import { type Card, lookUp } from "../cards";
import { href } from "../route";
import { Badge, When, Who } from "./Badge";
import { placeOfRef } from "./found";
import "../styles/card.css";

const LINGER_MS = 250;
const CUT = 220;

interface Shown {
  to: string;
  text?: string;
  /** Whether its title stands beside it. */
  titled?: boolean;
}

export function Mention({ to, text = to, titled = false }: Shown) {
  const place = placeOfRef(to);
  const card = useCard(to);
  const title = useTitle(to, titled && place !== null);
  if (!place) return <code>{text}</code>;
  return (
    <span class="mention" onMouseEnter={card.show} onMouseLeave={card.hide}>
      <a
        href={href(place)}
        aria-describedby={card.shown ? card.id : undefined}
        onFocus={card.show}
        onBlur={card.hide}
        onKeyDown={(event) => event.key === "Escape" && card.hide()}
      >
        {text}
      </a>
      {title && <span class="titled"> {title}</span>}
      {card.shown && <Shows id={card.id} to={to} card={card.shown} />}
    </span>
  );
}

function Shows({ id, to, card }: { id: string; to: string; card: Card }) {
  const element = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    // At the right edge it would be cut, and near the bottom out of sight.
    const box = element.current?.getBoundingClientRect();
    if (!box || !element.current) return;
    if (box.right > innerWidth) element.current.style.left = `${innerWidth - box.right - 8}px`;
    if (box.bottom > innerHeight) element.current.classList.add("is-above");
  }, []);
  return (
    <span class="hover-card" role="tooltip" id={id} ref={element}>
      <small>
        {to.replace(/^path:/, "")} · {card.about} {card.status && <Badge of={card.status} />}
      </small>
      <strong>{card.title}</strong>
      {card.text && <span>{card.text.length > CUT ? `${card.text.slice(0, CUT)}…` : card.text}</span>}
      {card.by && (
        <small>
          <Who actor={card.by} /> {card.at && <When at={card.at} />}
        </small>
      )}
    </span>
  );
}

function useCard(to: string) {
  const [shown, setShown] = useState<Card | null>(null);
  const timer = useRef(0);
  const id = useId();
  const hide = () => {
    clearTimeout(timer.current);
    timer.current = 0;
    setShown(null);
  };
  const show = () => {
    clearTimeout(timer.current);
    const mine = setTimeout(
      () => void lookUp(to).then((card) => timer.current === mine && setShown(card)),
      LINGER_MS,
    );
    timer.current = mine;
  };
  useEffect(() => hide, []);
  return { shown, show, hide, id };
}

function useTitle(to: string, wanted: boolean): string | null {
  const [title, setTitle] = useState<string | null>(null);
  useEffect(() => {
    let isOver = false;
    if (wanted) void lookUp(to).then((card) => !isOver && setTitle(card?.title ?? null));
    return () => {
      isOver = true;
    };
  }, [to, wanted]);
  return title;
}
