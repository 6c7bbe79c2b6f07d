// Package place locates named places: the built-in ones, and those that the
// operator imports.
//
// It owns the bucket place. Handlers and commands use it; no rule about secrets
// does.
package place
