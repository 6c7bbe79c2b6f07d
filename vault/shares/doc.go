// Package shares hands out the durable shares that secrets and mails are sealed
// with, and destroys them. Once a share is overwritten, what was sealed with it
// cannot be opened, whatever copies of the database exist.
//
// It owns the bucket shred, the list of shares that are to be destroyed.
// Packages outbox and secret use it, and package vault runs it.
package shares
