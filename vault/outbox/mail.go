package outbox

import (
	"time"

	"hush/vault/caller"
)

// MailKind says what a mail is about. The numbers are stored.
type MailKind byte

// The kinds of mail.
const (
	MailShare          MailKind = 1 // a link for a recipient
	MailVerify         MailKind = 2 // confirm the address of a new account
	MailReset          MailKind = 3 // set a new password
	MailAddress        MailKind = 4 // confirm a new address
	MailAddressChanged MailKind = 5 // tells the old address
	MailOpened         MailKind = 6 // a secret was opened
	MailTaken          MailKind = 7 // somebody signed up with an address that has an account
	MailInvite         MailKind = 8 // an invite
	MailSuspended      MailKind = 9 // a domain lost its proof of ownership
)

// Mail is what is to be written to somebody. The words and the link are for
// whoever sends it to make.
type Mail struct {
	Kind   MailKind
	To     caller.Text
	Locale string // empty for the default
	// Key is what the link ends in: a secret's key or the token of a ticket;
	// empty for mails without a link.
	Key caller.Text
	// Domain is where the link leads, or what MailSuspended is about; empty for
	// the service's own host.
	Domain string
	// Sender is the address of the account that shares; empty if nobody does.
	Sender caller.Text
	// Shortkey is the beginning of the secret's key, for MailOpened.
	Shortkey      string
	Created       time.Time
	Expires       time.Time // of what the link opens; zero if there is none
	HasPassphrase bool
	// ID is unique and tells nothing: 32 characters 0-9 and a-f. A mail that is
	// tried again keeps it.
	ID string
}

// DeliveryState is where the mail to a recipient stands. The numbers are
// stored.
type DeliveryState byte

// The states of a delivery.
const (
	DeliveryNotConfigured DeliveryState = 1 // no mail is set up
	DeliveryQueued        DeliveryState = 2 // waits, for the first time or after a failure
	DeliverySent          DeliveryState = 3 // the mail server took it
	DeliveryFailed        DeliveryState = 4 // given up
	DeliveryDropped       DeliveryState = 5 // the secret was gone first
)

// Delivery is what became of the mail to one recipient.
type Delivery struct {
	Recipient string // obscured
	State     DeliveryState
	Updated   time.Time
	Attempts  int
}
