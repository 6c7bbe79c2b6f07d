package client

import (
	"time"

	"hush/seal/endtoend"
)

// Encryption is who encrypts the content of a secret.
type Encryption int

// The kinds of encryption.
const (
	// EncryptionDefault is end to end for Hush, and the server for v1 and v2, which
	// have no other.
	EncryptionDefault Encryption = iota
	// EncryptionServer: the server encrypts, and sees the text and the passphrase.
	EncryptionServer
	// EncryptionEndToEnd: the sender's device encrypts.
	EncryptionEndToEnd
)

// String returns "server" or "end-to-end", and "default" for EncryptionDefault.
func (e Encryption) String() string {
	switch e {
	case EncryptionServer:
		return "server"
	case EncryptionEndToEnd:
		return "end-to-end"
	default:
		return "default"
	}
}

// Content is what a secret holds. It prints as [redacted].
type Content struct {
	// FileName is the name of a file, without a folder; empty for a text.
	FileName string
	// IsFile reports whether the content is a file. Only an end-to-end encrypted
	// secret can say so.
	IsFile bool
	// Bytes are the text or the file. They belong to the Content.
	Bytes []byte
}

// Generate asks for a random text instead of a content.
type Generate struct {
	// Length is the number of characters, 4 to 128; zero means 20.
	Length int
	// Lower, Upper, Digits and Symbols choose the characters; at least one of each
	// chosen set occurs. Without any it is all but symbols.
	Lower, Upper, Digits, Symbols bool
	// Unambiguous leaves out characters that look alike: 0 O o 1 I i l L |.
	Unambiguous bool
}

// ShareRequest is what Share needs. Exactly one of Content and Generate is set.
type ShareRequest struct {
	Content  *Content
	Generate *Generate
	// TTL is the lifetime; zero is the server's default. Servers lower one that is
	// longer than they allow: compare Receipt.TTL.
	TTL time.Duration
	// Passphrase is what the recipient needs besides the link; empty for none.
	Passphrase Text
	// Recipients are e-mail addresses that the server mails the link to. They need
	// an account and EncryptionServer.
	Recipients []string
	// Domain is a custom domain of the account, for the link; empty for the
	// server's own host.
	Domain string
	// Label is the sender's note for the receipt; v1 and v2 do not keep it.
	Label string
	// Encryption is who encrypts.
	Encryption Encryption
	// Group is 16 random bytes that the secrets of one group have in common; nil for
	// none. Hush only.
	Group []byte
}

// Shared is a secret that waits.
type Shared struct {
	// Link is for the recipient. A Hush server says where its links lead, which may be
	// another host than its own: compare Link.Server with that of the Client.
	Link Link
	// ReceiptLink is for the sender.
	ReceiptLink ReceiptLink
	// Receipt describes the secret, with the lifetime as granted.
	Receipt Receipt
	// Value is the generated text; empty if a content was shared.
	Value Text
}

// Secret describes a waiting secret.
type Secret struct {
	// Known is false where the server cannot describe a secret without revealing it.
	Known bool
	// HasPassphrase reports whether opening it needs a passphrase.
	HasPassphrase bool
	// Encryption is who encrypted it.
	Encryption Encryption
	// Expires is when it is destroyed unread; zero where the server does not say.
	Expires time.Time
	// File says how far it is if it is a file that Files fetches; nil for other secrets.
	File *File
	// Preview is what the sender shows of such a file; nil for none.
	Preview *Preview
}

// Opened is a secret that was revealed.
type Opened struct {
	// Content is what it held.
	Content Content
	// Incomplete reports that the content is not all that was shared: a v1 or v2
	// server cut it when it was shared, or cannot return all of its bytes. It is
	// gone from the server like any other.
	Incomplete bool
	// Claimed reports whether the server keeps the content until Acknowledge.
	Claimed bool
	// ClaimLeft is how long it does.
	ClaimLeft time.Duration
}

// Policy is what a server allows.
type Policy struct {
	// Name is the name of the instance; empty where the server does not say.
	Name string
	// BaseURL is the base URL of links.
	BaseURL string
	// DefaultTTL and MaxTTL are lifetimes for this caller; zero where unknown.
	DefaultTTL, MaxTTL time.Duration
	// MaxContent is the longest content for this caller in bytes; zero where
	// unknown.
	MaxContent int64
	// MaxSealed is the longest end-to-end encrypted content, as it is encrypted.
	MaxSealed int64
	// MaxFile is the longest file for this caller in bytes, in parts; zero where the
	// server takes none.
	MaxFile int64
	// PassphraseRequired and PassphraseMin are the rules for passphrases.
	PassphraseRequired bool
	PassphraseMin      int
	// EndToEnd and Server report which kinds may be created.
	EndToEnd, Server bool
	// AnonymousShare reports whether callers without an account may share.
	AnonymousShare bool
	// Mail reports whether the server mails links to recipients.
	Mail bool
	// Maintenance is the operator's message while no secrets can be created.
	Maintenance string
}

// TakesWhole reports whether a server takes a file in one message, with Share.
func (p Policy) TakesWhole(fileName string, size int64) bool {
	sealed, err := endtoend.SealedSize(endtoend.Header{Kind: endtoend.KindFile, FileName: fileName, Size: uint64(size)})
	return err != nil || size <= p.MaxContent && sealed <= p.MaxSealed
}

// Account is the account of a token.
type Account struct {
	// Address is its e-mail address.
	Address string
}
