//go:build !linux

package bolt

// isLasting knows file systems only on Linux: elsewhere a copy of a folder is not told from
// the folder.
func isLasting(uint32) bool { return false }

func fileSystemName(uint32) string { return "an unknown one" }

func factsOf(string) (is facts, ok bool) { return is, false }
