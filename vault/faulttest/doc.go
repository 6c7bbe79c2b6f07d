// Package faulttest has no code but its tests. They let several vaults, as nodes of
// one PostgreSQL database, serve clients while the network, the database and
// the nodes fail, and check that the recorded history is linearizable.
//
// They are here because they join what the packages keep apart: the vault knows
// no database, storage knows no vault, and neither needs a server and minutes to
// test what is its own.
package faulttest
