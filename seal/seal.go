// Package seal is the cryptography of Hush: the keys in links, the keys derived
// from the root key, the sealing of secrets, receipts, fields and queued mails,
// the keys of files and accounts, the hashing of passphrases and passwords, and
// generated secrets.
//
// # Promise
//
// Opening a secret requires the root key, the link's token, the secret's share
// and, if one was set, the passphrase. A guess at the passphrase can be tested
// only with all the others. Every byte of a sealed value and of its header is
// authenticated: a changed one is refused, never interpreted. Lengths of secrets
// are visible only in steps of 256 bytes.
//
// The entries of an account open only with the account's private key, which is
// stored only wrapped: by its password, its API tokens and its sessions.
//
// Values of RootKey, Keys, Token, SecretKey, FileKey, PasswordHash, APIToken,
// SessionID, AccountKey and WrappingSecret print as [redacted] through fmt,
// encoding/json, encoding.TextMarshaler and log/slog. fmt calls no method of a value in an
// unexported field, nor for a misused verb (%p, %w; go vet reports those). Keys
// are safe even then, since functions hold them. A Token is comparable and
// therefore holds its characters, so a struct with one in an unexported field
// must not be formatted itself.
//
// # Policy
//
// The package is pure: it reads no clock and no file and logs nothing, and
// its only randomness is crypto/rand. Algorithms are fixed per version and
// never negotiated: SHA-256, HMAC and HKDF over it, AES-256-GCM, argon2id, and
// HPKE with X25519.
//
// Formats are versioned by the name "hush/v1" in every derivation and are
// compatible for as long as a release can read them: a token parses to the
// same row key, and a value sealed by one release opens in each later one.
// The golden vectors in the tests pin that. A changed format takes a new
// version name beside the old one, readers first.
package seal

// Each use of a hash or a key has its own name, so that no output of one use
// can replace that of another. A name that precedes the caller's bytes ends in
// a zero byte or is followed by bytes of a fixed length.
const (
	rootDomain        = "hush/v1 root"
	kidDomain         = "hush/v1 kid\x00"
	secretPurpose     = "hush/v1 secret-kek"
	metadataPurpose   = "hush/v1 metadata-kek"
	networkPurpose    = "hush/v1 network-id"
	verifierPurpose   = "hush/v1 verifier-mac"
	rootVerifierLabel = "hush/v1 verifier"
	secretDomain      = "hush/v1 secret"
	metadataDomain    = "hush/v1 metadata"
	verifyDomain      = "hush/v1 verify\x00"
)
