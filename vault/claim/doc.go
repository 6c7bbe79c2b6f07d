// Package claim keeps the content of a revealed secret for the one caller that it
// is bound to, until that caller acknowledges it or is silent for 120 seconds, so
// that a lost response is not a lost secret.
//
// A claim is 32 random bytes that the caller of RevealSecret draws and keeps. The
// transaction that consumes the secret seals its content again, under a fresh
// share and the claim, so that nothing opens it without the claim: not the link,
// the root key and the data folder together. It is bound before the first byte of
// the content leaves, and never to another claim.
//
// A claim ends by its caller's acknowledgement, or it lapses: at its deadline by
// the clock, or 120 seconds after this process first saw that deadline, whichever
// comes first. While its caller takes the content, asks for it again, or says that
// it still wants it, the deadline moves, but never beyond an hour after the claim was
// made. It is a row of its own, which the transaction that ends a claim reads again,
// on any node. A start ends claims whose deadline has passed, or is further ahead
// than any can be. A wrong clock can only end a claim early. Ends do not wait for the
// sweeper: its guard against clocks that leap would keep content.
package claim
