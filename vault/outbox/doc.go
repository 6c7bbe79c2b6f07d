// Package outbox queues mails and sends them: a mail is put into the queue in
// the transaction of what it tells of, is tried again until it is delivered or
// given up, and is forgotten with the share that its link was sealed with.
//
// It owns the buckets outbox and delivery. Packages account, domain and secret
// draft mails and put them; package vault runs the sender.
package outbox
