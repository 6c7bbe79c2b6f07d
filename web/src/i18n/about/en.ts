/** The texts of the pages about the service and for feedback, and of unknown addresses. */
export default {
  "about.title": "About {name}",
  "about.lead": "Share a password, a key or a note. It opens once, then it's gone.",
  "about.once.title": "Once means once",
  "about.once":
    "However many people have the link, only one of them gets the secret. If the connection breaks while it's being opened, the same page can fetch it again for two minutes, as long as it stays open. No other page can. Then the secret is destroyed.",
  "about.encryption.title": "Two kinds of encryption",
  "about.encryption.end_to_end":
    "End-to-end: the sender's device encrypts the secret, and the recipient's device decrypts it. The key is in the part of the link after the #, which browsers don't send to any server. The server stores what it can't read, and never sees the passphrase.",
  "about.encryption.server":
    "On the server: the server receives the secret and encrypts it; the key is in the link. It sees the secret while it's being shared and opened.",
  "about.encryption.only": "Only this kind opens without JavaScript.",
  "about.encryption.only.mail": "Only this kind can be emailed by the server and opened without JavaScript.",
  "about.encryption.page":
    "The server also delivers this page. In the wrong hands, it could deliver one that gives your secret away.",
  "about.encryption.once":
    "That a secret opens once and is then destroyed is the server's word. A dishonest server could keep the encrypted content, and a link that leaks later would open that copy.",
  "about.encryption.history": "Browsers keep opened links in their history, and may sync it to your other devices.",
  "about.kept.title": "What is stored",
  "about.kept":
    "A waiting secret is stored encrypted. Only the link can decrypt it. The service doesn't store the link, except encrypted with the key of a receipt that shows it again. A passphrase becomes part of the key. When a secret is opened, its part of the key is overwritten on disk.",
  "about.receipt.title": "Two links, two purposes",
  "about.receipt":
    "The recipient's link opens the secret. Your private receipt is for you alone: it shows what happened to the secret, and can burn it until it's opened. If the server encrypted the secret, the receipt shows the link again until then.",
  "about.limits.title": "Limits",
  "about.limits.ttl":
    "Without an account, a secret is kept for up to {anonymous}; with an account, for up to {account}.",
  "about.limits.size": "Its size is at most {anonymous} without an account, and {account} with one.",
  "about.browser.title": "In your browser",
  "about.browser": "These pages load nothing from other hosts, don't track you, and store no secret in your browser.",

  "feedback.title": "Feedback",
  "feedback.lead": "What works, what doesn't, what's missing? Your message goes to the people who run this service.",
  "feedback.message": "Your message",
  "feedback.placeholder": "I tried to…",
  "feedback.count": "{used} of {limit} characters",
  "feedback.empty": "Enter a message first.",
  "feedback.over.one": "{count} character too long.",
  "feedback.over.other": "{count} characters too long.",
  "feedback.care":
    "Don't write secrets here. We keep the message for 30 days, and remove links and keys from it. Your time zone and a shortened form of your network address are sent with it.",
  "feedback.submit": "Send",
  "feedback.sending": "Sending…",
  "feedback.proof.idle": "While you write, your browser solves a small puzzle to show that you're not a bot.",
  "feedback.proof.working": "Checking that you're not a bot…",
  "feedback.proof.done": "Checked: you're not a bot.",
  "feedback.thanks": "Thank you",
  "feedback.thanks.text": "We've got your message.",
  "feedback.another": "Write another message",

  "notfound.title": "Page not found",
  "notfound.text": "The address may be wrong, or the page may have moved.",
  "notfound.home": "Share a secret",
} as const;
