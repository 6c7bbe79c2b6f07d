// Package resolver asks DNS about names that somebody else chose, and is
// bounded in all that they could make it do.
//
// One question takes at most five seconds, two tries of two seconds a query,
// five aliases and four questions at a time; of an answer it considers ten
// values of 512 bytes. Nothing is kept: every question is asked anew, so what
// a zone says now is what the caller hears.
package resolver
