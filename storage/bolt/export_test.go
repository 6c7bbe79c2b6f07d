package bolt

// ForgetDiskSpace makes HasDiskSpace ask the system again.
func (f *Folder) ForgetDiskSpace() { f.space.asked.Store(nil) }
