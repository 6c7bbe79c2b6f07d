package outbox

import (
	"time"

	"hush/vault/caller"
)

// MailKind is the subject of a mail. The numbers are stored.
type MailKind byte

// The kinds of mail.
const (
	MailShare          MailKind = 1  // a link for a recipient
	MailVerify         MailKind = 2  // confirm the address of a new account
	MailReset          MailKind = 3  // set a new password
	MailAddress        MailKind = 4  // confirm a new address
	MailAddressChanged MailKind = 5  // notifies the old address
	MailOpened         MailKind = 6  // a secret was opened
	MailTaken          MailKind = 7  // a sign-up with an address that has an account
	MailInvite         MailKind = 8  // an invite
	MailSuspended      MailKind = 9  // a domain lost its proof of ownership
	MailAnswered       MailKind = 10 // an answer to a request came
)

// Mail is the content of a mail. Send makes the text and the link.
type Mail struct {
	Kind   MailKind
	To     caller.Text
	Locale string // empty means the default
	// Key is the end of the link: a secret key or the token of a ticket; empty
	// for mails without a link.
	Key caller.Text
	// Domain is the host of the link, or the subject of MailSuspended; empty
	// for the service's own host.
	Domain string
	// Sender is the address of the account that shares; empty if there is none.
	Sender caller.Text
	// Shortkey is the beginning of the secret key, for MailOpened.
	Shortkey      string
	Created       time.Time
	Expires       time.Time // of the link; zero if there is none
	HasPassphrase bool
	// ID is unique and random: 32 characters 0-9 and a-f. It stays the same
	// across attempts.
	ID string
}

// DeliveryState is the state of the mail to a recipient. The numbers are
// stored.
type DeliveryState byte

// The states of a delivery.
const (
	DeliveryNotConfigured DeliveryState = 1 // mail was not configured; only in rows of older releases
	DeliveryQueued        DeliveryState = 2 // waiting for the first or another attempt
	DeliverySent          DeliveryState = 3 // the mail server accepted it
	DeliveryFailed        DeliveryState = 4 // given up
	DeliveryDropped       DeliveryState = 5 // the secret was gone first
	DeliveryUnsupported   DeliveryState = 6 // given up: the mail server takes no such address
)

// Delivery is the state of the mail to one recipient.
type Delivery struct {
	Recipient string // obscured
	State     DeliveryState
	Updated   time.Time
	Attempts  int
}
