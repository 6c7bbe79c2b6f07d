package client

import (
	"errors"
	"time"
)

// Kind is the kind of an Error.
type Kind int

// The kinds of errors.
const (
	// KindFailure: something that has no kind of its own, such as a server error.
	KindFailure Kind = iota
	// KindUsage: the request is wrong and was not sent.
	KindUsage
	// KindLink: the text is no link, or the link is incomplete or wrong.
	KindLink
	// KindGone: the secret was opened, was burned, has expired or never existed.
	// v1 servers also answer so to a wrong passphrase.
	KindGone
	// KindPassphrase: the passphrase is missing or wrong. The secret waits.
	KindPassphrase
	// KindLocked: tries of the passphrase are paused, or used up for good.
	KindLocked
	// KindRefused: the server does not allow it; Message says what.
	KindRefused
	// KindUnauthorized: the token is missing, wrong or too narrow.
	KindUnauthorized
	// KindLimited: too many calls; RetryAfter says how long to wait.
	KindLimited
	// KindNetwork: no answer. Whether the server did it is not known, unless the
	// call says otherwise.
	KindNetwork
	// KindLost: the secret was revealed and its content did not arrive: it is lost.
	KindLost
	// KindAltered: the content fails its checks, or the server says something else
	// of the secret than the link. Nothing that decrypts was sent after that.
	KindAltered
	// KindUnsupported: the protocol cannot do it.
	KindUnsupported
	// KindProtocol: the answer is not one of the protocol. Another server is there
	// than the Client was made for, or something in front of it.
	KindProtocol
	// KindArriving: the file is still arriving. It waits.
	KindArriving
	// KindRestart: what is kept of an upload is not enough to go on with it.
	KindRestart
)

// Error is the error of every call. Message is a sentence for people, without a
// full stop, and holds nothing secret.
type Error struct {
	Kind    Kind
	Message string
	// RetryAfter is how long to wait, for KindLocked and KindLimited.
	RetryAfter time.Duration
	// TriesLeft is how many passphrases may be tried before a pause, for
	// KindPassphrase of a wrong one; -1 where the server does not say.
	TriesLeft int
	// Missing reports whether no passphrase was sent, for KindPassphrase.
	Missing bool
	// ForGood reports whether the lock is permanent, for KindLocked.
	ForGood bool
	// EndToEnd reports whether the server takes no end-to-end encrypted secrets, for
	// KindRefused.
	EndToEnd bool
	// Unsent reports whether a part of the content never left, so that nothing was
	// shared.
	Unsent bool
	// Until is when the server stops keeping the content for the claim that was sent;
	// zero where that is not known.
	Until time.Time
	// Cause is the error below; nil for none.
	Cause error
}

// Error returns the message, and the cause after a colon.
func (e *Error) Error() string {
	if e.Cause != nil {
		return e.Message + ": " + e.Cause.Error()
	}
	return e.Message
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Is reports whether target is an Error of the same kind, so that errors.Is works
// with the sentinels below.
func (e *Error) Is(target error) bool {
	other, ok := target.(*Error)
	return ok && other.Kind == e.Kind
}

// KindOf returns the kind of an error, and KindFailure for errors of others.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return KindFailure
}

// Sentinels for errors.Is. Their texts are never shown.
var (
	ErrUsage        = &Error{Kind: KindUsage, Message: "usage"}
	ErrLink         = &Error{Kind: KindLink, Message: "link"}
	ErrGone         = &Error{Kind: KindGone, Message: "gone"}
	ErrPassphrase   = &Error{Kind: KindPassphrase, Message: "passphrase"}
	ErrLocked       = &Error{Kind: KindLocked, Message: "locked"}
	ErrRefused      = &Error{Kind: KindRefused, Message: "refused"}
	ErrUnauthorized = &Error{Kind: KindUnauthorized, Message: "unauthorized"}
	ErrLimited      = &Error{Kind: KindLimited, Message: "limited"}
	ErrNetwork      = &Error{Kind: KindNetwork, Message: "network"}
	ErrLost         = &Error{Kind: KindLost, Message: "lost"}
	ErrAltered      = &Error{Kind: KindAltered, Message: "altered"}
	ErrUnsupported  = &Error{Kind: KindUnsupported, Message: "unsupported"}
	ErrProtocol     = &Error{Kind: KindProtocol, Message: "protocol"}
	ErrArriving     = &Error{Kind: KindArriving, Message: "arriving"}
	ErrRestart      = &Error{Kind: KindRestart, Message: "restart"}
)

// ErrScheme is the cause of an error where the address of a server begins with the
// wrong one of http:// and https://. Its own text is never shown.
var ErrScheme = errors.New("scheme")
