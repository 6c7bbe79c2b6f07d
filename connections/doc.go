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
//
// Nor is an answer. A connection that has served a request is closed gracefully:
// its place is free at once, its sending side ends, and what its client still
// sends is discarded until the client has ended, too, or five seconds are over.
// Closed at once, it would lose what the system has yet to send as soon as the
// client sends anything, as HTTP/2 clients do. At most 1,024
// connections linger in that way unless Limits say otherwise, and of one network
// a sixteenth of them, or one.
// Beyond that one that has served nothing goes instead. Where there is none, a
// network that has used up its share gets no new connection; where the total is
// used up, the longest idle connection of the busiest network is closed at once,
// or that network would keep the others out.
//
// Requests are shared out, too, while they are handled. The server keeps an answer
// over HTTP/2 that is not taken; how many streams a connection may have bounds
// that.
package connections
