package mail

import (
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"hush/locale"
)

// Kind is the subject of a message.
type Kind string

// The kinds of messages, with the fields that each needs besides To.
const (
	KindShare          Kind = "share"           // a secret for a recipient: Link
	KindVerify         Kind = "verify"          // confirm the address of a new account: Link
	KindReset          Kind = "reset"           // choose a new password: Link
	KindAddress        Kind = "address"         // confirm a new address: Link
	KindAddressChanged Kind = "address_changed" // notice to the old address
	KindOpened         Kind = "opened"          // notice that a secret was opened: Shortkey, When
	KindTaken          Kind = "taken"           // a sign-up with an address that has an account
	KindInvite         Kind = "invite"          // open an account: Link
	KindSuspended      Kind = "suspended"       // a domain failed its checks for seven days: Domain
	KindAnswered       Kind = "answered"        // an answer to a request came: When
)

// Kinds returns all kinds. The caller owns the slice.
func Kinds() []Kind {
	return []Kind{
		KindShare, KindVerify, KindReset, KindAddress, KindAddressChanged,
		KindOpened, KindTaken, KindInvite, KindSuspended, KindAnswered,
	}
}

// Message is a message and its recipient. No field may contain an unprintable
// character.
type Message struct {
	Kind   Kind
	Locale locale.Locale // an unknown one means English
	// To is one address in its envelope form, without a name.
	To string
	// ReplyTo is the address for replies to KindShare, in the form of To. It
	// may be empty.
	ReplyTo string
	// Link is an http or https URL. Kinds that do not need it show it if it is
	// set.
	Link string
	// Sender is the person who shares or invites, as shown to the recipient. If
	// it is empty, the name of the instance is used.
	Sender string
	// Shortkey is how the sender of a secret recognizes it.
	Shortkey string
	Domain   string
	// When is the date of the message, and when the secret was opened. If it is
	// zero, the date is the time of sending.
	When time.Time
	// Expires is when Link expires; zero leaves it out.
	Expires time.Time
	// HasPassphrase tells the recipient of KindShare to expect one.
	HasPassphrase bool
	// ID is the part of the Message-ID before the @: 1 to 128 letters, digits,
	// dots, hyphens and underscores. It stays the same when a message is sent
	// again. If it is empty, a random one is used.
	ID string
}

// The maximum bytes of the fields.
const (
	maxAddress = 254
	maxText    = 320
	maxLink    = 2048
	maxID      = 128
)

// check returns an error that names the first invalid field.
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

// isText reports whether text is short and printable. Characters that only
// change the look of others, such as those of direction, are not printable.
func isText(text string) bool {
	if len(text) > maxText || !utf8.ValidString(text) {
		return false
	}
	return !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
}

// isLink reports whether link is a URL of printable ASCII only, so that it ends
// where it seems to end.
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
