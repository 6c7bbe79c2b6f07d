// Package mail writes the service's messages and hands them to a relay.
//
// A message is text and HTML with the same content. It loads nothing from the
// network and does not track whether it was read. It has at most one link, and
// never a passphrase. Some of its content comes from strangers, so every value
// is checked first, and a value with a line break is refused.
//
// Messages and relays do not print. The errors of a delivery have a code and
// the failed step, never an address and never a server's text.
package mail
