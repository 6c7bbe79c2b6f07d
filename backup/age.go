package backup

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"filippo.io/age"
)

// ageMagic is how an encrypted backup begins.
const ageMagic = "age-encryption.org/"

var (
	// ErrEncrypted reports that a backup needs an identity.
	ErrEncrypted = errors.New("the backup is encrypted: name the file of an identity that opens it with --identity")
	// ErrWrongIdentity reports that no identity opens a backup.
	ErrWrongIdentity = errors.New("no identity in the file of --identity opens the backup")
)

// Recipients returns who the lines of a text name as recipients: age1... each.
// Empty lines and those that begin with # do not count.
func Recipients(text string) ([]age.Recipient, error) {
	list, err := age.ParseRecipients(strings.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("recipients are lines that begin with age1: %w", err)
	}
	return list, nil
}

// Identities returns the identities in the lines of a file.
func Identities(file io.Reader) ([]age.Identity, error) {
	list, err := age.ParseIdentities(file)
	if err != nil {
		// Its text may have a part of the key.
		return nil, errors.New("the file has no identity of age: a line that begins with AGE-SECRET-KEY-")
	}
	return list, nil
}

// NewIdentity returns the text of a file with a new identity, and its recipient.
func NewIdentity() (file []byte, recipient string, err error) {
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		return nil, "", err
	}
	recipient = identity.Recipient().String()
	return fmt.Appendf(nil, "# recipient: %s\n%s\n", recipient, identity), recipient, nil
}

// Encrypt returns a writer of which only the recipients can read what is written
// to to. The caller closes it; what was not closed is damaged. Without recipients
// nothing is encrypted.
func Encrypt(to io.Writer, recipients []age.Recipient) (io.WriteCloser, error) {
	if len(recipients) == 0 {
		return plainly{to}, nil
	}
	return age.Encrypt(to, recipients...)
}

type plainly struct{ io.Writer }

// Close does nothing.
func (plainly) Close() error { return nil }

// Open begins to read a backup that is plain, or that one of the identities
// opens. Beside the errors of Read it returns ErrEncrypted and ErrWrongIdentity.
func Open(from io.Reader, identities []age.Identity) (*Reader, error) {
	in := bufio.NewReaderSize(from, buffered)
	start, err := in.Peek(len(ageMagic))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if string(start) != ageMagic {
		return Read(in)
	}
	if len(identities) == 0 {
		return nil, ErrEncrypted
	}
	plain, err := age.Decrypt(in, identities...)
	if _, none := errors.AsType[*age.NoIdentityMatchError](err); none {
		return nil, ErrWrongIdentity
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return Read(opened{plain})
}

// opened marks what is wrong with encrypted bytes as damage.
type opened struct{ io.Reader }

// Read reads what was encrypted.
func (o opened) Read(b []byte) (int, error) {
	n, err := o.Reader.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return n, err
}
