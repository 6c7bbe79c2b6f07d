// Package endtoend is the device's side of secrets that are encrypted end to end:
// their links, the keys that are derived from a link and its passphrase, and their
// content. No server can do any of it, since none has the secret of a link.
//
// Each device that follows docs/end-to-end.md reads what this package writes.
package endtoend
