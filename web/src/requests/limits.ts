/* What a card may have, apart from the card so that forms need not load what encrypts. */

/** Limits of a card: characters of title and note, and the number of answers. */
export const titleMax = 200;
export const noteMax = 2000;
export const answersMax = 100;

/** Kind is a kind of content. */
export type Kind = "text" | "file";
