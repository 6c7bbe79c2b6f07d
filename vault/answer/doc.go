// Package answer keeps what is known of the answers to requests besides their contents,
// which are secrets of package secret: where the secret and the responder's receipt of
// each are, what its requester's device opens it with, what became of it, and how many
// answers a request has.
//
// It owns the buckets answer and answers. It reads no secret and no receipt: packages
// secret and claim tell it, in the transaction that ends a content, what happened, by
// Revealed, Ended and ClaimEnded. What opens an answer is deleted from its row in the
// transaction in which its content ends for good: the end of the claim if it was revealed
// with one, and else the end of the secret. The rest of the row stays until package
// request forgets the request, so that a repeat of the answer takes no second place.
package answer
