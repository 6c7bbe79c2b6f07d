// Package challenge makes and checks ALTCHA puzzles, decides when a network
// must solve one before it conceals, and checks the verdicts of a spam filter.
//
// It owns the buckets spent and pace. A solution is valid once. Packages
// feedback and signup spend solutions, secret asks whether a caller may
// conceal, and handlers make and check challenges.
package challenge
