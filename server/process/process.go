// Package process deals with the process that serves: how much memory and how
// many files it may use, which rights it keeps, and what it shows when it dies.
// What this package changes holds for the whole process, mostly for good. It
// knows no flag and no secret.
package process

// Reach is which files a process in the sandbox may open.
type Reach struct {
	Write []string // folders in which it may do anything but execute
	Read  []string // files and folders; they need not exist
}
