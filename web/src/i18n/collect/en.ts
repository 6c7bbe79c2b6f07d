/** The texts of the page that collects the answers to a request. */
export default {
  "collect.title": "Your request",
  "collect.loading": "Loading the request…",
  "collect.unreached": "The server can't be reached. This page keeps trying.",
  "collect.ask.title": "Collect answers",
  "collect.ask.lead": "Paste your whole collect link. Its secret part stays on this device.",
  "collect.incomplete":
    "Part of it is missing. Answers open only with the whole collect link. Copy it again from where you saved it.",
  "collect.wrong":
    "It has the right length, but no link looks like this: some of its characters were changed. Copy it again from where you saved it.",
  "collect.refused":
    "The server has this request, but the secret part of the link is wrong. Copy the whole collect link again from where you saved it. Its answers are still there.",
  "collect.insecure":
    "Browsers decrypt only on pages loaded over HTTPS, and this one came over HTTP. Open the link with https:// at its beginning. Nothing was sent, and the answers are still there.",
  "collect.mangled":
    "A program on the way changed this link, so its secret part reached the server. The page has repaired the link, but the server could read the answers. Close the request, and ask again.",
  "collect.altered.title": "This request was altered",
  "collect.altered":
    "What the server sent isn't the request that this link is for. Nothing of it is shown, and no answer was opened.",
  "collect.version":
    "The server sent a request of another version. Nothing of it is shown. Reload the page, or open the link with the program that made it.",
  "collect.unknown.title": "This request doesn't exist",
  "collect.unknown": "The server has no such request: it never existed, or it's over and forgotten.",
  "collect.forgotten": "Forgotten on this device.",
  "collect.state": "{state}: {answered} of {count} answered",
  "collect.withdrawn": "Closed by an administrator.",
  "collect.until": "It takes answers until {time}.",
  "collect.news": "An answer came",
  "collect.close": "Close request",
  "collect.close.title": "Close this request?",
  "collect.close.text": "Its link takes no more answers. You can't undo this.",
  "collect.close.burn": "Burn the answers that wait, too",
  "collect.closed": "Request closed.",
  "collect.request": "Request link",
  "collect.request.hint": "Send it to those who should answer. It shows your request, and never the answers.",
  "collect.request.elsewhere":
    "The server names {host} for this link, but this device doesn't know that you chose it. So the link is on the service's own address, where it works, too.",
  "collect.request.message":
    "Please send me something here, end-to-end encrypted. The link takes answers until {time}:\n\n{link}",
  "collect.request.subject": "A request for you",
  "collect.keep": "Keep your collect link",
  "collect.keep.text":
    "Anyone who has the collect link can read the answers. It never reaches the server: if you lose it, no one can read them.",
  "collect.keep.link": "Collect link",
  "collect.keep.copy": "Copy collect link",
  "collect.kept": "This device remembers it.",
  "collect.kept.not": "This device doesn't remember it. Save it before you leave.",
  "collect.kept.refused": "Your browser doesn't let this page store anything.",
  "collect.remember": "Remember on this device",
  "collect.forget": "Forget on this device",
  "collect.answers": "Answers",
  "collect.none": "No answer yet",
  "collect.none.text": "This page shows answers as they come.",
  "collect.none.over": "No answer came",
  "collect.answer": "Answer {number}",
  "collect.text": "Text",
  "collect.came": "Came {when}",
  "collect.phase.waiting": "Waiting",
  "collect.phase.opening": "Being opened",
  "collect.phase.opened": "Opened",
  "collect.phase.lapsed": "Opened, not confirmed",
  "collect.phase.burned": "Burned",
  "collect.phase.expired": "Expired unread",
  "collect.phase.refused": "Not opened",
  "collect.waits": "Waits until {time}.",
  "collect.opening":
    "A device has opened it and has two minutes to confirm that it has it. After that, the answer is destroyed either way.",
  "collect.opened": "Opened on {time}.",
  "collect.lapsed":
    "The device that opened it didn't confirm in time that it has it. If you don't have it, ask for it again.",
  "collect.refused.repeat": "It repeats another answer.",
  "collect.refused.altered": "It was altered, or it answers another request.",
  "collect.open": "Open",
  "collect.open.named": "Open answer {number}",
  "collect.again": "Open again",
  "collect.again.named": "Open again: answer {number}",
  "collect.burn": "Burn",
  "collect.burn.named": "Burn answer {number}",
  "collect.burn.text": "It's destroyed unread, and the person who answered sees that. You can't undo this.",
  "collect.opening.title": "Answer {number}",
  "collect.opening.once": "It opens once. After that, the server no longer has it.",
  "collect.opening.again":
    "This device began to open it, and may not have shown it. It can be opened here again until two minutes have passed without a word from this device.",
  "collect.opening.open": "Open answer",
  "collect.opening.gone": "It's gone: it was opened on another device, burned or expired.",
  "collect.opening.lost":
    "It's gone. The connection broke while it was being opened, and the time to fetch it is over. Ask for it again.",
  "collect.opening.moved":
    "The server named another answer in place of this one. Nothing was opened, and the answer is still there.",
  "collect.revealed.lead": "The answer to “{title}”.",
  "collect.revealed.done": "I'm done, back to the answers",
  "collect.back": "Back to the answers",
} as const;
