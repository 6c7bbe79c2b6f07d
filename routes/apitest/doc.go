// Package apitest is a kit for tests of everything that answers a request: it runs the
// routes, the chain and the services on a vault of vaulttest, whose clock a test moves, over
// HTTP in memory. No process and no port is needed.
//
// It has what such tests share with those of a running program as well: accounts and what
// their owners know (Fill), requests and their replies (Call, Send), a driver for each
// protocol (Drivers), canaries, and the files of recorded exchanges.
//
// Its tests are the tables of who may call what, of forged and malformed requests, of what
// no response may tell, and of every route. A new RPC or row without a line in a table
// fails them.
package apitest
