// Package budget limits how often a network or an account may do something.
//
// One rule (Rate) decides, over one of two places that say how much is spent:
// the memory of this process (Memory), or the store (Stored), so that several
// nodes have one budget together. It owns the bucket budget. The chain of
// package handlers chooses the rates and the place.
package budget
