package receipt

// Encryption is the kind of a secret: who encrypts its content.
type Encryption byte

// The kinds. Their numbers are stored, in the secret as well.
const (
	EncryptionServer   Encryption = 1 // the server; the link is BASE/s#KEY
	EncryptionEndToEnd Encryption = 2 // the sender's device; the link is BASE/e#KEYSECRET
)
