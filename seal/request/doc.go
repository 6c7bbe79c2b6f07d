// Package request is the device's side of requests: the card in which a requester says
// what is asked for, the two links of a request, and the link of an answer, sealed so that
// the requester's device alone opens it. No server can do any of it, since none has the
// secret of a link.
//
// The secret of a request's link is the hash of the card that it opens, and the card has
// the requester's public key. So a server that puts another card or another key in place
// is found out before anything is encrypted to it. An answer is a secret of package
// endtoend like any other.
//
// Each device that follows docs/requests.md reads what this package writes.
package request
