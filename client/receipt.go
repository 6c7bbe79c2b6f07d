package client

import (
	"time"
)

// State is what became of a secret.
type State int

// The states.
const (
	// StateUnknown: the server does not say.
	StateUnknown State = iota
	// StateWaiting: the secret waits for its recipient.
	StateWaiting
	// StateOpened: the secret was revealed.
	StateOpened
	// StateBurned: the secret was destroyed unread on request.
	StateBurned
	// StateExpired: the secret was destroyed unread at the end of its lifetime.
	StateExpired
)

// String returns "unknown", "waiting", "opened", "burned" or "expired".
func (s State) String() string {
	switch s {
	case StateWaiting:
		return "waiting"
	case StateOpened:
		return "opened"
	case StateBurned:
		return "burned"
	case StateExpired:
		return "expired"
	default:
		return "unknown"
	}
}

// Delivery is whether the content of an opened secret arrived.
type Delivery int

// The deliveries.
const (
	// DeliveryUnknown: the secret is not opened, or was opened without a claim.
	DeliveryUnknown Delivery = iota
	// DeliveryPending: the reader's device has not confirmed yet.
	DeliveryPending
	// DeliveryConfirmed: the reader's device has the content.
	DeliveryConfirmed
	// DeliveryLapsed: the reader's device did not confirm in time.
	DeliveryLapsed
)

// String returns "unknown", "pending", "delivered" or "lapsed".
func (d Delivery) String() string {
	switch d {
	case DeliveryPending:
		return "pending"
	case DeliveryConfirmed:
		return "delivered"
	case DeliveryLapsed:
		return "lapsed"
	default:
		return "unknown"
	}
}

// Receipt is the sender's view of a secret. Fields that a server does not report
// are zero.
type Receipt struct {
	// Key is the key of the receipt. Anyone who has it can burn the secret.
	Key Text
	// ShortID is the start of Key, eight characters that may be shown.
	ShortID string
	// State is what became of the secret.
	State State
	// Delivery is whether the content arrived.
	Delivery Delivery
	// HasPassphrase reports whether opening needs a passphrase; only meaningful
	// while the secret waits.
	HasPassphrase bool
	// LockedForGood reports whether too many wrong passphrases were tried.
	LockedForGood bool
	// Encryption is who encrypted the content.
	Encryption Encryption
	// Label is the sender's note.
	Label string
	// File says how much of a file has arrived, and how much the recipient has fetched;
	// nil for other secrets.
	File *File
	// Recipients are e-mail addresses, obscured.
	Recipients []string
	// Domain is the custom domain of the link.
	Domain string
	// TTL is the lifetime as granted.
	TTL time.Duration
	// Created, Expires and Ended are when the secret was shared, when it expires or
	// would have, and when it was opened, burned or expired.
	Created, Expires, Ended time.Time
	// Events are the timeline, oldest first.
	Events []Event
	// Mails are the deliveries of mails, in the order of Recipients.
	Mails []Mail
	// Sealed, in a list, is how many receipts stand here that the credential cannot
	// read, since they are older than it or than a new password. All other fields are
	// zero then. It is zero for a receipt.
	Sealed int
}

// IsFinal reports whether nothing of the receipt will change any more.
func (r Receipt) IsFinal() bool {
	return r.State != StateWaiting && r.State != StateUnknown && r.Delivery != DeliveryPending
}

// Event is one entry of a timeline.
type Event struct {
	// Kind is "created", "looked", "passphrase", "revealed", "burned", "expired",
	// "delivered" or "lapsed".
	Kind string
	// Time is when it happened.
	Time time.Time
	// Network is the caller's network, as in 192.0.2.0/24; empty for none.
	Network string
	// Count is how often it happened within a short time.
	Count int
}

// Mail is the state of the mail to one recipient.
type Mail struct {
	// Recipient is the address, obscured.
	Recipient string
	// State is "not configured", "queued", "sent", "failed", "dropped", or "unsupported" if
	// the mail server takes no address with such characters.
	State string
}

// shortSize is how much of a receipt's key may be shown.
const shortSize = 8

// ShortID returns the start of a receipt's key, which may be shown.
func ShortID(key string) string { return Plain(key[:min(shortSize, len(key))]) }
