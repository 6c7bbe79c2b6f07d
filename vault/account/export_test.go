package account

// Hashes returns how many passwords and passphrases were hashed.
func Hashes(pw *Passwords) int { return int(pw.hasher.Done.Load()) }
