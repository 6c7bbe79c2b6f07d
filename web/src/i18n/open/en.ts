/** The texts of opening a secret, for the pages of both kinds. */
export default {
  "open.title": "Someone shared a secret with you",
  "open.title.domain": "{domain} shared a secret with you",
  "open.once": "It opens once. After that, this link no longer works.",
  "open.expires": "Expires {relative}",
  "open.passphrase": "Passphrase",
  "open.passphrase.hint": "The sender set one. Ask them if you don't have it.",
  "open.locked": "Too many wrong passphrases. Try again {when}; the secret is still there.",
  "open.reveal": "Reveal secret",
  "open.revealing": "Revealing…",
  "open.own": "You shared this yourself. If you reveal it, no one else can.",
  "open.verification": "This secret confirms the email address of a new account.",
  "open.gone.title": "This secret is gone, or never existed",
  "open.gone.text": "It was opened, burned or expired, or the link is wrong. By design, the link doesn't say which.",
  "open.gone.expected": "Expecting a secret? Tell the sender the link didn't open. Their receipt shows what happened.",
  "open.reply": "Share a secret of your own",
  "open.through": "Sent through {host}",
  "open.address": "How to check the address",
  "open.address.text":
    "Check that the address at the top of your browser begins with {address}. If it doesn't, or you don't expect a link from there, ask the sender first.",
  "open.new": "New here? {link}",
  "reveal.deriving": "Deriving the key on this device…",
  "reveal.malformed": "This passphrase isn't valid text. Type it again.",
  "reveal.link":
    "The secret part of this link is wrong. Copy the whole link from the message again. The secret is still there.",
  "reveal.incomplete":
    "This secret is end-to-end encrypted, and the part of the link that decrypts it is missing. Copy the whole link from the message and open it again.",
  "reveal.version": "This is a file that is sent in parts. Load this page again to download it.",
  "reveal.mangled":
    "A mail gateway changed this link, so its key reached the server when you opened this page. The page has repaired the link.",
  "reveal.offline":
    "You seem to be offline. Nothing was sent, so the secret hasn't been opened. Try again when you're back online.",
  "reveal.retrying": "The connection broke. Trying again. The secret is held for you for {time}; keep this page open.",
  "reveal.received": "{done} received. Keep this page open.",
  "reveal.received.of": "{done} of {total} received. Keep this page open.",
  "reveal.paused":
    "You're offline. The secret is held for you for {time}, and this page continues when you're back online. Keep it open.",
  "reveal.lost": "The connection broke. Try again: the secret is held for you for {time}. Keep this page open.",
  "reveal.altered":
    "What arrived isn't what the sender encrypted: the server, or something on the way, changed it. None of it is shown. The secret is held for you for {time}.",
  "reveal.kind":
    "The server sent a different kind of secret than this link is for. None of it is shown. The secret is held for you for {time}.",
  "reveal.unfit":
    "The secret arrived unchanged, but this page can't show its format. Trying again won't help. Ask the sender to share it with another program.",
  "reveal.late":
    "This page's time to fetch the secret is over. If the server had already opened it for this page, it's destroyed. If not, it's still waiting.",
  "reveal.lapsed.title": "The secret is gone",
  "reveal.lapsed": "An answer was lost while the secret was being opened, and the server no longer has it.",
  "reveal.lapsed.text":
    "The time to fetch it ran out, or it was opened elsewhere, burned or expired. Ask the sender to share it again. Their receipt shows what happened.",
  "reveal.leave":
    "The server may already have opened the secret for this page. If you leave now, it's lost. Leave anyway?",
  "open.bad.title": "This link is incomplete",
  "open.bad.long":
    "This link is too long: something was added to it on the way. Copy it from the message again, without the text around it.",
  "open.bad.text": "Part of it is missing. Copy the whole link from the message and open it again.",
} as const;
