package endtoend

import "errors"

// The errors of this package. Their texts never contain input.
var (
	// ErrLinkIncomplete: the link has too few characters, or too many. It was cut,
	// or something was added.
	ErrLinkIncomplete = errors.New("endtoend: the link is not complete")
	// ErrLink: the link has characters that no link has.
	ErrLink = errors.New("endtoend: not an end-to-end link")
	// ErrPassphrase: the passphrase is not text in UTF-8.
	ErrPassphrase = errors.New("endtoend: the passphrase is not valid text")
	// ErrContent: the content does not open with the keys, or was altered.
	ErrContent = errors.New("endtoend: the content was altered, or the link is another one")
	// ErrHeader: the content opened, and its header is not one that a device
	// writes.
	ErrHeader = errors.New("endtoend: the content has a header that this version does not know")
	// ErrSize: the content is longer or shorter than its header says, or its
	// padding has another length or other bytes than zeros.
	ErrSize = errors.New("endtoend: the content has another length than its header says")
)
