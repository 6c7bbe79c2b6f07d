// Package shares hands out the durable shares that secrets, claims and mails are
// sealed with, and destroys them. Once a share is overwritten, what was sealed with it
// cannot be opened, whatever copies of the database exist.
//
// A backend that cannot overwrite keeps old shares for a while. There, shares
// are masked with a key for each hour of expiry, which is deleted when the hour
// has passed.
//
// It owns the bucket shred, the list of shares that are to be destroyed, and
// the bucket epoch, the keys of the masks.
// Packages outbox, claim and secret use it, and package vault runs it.
package shares
