/** The texts of files that are sent in parts. */
export default {
  "upload.note": "Note to the recipient",
  "upload.preview": "The recipient sees name, size and note before opening; the service does not.",
  "upload.preview.none": "With a passphrase, the recipient sees neither name nor size before opening.",
  "upload.sending": "Still arriving: {percent}",
  "upload.progress": "Upload",
  "upload.left": "{time} left",
  "upload.hint":
    "Keep this page open until the file has arrived: a page that is gone can't go on. You can send the link already; it opens the file once all of it is there.",
  "upload.pause.line": "The line is down. The upload goes on by itself.",
  "upload.pause.service": "The service is busy. The upload goes on by itself.",
  "upload.cancel": "Cancel upload",
  "upload.cancel.title": "Cancel this upload?",
  "upload.cancel.text": "What has arrived is deleted, and the link stops working. You can't undo this.",
  "upload.cancel.keep": "Go on sending",
  "upload.arrived": "The file has arrived",
  "upload.arrived.text": "The link opens it now. You can close this page once you've copied the link.",
  "upload.canceled": "Upload canceled",
  "upload.canceled.text": "The link opens nothing.",
  "upload.failed": "The upload has stopped",
  "upload.failed.source":
    "{name} has changed or can't be read any more, so the upload was canceled and the link opens nothing. Share the file again.",
  "upload.failed.gone":
    "The service doesn't know this upload any more: it was burned, or nothing arrived for hours. The link opens nothing. Share the file again.",
  "upload.failed.proxy":
    "Something between this device and the service refuses parts of 8 MiB, so the upload was canceled. Let the administrator know.",
  "upload.failed.device":
    "This device couldn't encrypt the file any further, so the upload was canceled. Close other programs and share the file again, or use the hush command.",
  "upload.failed.refused": "The service refused the upload, so it was canceled: {reason}",
} as const;
