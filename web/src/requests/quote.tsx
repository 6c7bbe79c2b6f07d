import type { Card } from "./card";

/** Quote shows what a requester wrote, as quoted plain text: nothing in it is a link. */
export function Quote({ card }: { card: Pick<Card, "title" | "note"> }) {
  return (
    <blockquote>
      <p class="asked-title" dir="auto">
        {card.title}
      </p>
      {card.note && (
        <p class="asked-note" dir="auto">
          {card.note}
        </p>
      )}
    </blockquote>
  );
}
