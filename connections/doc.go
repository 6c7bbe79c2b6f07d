// Package connections shares a server's connections out among the networks that
// open them, so that no network can keep the others out. A network is an IPv4
// address or an IPv6 /64, and has a share; where a share or the total is used
// up, a new connection takes the place of the one that has been idle longest.
// Only where none is idle is the new one refused. Accepting never waits for
// anybody, and takes time logarithmic in the number of networks.
//
// A connection is idle while it serves no request: before its first one,
// whether it is silent, shakes hands or sends half a header, and between two.
// After an answer it is left alone for a moment, so that the answer gets out. No
// request is lost to the rule: one that arrives while its connection is being
// closed never reaches the handler.
package connections
