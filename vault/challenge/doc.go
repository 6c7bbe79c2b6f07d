// Package challenge asks for work of computers where people are expected: it
// makes and checks the puzzles of ALTCHA, decides when a network has to solve
// one before it conceals, and believes the verdicts of a spam filter.
//
// It owns the buckets spent and pace. A solution is good once. Package feedback
// and account spend solutions, secret asks whether a caller may conceal, and
// handlers make and check challenges.
package challenge
