package refusal

import (
	"errors"
	"fmt"
	"time"
	"unicode"
	"unicode/utf8"

	"hush/storage"
)

// The errors of this package. Each transport maps them in one table; any other
// error is internal and its text is nobody's business but the operator's.
var (
	// ErrNotFound: never existed, received, burned or expired. Which of them is
	// not told.
	ErrNotFound = errors.New("not found")
	// ErrUnauthenticated: the operation needs an account and the caller is none.
	ErrUnauthenticated = errors.New("not authorized")
	// ErrInvalid: an argument is outside its limits; see InvalidError.
	ErrInvalid = errors.New("invalid argument")
	// ErrTooLarge: a value is longer than this caller may send; see
	// TooLargeError.
	ErrTooLarge = errors.New("too large")
	// ErrPassphrase: missing or wrong, nothing was consumed; see
	// PassphraseError.
	ErrPassphrase = errors.New("wrong passphrase")
	// ErrLocked: too many wrong passphrases, nothing was consumed; see
	// LockedError.
	ErrLocked = errors.New("locked")
	// ErrQuota: the bytes that may be kept are used up.
	ErrQuota = errors.New("storage quota used up")
	// ErrAccountRequired: sending to recipients needs an account.
	ErrAccountRequired = errors.New("an account is required to send emails")
	// ErrDomainNotFound: the caller has no such domain; see DomainError.
	ErrDomainNotFound = errors.New("domain not found")
	// ErrScope: the API token is not good for that.
	ErrScope = errors.New("the API token lacks the scope")
	// ErrCredentials: the address or password is wrong.
	ErrCredentials = errors.New("wrong address or password")
	// ErrPolicy: the operator does not allow it; see PolicyError.
	ErrPolicy = errors.New("not allowed here")
	// ErrMaintenance: nothing may be created just now; see MaintenanceError.
	ErrMaintenance = errors.New("maintenance")
	// ErrAddressTaken: an account has the address already. Told only where
	// addresses are not confirmed by mail.
	ErrAddressTaken = errors.New("the address is taken")
	// ErrTicket: a mailed link or an invite was used, is too old, or never was.
	ErrTicket = errors.New("the link was used or is too old")
	// ErrDuplicate: there is one of that name already.
	ErrDuplicate = errors.New("there is one of that name already")
	// ErrTooMany: there are too many of the kind; see TooManyError.
	ErrTooMany = errors.New("too many")
	// ErrChallenge: a solved challenge is missing, wrong, too old or used; see
	// ChallengeError.
	ErrChallenge = errors.New("challenge not solved")
	// ErrNotConfigured: the operator has not set up what this needs.
	ErrNotConfigured = errors.New("not set up here")
	// ErrDomainSuspended: the secret's domain lost its proof of ownership.
	// Nothing was consumed.
	ErrDomainSuspended = errors.New("the domain of this secret is suspended")
	// ErrUndeliverable: a mail cannot be delivered, now or later.
	ErrUndeliverable = errors.New("undeliverable")
	// ErrBusy: too much work of the slow kind waits already. Try again.
	ErrBusy = errors.New("busy")
	// ErrUnavailable says that the store cannot keep its promises just now. After it
	// nobody was shown anything.
	ErrUnavailable = errors.New("unavailable")
)

// Unavailable marks errors of the store that are nobody's fault above.
func Unavailable(err error) error {
	for _, cause := range []error{storage.ErrFull, storage.ErrUnknownOutcome, storage.ErrClosed} {
		if errors.Is(err, cause) {
			return errors.Join(ErrUnavailable, err)
		}
	}
	return err
}

// InvalidError says which argument is wrong and how. It is ErrInvalid. A text
// that begins with a capital stands for itself; any other goes on from the
// field's name.
type InvalidError struct {
	Field string
	Text  string
}

func (e *InvalidError) Error() string {
	if first, _ := utf8.DecodeRuneInString(e.Text); unicode.IsUpper(first) {
		return e.Text
	}
	return e.Field + " " + e.Text
}
func (e *InvalidError) Is(target error) bool { return target == ErrInvalid }

// TooLargeError names the most bytes that Field may have. It is ErrTooLarge.
type TooLargeError struct {
	Field string
	Limit int64
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s is longer than %d bytes", e.Field, e.Limit)
}
func (e *TooLargeError) Is(target error) bool { return target == ErrTooLarge }

// PassphraseError says how many tries the caller has left before the next
// pause, and how long the pause is if it begins now. Without either, all tries
// of the secret are used up. A missing passphrase is not a try. It is
// ErrPassphrase.
type PassphraseError struct {
	Missing    bool
	TriesLeft  int
	RetryAfter time.Duration
}

func (e *PassphraseError) Error() string {
	if e.Missing {
		return "passphrase is missing"
	}
	switch {
	case e.TriesLeft == 1:
		return "wrong passphrase, 1 try before a pause"
	case e.TriesLeft > 0:
		return fmt.Sprintf("wrong passphrase, %d tries before a pause", e.TriesLeft)
	case e.RetryAfter > 0:
		return fmt.Sprintf("wrong passphrase, wait %v before the next try", e.RetryAfter)
	default:
		return "wrong passphrase, and no tries are left"
	}
}
func (e *PassphraseError) Is(target error) bool { return target == ErrPassphrase }

// LockedError says when to try again, or that nobody can: for good means that
// all tries of a secret are used up. It is ErrLocked.
type LockedError struct {
	RetryAfter time.Duration
	ForGood    bool
}

func (e *LockedError) Error() string        { return "too many wrong tries" }
func (e *LockedError) Is(target error) bool { return target == ErrLocked }

// DomainError names the domain as the caller gave it. It is ErrDomainNotFound,
// and its text is the one that legacy clients show.
type DomainError struct {
	Domain string
	// Field is the argument that named it; empty for domain.
	Field string
}

func (e *DomainError) Error() string        { return "Domain not found " + e.Domain }
func (e *DomainError) Is(target error) bool { return target == ErrDomainNotFound }

// TooManyError names the most that there may be. It is ErrTooMany.
type TooManyError struct {
	What  string
	Limit int
}

func (e *TooManyError) Error() string {
	return fmt.Sprintf("there may be at most %d %s", e.Limit, e.What)
}
func (e *TooManyError) Is(target error) bool { return target == ErrTooMany }

// ChallengeError says what is wrong with a solution. It is ErrChallenge.
type ChallengeError struct{ Text string }

func (e *ChallengeError) Error() string        { return e.Text }
func (e *ChallengeError) Is(target error) bool { return target == ErrChallenge }

// Plural fills a number into a text that ends in a word in the singular.
func Plural(format string, n int) string {
	if n == 1 {
		return fmt.Sprintf(format, n)
	}
	return fmt.Sprintf(format, n) + "s"
}
