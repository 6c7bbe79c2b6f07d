package request

import "errors"

// The errors of this package. Their texts never contain input.
var (
	// ErrText: the title or the note is empty, too long, not UTF-8, or has characters
	// that no card has.
	ErrText = errors.New("request: a title or note that no card has")
	// ErrTerms: no card has these kinds, this time or this number of answers.
	ErrTerms = errors.New("request: kinds, time or number of answers that no card has")
	// ErrCard: the card does not open with the link, was altered, or is another one than
	// the link names. Nothing of it may be shown.
	ErrCard = errors.New("request: the request was altered, or the link is another one")
	// ErrVersion: the card opened and is the link's, and has a version or a suite that
	// this version of Hush does not know.
	ErrVersion = errors.New("request: the request has a version that this version does not know")
	// ErrKey: the card's public key is not the collecting device's.
	ErrKey = errors.New("request: the request has the key of another device")
	// ErrName: the name of an answer is too long, or has characters that no name has.
	ErrName = errors.New("request: a name that no answer has")
	// ErrAnswer: the sealed link of an answer does not open: it is another answer's,
	// another request's, or was altered.
	ErrAnswer = errors.New("request: the answer was altered, or belongs to another request")
)
