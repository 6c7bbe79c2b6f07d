package storage

// IsOfDisk reports whether a name in the top folder of a disk is one that its file
// system makes. A folder that holds nothing else counts as empty.
func IsOfDisk(name string) bool { return name == "lost+found" }
