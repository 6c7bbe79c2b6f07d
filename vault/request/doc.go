// Package request keeps requests: someone asks for a secret, and those who have the link
// answer with one that only the requester's device can open.
//
// It owns the buckets request, collection and requests. What is asked for stands in the
// card, which the requester's device encrypted; the service has the secrets of neither
// link. An answer is a secret of package secret, and what is known of it besides is kept
// by package answer. The key of each answer is sealed to a pair of the request, whose
// private half only the key in the collect link opens, together with the root key: so
// the data folder opens no answer.
//
// A request takes answers until as many came as were asked for, until its time is over, or
// until it is closed. It is forgotten 7 days after its time is over, when no answer can wait
// any more.
package request
