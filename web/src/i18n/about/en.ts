/** The texts of the pages about the service and for feedback, and of unknown addresses. */
export default {
  "about.title": "About {name}",
  "about.lead": "A calm way to hand over a password, a key or a note: once, and then never again.",
  "about.once.title": "Once means once",
  "about.once":
    "Of any number of people with the link, one gets the secret. It is destroyed before it is shown, so a broken connection loses it rather than showing it twice.",
  "about.kept.title": "What is kept",
  "about.kept":
    "The service sees a secret while you share it and while it is opened. In between it is stored encrypted, and what is stored opens only together with the link, which the service does not keep. A passphrase becomes part of the key. When a secret is opened, its part of the key is overwritten on the disk.",
  "about.receipt.title": "Two links, two purposes",
  "about.receipt":
    "The link for them opens the secret. Your private receipt is for you alone: it shows what happened, shows the link again while it waits, and can burn it.",
  "about.limits.title": "Limits here",
  "about.limits.ttl": "Without an account a secret lives up to {anonymous}, with one up to {account}.",
  "about.limits.size": "It may have {anonymous} without an account, {account} with one.",
  "about.browser.title": "In this page",
  "about.browser": "Nothing comes from other hosts, nothing is tracked, and no secret is stored in the browser.",

  "feedback.title": "Feedback",

  "feedback.lead": "What works, what does not, what is missing? Those who run this service read it.",
  "feedback.message": "Your message",
  "feedback.placeholder": "I tried to…",
  "feedback.count": "{used} of {limit} characters",
  "feedback.empty": "Write something first.",
  "feedback.over.one": "{count} character too long.",
  "feedback.over.other": "{count} characters too long.",
  "feedback.care": "Do not put secrets in here. The message is kept for 30 days; links and keys in it are blotted out.",
  "feedback.submit": "Send",
  "feedback.sending": "Sending…",
  "feedback.proof.idle": "While you write, your browser solves a small sum to show that you are no program.",
  "feedback.proof.working": "Showing that you are no program…",
  "feedback.proof.done": "You are no program. Thank you.",
  "feedback.thanks": "Thank you",
  "feedback.thanks.text": "Your message has arrived.",
  "feedback.another": "Write another one",

  "notfound.title": "There is no such page",
  "notfound.text": "The address may be wrong, or the page may have moved.",
  "notfound.home": "Share a secret",
} as const;
