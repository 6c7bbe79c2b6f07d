// Package connections shares a server's connections among the networks that
// open them, so that no network can keep the others out. A network is an IPv4
// address or an IPv6 /64, and has a share. If a share or the total is used up,
// a new connection takes the place of the one that has been idle longest. The
// new one is refused only if none is idle. Accepting never blocks, and takes
// time logarithmic in the number of networks.
//
// A connection is idle while it serves no request: before its first one,
// whether it is silent, in a handshake or in the middle of a header, and
// between two. After a response it is left alone for a moment, so that the
// response gets out. No request is lost to this rule: one that arrives while
// its connection is being closed never reaches the handler.
//
// No response is lost either. A connection that has served a request is closed
// gracefully: its place is free at once and its sending side closes. What its
// client still sends is discarded until the client has closed, too, or five
// seconds are over. If it were closed at once, pending data would be lost as
// soon as the client sends anything, as HTTP/2 clients do. At most 1,024
// connections linger in that way unless Limits say otherwise, and a sixteenth
// of them, or one, for each network. Beyond that, a connection that has served
// nothing is closed instead. If there is none, a network that has used up its
// share gets no new connection. If the total is used up, the longest idle
// connection of the busiest network is closed at once; otherwise that network
// would keep the others out.
//
// Requests are shared, too, while they are handled. The server keeps an HTTP/2
// response that its client does not take; the limit on a connection's streams
// bounds how many.
package connections
