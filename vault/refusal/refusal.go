package refusal

import (
	"errors"
	"fmt"
	"time"
	"unicode"
	"unicode/utf8"

	"hush/storage"
)

// The errors of this package. Each transport maps them in one table. Any other
// error is internal, and only the operator sees its text.
var (
	// ErrNotFound: never existed, received, burned or expired. The caller does
	// not learn which.
	ErrNotFound = errors.New("not found")
	// ErrUnauthenticated: the operation needs an account, and the caller has
	// none.
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
	// ErrLink: the secret part of an end-to-end encrypted secret's link is wrong.
	// Nothing was consumed, and no try was counted.
	ErrLink = errors.New("the secret part of the link is wrong")
	// ErrEncryption: the proofs are missing, or the secret has none. Nothing was
	// consumed; see EncryptionError.
	ErrEncryption = errors.New("other encryption")
	// ErrVersion: the secret is a file, which the caller does not open as one. Nothing was
	// consumed.
	ErrVersion = errors.New("this is a file in parts: open its link in a browser, or with a newer hush client")
	// ErrArriving: parts of the file are missing. Nothing was consumed.
	ErrArriving = errors.New("the file is still arriving: try again when its sender has finished")
	// ErrUploadToken: the upload token is wrong.
	ErrUploadToken = errors.New("the upload token is wrong")
	// ErrPartDiffers: the part has arrived with other bytes.
	ErrPartDiffers = errors.New("the part has arrived with other bytes: restart the upload")
	// ErrNoFiles: the service takes no files.
	ErrNoFiles = errors.New("files are not taken here")
	// ErrQuota: the storage quota is used up.
	ErrQuota = errors.New("storage quota used up")
	// ErrAccountRequired: sending to recipients needs an account.
	ErrAccountRequired = errors.New("an account is required to send emails")
	// ErrDomainNotFound: the caller has no such domain; see DomainError.
	ErrDomainNotFound = errors.New("domain not found")
	// ErrScope: the API token lacks the scope.
	ErrScope = errors.New("the API token lacks the scope")
	// ErrCredentials: the address or password is wrong.
	ErrCredentials = errors.New("wrong address or password")
	// ErrPolicy: the operator does not allow it; see PolicyError.
	ErrPolicy = errors.New("not allowed here")
	// ErrMaintenance: nothing may be created at present; see MaintenanceError.
	ErrMaintenance = errors.New("maintenance")
	// ErrAddressTaken: another account has the address. Only reported where
	// addresses are not confirmed by mail.
	ErrAddressTaken = errors.New("the address is taken")
	// ErrTicket: a mailed link or an invite was used, is too old, or never
	// existed.
	ErrTicket = errors.New("the link was used or is too old")
	// ErrRequestEnded: the request takes no more answers.
	ErrRequestEnded = errors.New("the request takes no more answers: it is over, or as many came as were asked for")
	// ErrDuplicate: the name is already in use.
	ErrDuplicate = errors.New("there is one of that name already")
	// ErrTooMany: the maximum number is reached; see TooManyError.
	ErrTooMany = errors.New("too many")
	// ErrChallenge: a solved challenge is missing, wrong, too old or used; see
	// ChallengeError.
	ErrChallenge = errors.New("challenge not solved")
	// ErrNotConfigured: the operator has not configured what this needs.
	ErrNotConfigured = errors.New("not set up here")
	// ErrNoMail: a secret has recipients, and the operator has not configured mail.
	ErrNoMail = errors.New("the server sends no mail: leave out the recipients, and pass the link on yourself")
	// ErrDomainSuspended: the secret's domain lost its proof of ownership.
	// Nothing was consumed.
	ErrDomainSuspended = errors.New("the domain of this secret is suspended")
	// ErrUndeliverable: a mail cannot be delivered, now or later.
	ErrUndeliverable = errors.New("undeliverable")
	// ErrUnsupportedAddress: a mail cannot be delivered, since the mail server takes no
	// address with a local part outside ASCII. It comes with ErrUndeliverable.
	ErrUnsupportedAddress = errors.New("the mail server takes no such address")
	// ErrDiskFull: the disk has no room for what is new. Nothing was stored, for sure.
	ErrDiskFull = errors.New("the disk of the service is full: nothing was stored")
	// ErrBusy: too much slow work is waiting. Try again.
	ErrBusy = errors.New("busy")
	// ErrUnavailable: the store cannot keep its promises at present. The caller
	// was shown nothing.
	ErrUnavailable = errors.New("unavailable")
)

