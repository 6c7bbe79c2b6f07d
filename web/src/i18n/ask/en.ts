/** The texts of the field that asks for a link. */
export default {
  "ask.link": "Link",
  "ask.submit": "Open",
  "ask.none": "Paste the link first.",
  "ask.long":
    "This link is too long: something was added to it on the way. Copy it from the message again, without the text around it.",
  "ask.elsewhere": "This link leads to {host}. Open it there.",
} as const;
