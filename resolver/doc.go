// Package resolver queries DNS about names that strangers choose, and bounds
// all work that they can cause.
//
// One question takes at most five seconds, two tries of two seconds a query,
// five aliases and 32 questions at a time; of an answer it uses ten values of
// 512 bytes. Nothing is cached: every question is asked anew, so the caller
// sees the zone's present content.
package resolver
