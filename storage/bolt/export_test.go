package bolt

// ForgetDiskSpace makes HasRoom ask the system again.
func (f *Folder) ForgetDiskSpace() { f.space.asked.Store(0) }
