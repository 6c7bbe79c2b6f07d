/** The texts of the field that asks for a link. */
export default {
  "ask.link": "Link",
  "ask.submit": "Open",
  "ask.none": "Paste the link first.",
  "ask.elsewhere": "This link leads to {host}. Open it there.",
} as const;
