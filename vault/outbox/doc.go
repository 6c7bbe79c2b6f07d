// Package outbox queues and sends mails. A mail is queued in the transaction of
// what it is about, is tried until it is delivered or given up, and is then
// destroyed with the share that its link was sealed with.
//
// It owns the buckets outbox and delivery. Packages signup, domain and secret
// draft and put mails; package vault runs the sender.
package outbox
