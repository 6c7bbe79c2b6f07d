/** The texts of downloading a file. */
export default {
  "download.title": "Someone shared a file with you",
  "download.title.domain": "{domain} shared a file with you",
  "download.unnamed": "file",
  "download.file": "File",
  "download.archive.one": "Archive of {count} file",
  "download.archive.other": "Archive of {count} files",
  "download.note": "The sender's note",
  "download.spoiled": "The service's description of this file isn't what the sender wrote. None of it is shown.",
  "download.arriving": "Still arriving, {part}",
  "download.arriving.text": "The sender is still sending it. You can download it once it's complete; this page waits.",
  "download.arriving.broken": "The service can't be reached right now. This page keeps looking.",
  "download.once": "It can be downloaded once. After that, this link no longer works.",
  "download.submit": "Download file",
  "download.unlock": "Open file",
  "download.again": "Download again",
  "download.choosing": "Choose where to save it…",
  "download.opening": "Opening…",
  "download.progress": "{done} of {total}",
  "download.rate": "{size} per second",
  "download.left": "{time} left",
  "download.broken": "The connection broke. The download goes on by itself at the same place.",
  "download.down": "You're offline. The download goes on by itself once you're back online.",
  "download.keep.anew":
    "Keep this page open until it's done. If it is loaded again, the download begins anew; the file stays yours.",
  "download.keep.on": "Keep this page open until it's done. If it is loaded again, the download goes on.",
  "download.finishing": "Checking and saving the end…",
  "download.opened": "This is the file. It's yours until {time}: no one else can open it.",
  "download.reload": "This page was loaded again, so the download begins anew. The file is yours until {time}.",
  "download.absent": "Then download it again. The file is yours until {time}.",
  "download.altered":
    "What arrived isn't what the sender encrypted: the server, or something on the way, changed it. It was thrown away. The file is yours until {time}.",
  "download.altered.passphrase":
    "The passphrase is wrong, or something on the way changed the file. The file is yours until {time}.",
  "download.cancelled": "The download was cancelled. The file is yours until {time}.",
  "download.room":
    "There isn't enough room for the file. Make room, and download it again. The file is yours until {time}.",
  "download.lost": "The file couldn't be saved. Try it again. The file is yours until {time}.",
  "download.room.unopened": "There isn't enough room for the file. Nothing was opened.",
  "download.none":
    "This browser can't save a file of this size. Use another browser, or hush on the command line as below.",
  "download.confirm.title": "Did the file arrive?",
  "download.confirm":
    "This page has checked the file and handed all of it to your browser, but can't see what became of it. Look at your downloads.",
  "download.confirm.until":
    "If you say nothing, the service keeps the file for you until {time}, and destroys it then.",
  "download.confirm.yes": "Yes, it's there",
  "download.confirm.no": "No, download again",
  "download.saved.title": "You have the file",
  "download.saved": "Every check passed. The service destroys the file now, and the link no longer works.",
  "download.saved.again": "Save again",
  "download.saved.kept": "A copy stays in this browser until you open such a link again.",
  "download.trust": "The service can't look inside the file. Open it only if you trust the sender.",
  "download.gone.title": "The file is gone",
  "download.gone": "This page had opened the file, and the service no longer has it.",
  "download.gone.text":
    "The time to fetch it ran out, or it was opened elsewhere, burned or expired. Ask the sender to share it again. Their receipt shows what happened.",
  "download.unfit":
    "The file isn't what this page showed before. The sender's program made it so, and none of it is saved. Ask the sender to share it with another program.",
  "download.elsewhere": "Another tab of this browser has this file. Go on there, or close that tab and try again.",
  "download.leave":
    "The download isn't done. If you leave now, it stops. The file is yours until {time}. Leave anyway?",
  "download.hush": "Download it with hush instead",
  "download.hush.text":
    "The program hush downloads files of any size on the command line, and goes on after a break. Copy the link, and run:",
} as const;
