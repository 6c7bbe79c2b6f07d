/** The texts of the page that opens end-to-end encrypted secrets. */
export default {
  "endtoend.title": "Open a secret",
  "endtoend.lead": "Paste the whole link you were sent. Its secret part stays on this device.",
  "endtoend.incomplete":
    "Part of it is missing. An end-to-end encrypted secret opens only with its whole link. Copy the link from the message again.",
  "endtoend.wrong.title": "This link is wrong",
  "endtoend.wrong":
    "It has the right length, but no link looks like this: some of its characters were changed. Copy the whole link from the message again.",
  "endtoend.disagreement.title": "The server and the link disagree",
  "endtoend.disagreement":
    "The link says the secret is end-to-end encrypted; the server says it isn't. To be safe, this page opens nothing and asks for no passphrase. Tell the sender.",
  "endtoend.insecure.title": "This page needs a secure connection",
  "endtoend.insecure":
    "Browsers decrypt only on pages loaded over HTTPS, and this one came over HTTP. Open the link with https:// at its beginning. Nothing was sent, and the secret is still there.",
  "endtoend.insecure.open": "Open over HTTPS",
  "endtoend.mangled":
    "A mail gateway changed this link, so its secret part reached the server. The page has repaired the link, and the secret still opens, but the server could have read it. Tell the sender.",
} as const;
