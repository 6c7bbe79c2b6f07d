//go:build !unix

package process

// FileLimit is 0: nothing is known of a limit here.
func FileLimit() int { return 0 }
