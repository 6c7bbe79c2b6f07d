/** The texts of opening a secret, for the pages of both kinds. */
export default {
  "reveal.deriving": "Deriving the key on this device…",
  "reveal.malformed": "This passphrase is not valid text. Type it again.",
  "reveal.link":
    "The secret part of this link is wrong. Copy the whole link from the message again. The secret is still there.",
  "reveal.incomplete":
    "The secret is end-to-end encrypted, and the part of the link that decrypts it is missing. Copy the whole link from the message and open it again.",
  "reveal.mangled":
    "A mail gateway changed this link, so its key reached this server with the request for this page. The page has repaired the link.",
  "reveal.offline":
    "You seem to be offline. Nothing was sent, so the secret was not opened. Try again when the connection is back.",
  "reveal.retrying": "The connection broke. Trying again; the secret stays yours for {time}. Keep this page open.",
  "reveal.paused":
    "You are offline. The secret stays yours for {time}. It goes on by itself as soon as the connection is back. Keep this page open.",
  "reveal.lost": "The connection broke. Try again; the secret stays yours for {time}. Keep this page open.",
  "reveal.altered":
    "What arrived is not what the sender encrypted: the server, or something on the way, changed it. Nothing of it is shown. The secret stays yours for {time}.",
  "reveal.kind":
    "The server sent another kind of secret than this link stands for. Nothing of it is shown. The secret stays yours for {time}.",
  "reveal.unfit":
    "What arrived is what the sender's program encrypted, but it has a form that this page does not show. Trying again does not change that. Ask the sender to share the secret again with another program.",
  "reveal.late":
    "The time in which this page could fetch the secret is over. If the server had opened the secret for this page, it is destroyed. If not, it still waits.",
  "reveal.lapsed.title": "The secret is gone",
  "reveal.lapsed": "An answer was lost while the secret was opened, and now the server no longer has it.",
  "reveal.lapsed.text":
    "The time to fetch it ran out, or it was opened elsewhere, burned or expired. Ask the sender to share it again. Their receipt shows what happened.",
  "reveal.leave":
    "The server may have opened the secret for this page already. If you leave now, it is lost. Leave anyway?",
  "reveal.hide": "Hide the secret",
  "reveal.show": "Show the secret",
  "reveal.wrap": "Wrap long lines",
  "reveal.reply": "Reply with a secret",
} as const;
