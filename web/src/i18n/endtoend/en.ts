/** The texts of the page that opens end-to-end encrypted secrets. */
export default {
  "reveal.file.leave": "The file has not been saved. If you leave now, it is gone. Leave anyway?",
  "reveal.file.text": "This is the only time it is offered. Save it now if you need it.",
  "reveal.file.save": "Save the file",
  "reveal.file.unnamed": "file",
  "reveal.file.dot": "Your browser may save it as “{name}”.",
  "reveal.file.trust": "The service cannot look into the file. Open it only if you trust the sender.",
  "endtoend.title": "Open a secret",
  "endtoend.lead": "Paste the whole link that you were sent. Its secret part stays on this device.",
  "endtoend.incomplete":
    "Part of it is missing. An end-to-end encrypted secret opens only with its whole link. Copy the link from the message again.",
  "endtoend.wrong.title": "This link is wrong",
  "endtoend.wrong":
    "It has the right length, but no link looks like this: characters were changed on the way. Copy the whole link from the message again.",
  "endtoend.disagreement.title": "The server and the link disagree",
  "endtoend.disagreement":
    "The link says that the secret is end-to-end encrypted, and the server says that it is not. So this page opens nothing and asks for no passphrase. Tell the sender.",
  "endtoend.insecure.title": "This page needs a secure connection",
  "endtoend.insecure":
    "Browsers decrypt only on pages that came over HTTPS, and this one came over HTTP. Open the link with https:// at its beginning. Nothing was sent, and the secret is still there.",
  "endtoend.insecure.open": "Open over HTTPS",
  "endtoend.mangled":
    "A mail gateway changed this link, so its secret part reached this server. The page has repaired the link, and the secret still opens. But the server could have read it: tell the sender.",
} as const;
