/** The texts of the field that asks for a link. */
export default {
  "ask.link": "Link",
  "ask.submit": "Open",
  "ask.none": "Paste the link.",
  "ask.long":
    "This link is longer than a link is: characters were added on the way. Copy it from the message again, without the text before and after it.",
  "ask.elsewhere": "This link leads to {host}. Open it there.",
} as const;
