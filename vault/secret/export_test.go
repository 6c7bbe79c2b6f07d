package secret

// Hashes returns how many passphrases and passwords were hashed.
func Hashes(se *Secrets) int { return int(se.hasher.Done.Load()) }
