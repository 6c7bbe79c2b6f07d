// Package shares hands out the durable shares that secrets and mails are sealed
// with, and destroys them. What is sealed with a share cannot be opened once
// the share is overwritten, whatever copies there are of the database.
//
// It owns the bucket shred, the list of shares that are to be destroyed.
// Packages outbox and secret use it, and package vault runs it.
package shares
