//go:build !unix

package main

// fileLimit is 0: nothing is known of a limit here.
func fileLimit() int { return 0 }