// Unavailable marks an error of the store as ErrUnavailable.
func Unavailable(err error) error {
	for _, cause := range []error{storage.ErrFull, storage.ErrUnknownOutcome, storage.ErrUnavailable, storage.ErrClosed} {
		if errors.Is(err, cause) {
			return errors.Join(ErrUnavailable, err)
		}
	}
	return err
}

// NothingStored marks an error of something that would have been new as ErrDiskFull, if
// it says that the disk is full and that nothing was stored.
func NothingStored(err error) error {
	if errors.Is(err, storage.ErrFull) && !errors.Is(err, storage.ErrUnknownOutcome) {
		return errors.Join(ErrDiskFull, err)
	}
	return err
}

// InvalidError names the wrong argument and what is wrong with it. It is
// ErrInvalid. A text that begins with a capital stands alone; any other follows
// the field's name.
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

// TooLargeError has the maximum bytes of Field. It is ErrTooLarge.
type TooLargeError struct {
	Field string
	Limit int64
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s is longer than %d bytes", e.Field, e.Limit)
}
func (e *TooLargeError) Is(target error) bool { return target == ErrTooLarge }

// PassphraseError has the number of tries left before the next pause, and the
// length of the pause if one begins now. If both are zero, all tries of the
// secret are used up. A missing passphrase does not count as a try. It is
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

// LockedError says when to try again. ForGood means never: all tries of the
// secret are used up. It is ErrLocked.
type LockedError struct {
	RetryAfter time.Duration
	ForGood    bool
}

func (e *LockedError) Error() string        { return "too many wrong tries" }
func (e *LockedError) Is(target error) bool { return target == ErrLocked }

// EncryptionError says how the secret is encrypted that the caller cannot open as
// it tried. It is ErrEncryption.
type EncryptionError struct{ EndToEnd bool }

func (e *EncryptionError) Error() string {
	if e.EndToEnd {
		return "This secret is end-to-end encrypted. Open its link in a browser or with the hush client."
	}
	return "This secret is encrypted on the server. It takes no proofs."
}
func (e *EncryptionError) Is(target error) bool { return target == ErrEncryption }

// DomainError has the domain as the caller gave it. It is ErrDomainNotFound,
// and legacy clients show its text.
type DomainError struct {
	Domain string
	// Field is the argument that names the domain; empty means domain.
	Field string
}

func (e *DomainError) Error() string        { return "Domain not found " + e.Domain }
func (e *DomainError) Is(target error) bool { return target == ErrDomainNotFound }

// TooManyError has the maximum number. It is ErrTooMany.
type TooManyError struct {
	What  string
	Limit int
}

func (e *TooManyError) Error() string {
	return fmt.Sprintf("there may be at most %d %s", e.Limit, e.What)
}
func (e *TooManyError) Is(target error) bool { return target == ErrTooMany }

// ChallengeError describes what is wrong with a solution. It is ErrChallenge.
type ChallengeError struct{ Text string }

func (e *ChallengeError) Error() string        { return e.Text }
func (e *ChallengeError) Is(target error) bool { return target == ErrChallenge }

// Plural inserts a number into a text that ends in a singular noun.
func Plural(format string, n int) string {
	if n == 1 {
		return fmt.Sprintf(format, n)
	}
	return fmt.Sprintf(format, n) + "s"
}
