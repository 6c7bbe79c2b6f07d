// Package place knows where names lie: the places that are built in, and those
// that the operator imports.
//
// It owns the bucket place. Handlers and commands use it; no rule of secrets
// does.
package place
