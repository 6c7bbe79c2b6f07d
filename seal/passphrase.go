package seal

import "crypto/rand"

// Defaults for passphrases: the minimum of OWASP's password storage cheat sheet
// for argon2id, about 25 ms. A stolen database alone cannot be searched, since
// the key also depends on the link's token. So a passphrase does not need the
// cost of an account's password.
const (
	passphraseMemoryKiB = 19 * 1024
	passphraseTime      = 2
	passphraseThreads   = 1
)

// PassphraseParams are the argon2id parameters of a passphrase. They are stored
// with the secret and are not secret. The zero value is not usable; start from
// NewPassphraseParams or from a stored record.
type PassphraseParams struct {
	// MemoryKiB is the memory in KiB, at most 262,144 (256 MiB).
	MemoryKiB uint32
	// Time is the number of passes, 1 to 16.
	Time uint32
	// Threads is the number of lanes, at least 1.
	Threads uint8
	// Salt makes equal passphrases of two secrets hash differently.
	Salt [16]byte
}

// NewPassphraseParams returns the current defaults with a fresh salt.
func NewPassphraseParams() PassphraseParams {
	return PassphraseParams{
		MemoryKiB: passphraseMemoryKiB,
		Time:      passphraseTime,
		Threads:   passphraseThreads,
	}.Renewed()
}

// Renewed returns parameters of the same cost with a fresh salt, which each new
// passphrase needs.
func (p PassphraseParams) Renewed() PassphraseParams {
	rand.Read(p.Salt[:])
	return p
}

// Hash returns the 32-byte argon2id hash of passphrase. It is slow by design
// (20 to 30 ms and 19 MiB with the defaults), so callers bound how many run at
// once and call it outside transactions. Fields out of range count as the
// nearest valid value: a damaged record results in a wrong hash, not in a crash
// or an endless wait.
func (p PassphraseParams) Hash(passphrase string) [32]byte {
	return [32]byte(stretch(passphrase, PasswordParams(p), 32))
}
