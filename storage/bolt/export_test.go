package bolt

// ForgetRoom makes HasRoom ask the system again.
func (f *Folder) ForgetRoom() { f.room.asked.Store(0) }
