// Package keylist is the list of a store's root keys, and how the owners of records say
// what a root key has made. It owns the row of the verifier in the bucket system.
package keylist
