//go:build !linux

package people

// reapOrphans does nothing: containers are those of Linux.
func reapOrphans(int) (end func()) { return func() {} }
