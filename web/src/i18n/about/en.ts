/** The texts of the pages about the service and for feedback, and of unknown addresses. */
export default {
  "about.title": "About {name}",
  "about.lead": "Share a password, a key or a note once, and only once.",
  "about.once.title": "Once means once",
  "about.once":
    "However many people have the link, only one of them gets the secret. If the connection breaks while it is opened, the same page can fetch it again for two minutes as long as it stays open, and no other page can. Then it is destroyed.",
  "about.encryption.title": "Two kinds of encryption",
  "about.encryption.end_to_end":
    "End-to-end: the sender's device encrypts the secret, and the recipient's device decrypts it. The key is in the part of the link after the #, which browsers send to no server. The server stores what it cannot read, and never sees the passphrase.",
  "about.encryption.server":
    "On the server: the server receives the secret and encrypts it, and the key is in the link. It sees the secret while it is shared and while it is opened.",
  "about.encryption.only": "Only this kind opens without JavaScript.",
  "about.encryption.only.mail":
    "Only this kind can be e-mailed to recipients by the server and opened without JavaScript.",
  "about.encryption.page":
    "The server also delivers this page. A server in the wrong hands could deliver another page that gives your secret away.",
  "about.encryption.once":
    "That a secret opens once and is then destroyed is the server's word. A dishonest server can keep the encrypted content, and a link that leaks later opens that copy.",
  "about.encryption.history": "Browsers keep opened links in their history, and may copy the history to other devices.",
  "about.kept.title": "What is stored",
  "about.kept":
    "A waiting secret is stored encrypted. It can only be decrypted with the link, which the service does not store. A passphrase becomes part of the key. When a secret is opened, its part of the key is overwritten on the disk.",
  "about.receipt.title": "Two links, two purposes",
  "about.receipt":
    "The link for the recipient opens the secret. Your private receipt is for you alone: it shows what happened to the secret, and can burn it until it is opened. If the server encrypted the secret, it shows the link again until then.",
  "about.limits.title": "Limits",
  "about.limits.ttl":
    "Without an account, a secret is kept for up to {anonymous}; with an account, for up to {account}.",
  "about.limits.size": "Its size is at most {anonymous} without an account, and {account} with one.",
  "about.browser.title": "In your browser",
  "about.browser": "The pages load nothing from other hosts, do not track you, and store no secret in the browser.",

  "feedback.title": "Feedback",
  "feedback.lead": "What works, what does not, what is missing? The administrators of this service read your message.",
  "feedback.message": "Your message",
  "feedback.placeholder": "I tried to…",
  "feedback.count": "{used} of {limit} characters",
  "feedback.empty": "Enter a message first.",
  "feedback.over.one": "{count} character too long.",
  "feedback.over.other": "{count} characters too long.",
  "feedback.care": "Do not write secrets here. The message is kept for 30 days. Links and keys are removed from it.",
  "feedback.submit": "Send",
  "feedback.sending": "Sending…",
  "feedback.proof.idle": "While you write, your browser solves a small puzzle to show that you are not a bot.",
  "feedback.proof.working": "Checking that you are not a bot…",
  "feedback.proof.done": "Checked: you are not a bot.",
  "feedback.thanks": "Thank you",
  "feedback.thanks.text": "Your message has arrived.",
  "feedback.another": "Write another message",

  "notfound.title": "This page does not exist",
  "notfound.text": "The address may be wrong, or the page may have moved.",
  "notfound.home": "Share a secret",
} as const;
