// Package mail writes the service's messages and hands them to a relay.
//
// A message is text and HTML of the same words, without anything that a mail
// program would fetch and without anything that tells whether it was read. It
// holds one link at most, and never a passphrase. What it is made of comes from
// strangers in part, so every value is checked before it is put anywhere, and
// one with a line break is refused.
//
// Messages and relays do not print. The errors of a delivery hold a code and
// what was being done, never an address and never the words of a server.
package mail
