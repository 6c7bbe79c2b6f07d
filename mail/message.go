package mail

import (
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"hush/locale"
)

// Kind is what a message is about.
type Kind string

// The kinds of messages. Each says which fields it needs beside To.
const (
	KindShare          Kind = "share"           // a secret for a recipient: Link
	KindVerify         Kind = "verify"          // confirm the address of a new account: Link
	KindReset          Kind = "reset"           // choose a new password: Link
	KindAddress        Kind = "address"         // confirm a new address: Link
	KindAddressChanged Kind = "address_changed" // notice to the old address
	KindOpened         Kind = "opened"          // notice that a secret was opened: Shortkey, When
	KindTaken          Kind = "taken"           // somebody tried to sign up with an address that has an account
	KindInvite         Kind = "invite"          // open an account: Link
	KindSuspended      Kind = "suspended"       // a domain failed its checks for seven days: Domain
)

// Kinds returns all kinds. The slice is the caller's.
func Kinds() []Kind {
	return []Kind{
		KindShare, KindVerify, KindReset, KindAddress, KindAddressChanged,
		KindOpened, KindTaken, KindInvite, KindSuspended,
	}
}

// Message is what a message says and to whom. No field may hold a character
// that does not print.
type Message struct {
	Kind   Kind
	Locale locale.Locale // English stands in for an unknown one
	// To is one address as it stands in an envelope, without a name.
	To string
	// ReplyTo is where answers to KindShare go, in the form of To. It may be
	// empty.
	ReplyTo string
	// Link is an http or https address. Kinds that do not need it show it where
	// it is given.
	Link string
	// Sender is who shares or invites, as the recipient sees it. If it is empty
	// the name of the instance stands in.
	Sender string
	// Shortkey is how the sender of a secret recognises it.
	Shortkey string
	Domain   string
	// When is the date of the message, and when the secret was opened. The zero
	// time leaves the date to the moment of sending.
	When time.Time
	// Expires is when Link stops working; the zero time says nothing about it.
	Expires time.Time
	// HasPassphrase tells the recipient of KindShare to expect one.
	HasPassphrase bool
	// ID is the part of the Message-ID before the @: 1 to 128 letters, digits,
	// dots, hyphens and underscores. A message that is tried again keeps it. If
	// it is empty one is drawn.
	ID string
}

// The most bytes of the fields.
const (
	maxAddress = 254
	maxText    = 320
	maxLink    = 2048
	maxID      = 128
)

// check returns an error that names the first field that is not valid.
func (m Message) check() error {
	plan, known := plans[m.Kind]
	switch {
	case !known:
		return invalid("Kind")
	case !isAddress(m.To):
		return invalid("To")
	case m.ReplyTo != "" && !isAddress(m.ReplyTo):
		return invalid("ReplyTo")
	case !plan.takesLink(m.Link):
		return invalid("Link")
	case !isText(m.Sender):
		return invalid("Sender")
	case !isText(m.Shortkey) || plan.shortkey && m.Shortkey == "":
		return invalid("Shortkey")
	case !isText(m.Domain) || plan.domain && m.Domain == "":
		return invalid("Domain")
	case plan.when && m.When.IsZero():
		return invalid("When")
	case m.ID != "" && !isID(m.ID):
		return invalid("ID")
	default:
		return nil
	}
}

func (p plan) takesLink(link string) bool {
	if link == "" {
		return !p.link
	}
	return isLink(link)
}

// isText tells whether text is short and prints. Characters that only change
// the look of others, such as those of direction, do not print.
func isText(text string) bool {
	if len(text) > maxText || !utf8.ValidString(text) {
		return false
	}
	return !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
}

// isLink lets only printable ASCII pass, so that a link ends where it seems to
// end.
func isLink(link string) bool {
	if len(link) > maxLink || strings.ContainsFunc(link, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return false
	}
	if strings.ContainsAny(link, `<>"`) {
		return false
	}
	u, err := url.Parse(link)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil
}

func isID(id string) bool {
	const characters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_"
	return len(id) <= maxID && strings.Trim(id, characters) == "" && !strings.Contains(id, "..") &&
		!strings.HasPrefix(id, ".") && !strings.HasSuffix(id, ".")
}
