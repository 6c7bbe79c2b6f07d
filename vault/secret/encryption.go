package secret

import (
	"hush/vault/caller"
	"hush/vault/rows"
)

// Encryption is the kind of a secret: who encrypts its content.
type Encryption byte

// The kinds. Their numbers are stored.
const (
	EncryptionServer   Encryption = 1 // the server; the link is BASE/s#KEY
	EncryptionEndToEnd Encryption = 2 // the sender's device; the link is BASE/e#KEYSECRET
)

func readEncryption(in *rows.Reader) Encryption {
	return Encryption(in.Between(byte(EncryptionServer), byte(EncryptionEndToEnd)))
}

// Opening is what a caller shows to reveal a secret.
type Opening struct {
	// Passphrase is that of a secret that the server encrypted.
	Passphrase caller.Text
	// LinkProof and Proof are those of an end-to-end encrypted secret, 32 bytes
	// each; empty for none.
	LinkProof, Proof caller.Text
	// Claim is 32 random bytes that bind the secret to the caller; empty for
	// none.
	Claim caller.Text
}
