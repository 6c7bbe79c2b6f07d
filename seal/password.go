package seal

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"

	"golang.org/x/crypto/argon2"
)

// Defaults for passwords, 0.1 to 0.2 s. A password is chosen by a person and
// guards an account for years, and a thief of the disk can test guesses, so it
// costs more than a passphrase. It uses one lane, because parallel sign-ins
// share the cores anyway.
const (
	passwordMemoryKiB = 64 * 1024
	passwordTime      = 3
	passwordThreads   = 1
)

// Bounds on the argon2id parameters of a stored record.
const (
	stretchMemoryKiBMax = 256 * 1024
	stretchTimeMax      = 16
)

// The hash domains of a password's hash.
const (
	passwordDomain       = "hush/v1 password\x00"
	passwordHolderDomain = "hush/v1 password-holder\x00"
)

// PasswordParams are the argon2id parameters of an account's password. They are
// stored with the account and are not secret. The zero value is not usable;
// start from NewPasswordParams or from a stored record.
type PasswordParams struct {
	// MemoryKiB is the memory in KiB, at most 262,144 (256 MiB).
	MemoryKiB uint32
	// Time is the number of passes, 1 to 16.
	Time uint32
	// Threads is the number of lanes, at least 1.
	Threads uint8
	// Salt makes equal passwords of two accounts hash differently.
	Salt [16]byte
}

// NewPasswordParams returns the current defaults with a fresh salt.
func NewPasswordParams() PasswordParams {
	return PasswordParams{
		MemoryKiB: passwordMemoryKiB,
		Time:      passwordTime,
		Threads:   passwordThreads,
	}.Renewed()
}

// Renewed returns parameters of the same cost with a fresh salt, which each new
// password needs.
func (p PasswordParams) Renewed() PasswordParams {
	rand.Read(p.Salt[:])
	return p
}

// Weaker reports whether p takes less memory or fewer passes than the other
// parameters, so that a password hashed with p should be rehashed at the next
// sign-in. Lanes do not count: they only spread the work.
func (p PasswordParams) Weaker(than PasswordParams) bool {
	return p.MemoryKiB < than.MemoryKiB || p.Time < than.Time
}

// Hash returns the argon2id hash of password. It is slow by design (0.1 to 0.2
// s and 64 MiB with the defaults), so callers bound how many run at once and
// call it outside transactions. Fields out of range count as the nearest valid
// value, as in PassphraseParams.Hash.
func (p PasswordParams) Hash(password string) PasswordHash {
	okm := stretch(password, p, 64)
	proof := sha256.Sum256(append([]byte(passwordDomain), okm[:32]...))
	return PasswordHash{proof: hide(proof), holder: newWrappingSecret(passwordHolderDomain, okm[32:])}
}

// PasswordHash is the hash of a password, in two independent halves:
//
//	verify ‖ wrap   = argon2id(password, 64)
//	proof           = SHA-256("hush/v1 password\0" ‖ verify)         once stored
//	verifier        = HMAC(K_password, proof)                        stored
//	wrapping secret = SHA-256("hush/v1 password-holder\0" ‖ wrap)    never stored
//
// Testing a guess requires the root key, for the verifier and also for the
// wrapped key, which is derived with K_account. Before verifiers were keyed,
// the proof itself was stored, and testing it requires no key.
//
// Make it with PasswordParams.Hash; the zero PasswordHash is invalid, and using
// it panics.
type PasswordHash struct {
	redacted
	proof  hidden[[32]byte]
	holder WrappingSecret
}

// PasswordVerifier returns the 32 bytes stored with the account, by which
// PasswordMatches recognizes the right password, and the kid of the root key that
// they were made with, which is stored beside them. They unwrap nothing, and
// without the root key no guess can be compared with them.
func (k *Keys) PasswordVerifier(h PasswordHash) (verifier [32]byte, kid [4]byte) {
	key := k.state.set.Load().current
	return key.passwordVerifier(h), key.kid
}

// PasswordMatches reports, in constant time, whether stored came from
// PasswordVerifier with the root key of that kid, of the same password hashed with
// the same parameters. It does the same work if k lacks that root key, and reports
// false.
func (k *Keys) PasswordMatches(h PasswordHash, stored [32]byte, kid [4]byte) bool {
	set := k.state.set.Load()
	key := set.find(kid)
	has := key != nil
	if !has {
		key = set.current
	}
	verifier := key.passwordVerifier(h)
	return subtle.ConstantTimeCompare(verifier[:], stored[:]) == 1 && has
}

func (d *derived) passwordVerifier(h PasswordHash) [32]byte {
	proof := h.proof()
	return mac(d.password(), proof[:])
}

// MatchesUnkeyed reports, in constant time, whether stored is the proof of the
// same password, as stored before verifiers were keyed.
func (h PasswordHash) MatchesUnkeyed(stored [32]byte) bool {
	proof := h.proof()
	return subtle.ConstantTimeCompare(proof[:], stored[:]) == 1
}

// WrappingSecret returns the secret that the password wraps the account's key
// with.
func (h PasswordHash) WrappingSecret() WrappingSecret { return h.holder }

// stretch is argon2id within its bounds: whatever a damaged record contains, it
// neither crashes nor takes more than 256 MiB and 16 passes.
func stretch(password string, p PasswordParams, size uint32) []byte {
	passes := min(max(p.Time, 1), stretchTimeMax)
	memory := min(p.MemoryKiB, stretchMemoryKiBMax)
	threads := max(p.Threads, 1)
	return argon2.IDKey([]byte(password), p.Salt[:], passes, memory, threads, size)
}
