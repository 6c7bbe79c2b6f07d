package client

import (
	"crypto/sha256"
	"errors"
	"net/url"

	"hush/seal"
	"hush/seal/endtoend"
)

// RequestLink is the link of a request: it is for everyone who may answer. It prints as
// [redacted] except for its server.
type RequestLink struct {
	// Server is the base URL of the link, without a slash at the end.
	Server string
	// Key is the key of the request: all of the link that a server is told.
	Key Text

	// whole is the link with its secret, which is the hash of the card.
	whole seal.Hidden[endtoend.Link]
}

// CollectLink is the link with which the answers to a request are read. It is for the
// requester's devices alone. It prints as [redacted] except for its server.
type CollectLink struct {
	// Server is as in RequestLink.
	Server string
	// Key is the collect key: all of the link that a server is told.
	Key Text

	// whole is the link with its secret, from which the keys of the answers follow.
	whole seal.Hidden[endtoend.Link]
}

// The pages of the two links.
const (
	requestPage = "/q"
	collectPage = "/c"
)

// ParseRequestLink parses the link of a request as people paste it: see ParseLink. It
// returns ErrLink with what is wrong.
func ParseRequestLink(text string) (RequestLink, error) {
	server, parsed, err := parseDeviceLink(text, requestPage, "of a request")
	if err != nil {
		return RequestLink{}, err
	}
	return NewRequestLink(server, parsed), nil
}

// ParseCollectLink parses the collect link of a request as people paste it: see ParseLink.
// It returns ErrLink with what is wrong.
func ParseCollectLink(text string) (CollectLink, error) {
	server, parsed, err := parseDeviceLink(text, collectPage, "with which answers are collected")
	if err != nil {
		return CollectLink{}, err
	}
	return NewCollectLink(server, parsed), nil
}

// IsCollectLink reports whether a text is a collect link, whole or not.
func IsCollectLink(text string) bool {
	u, _, err := parsePasted(text)
	if err != nil {
		return false
	}
	_, ok := baseOf(u, collectPage)
	return ok
}

// parseDeviceLink parses a link to a page whose fragment has a secret that only devices
// have. what says which link it is.
func parseDeviceLink(text, page, what string) (server string, parsed endtoend.Link, err error) {
	u, _, err := parsePasted(text)
	if err != nil {
		return "", endtoend.Link{}, err
	}
	server, ok := baseOf(u, page)
	if !ok {
		if err := otherLink(text); err != nil {
			return "", endtoend.Link{}, err
		}
		return "", endtoend.Link{}, wrongLink("this is not the link " + what)
	}
	parsed, err = parseFragment(u.Fragment)
	return server, parsed, err
}

// parseFragment parses the fragment of a link that has a secret in it.
func parseFragment(fragment string) (endtoend.Link, error) {
	parsed, err := endtoend.ParseLink(fragment)
	switch {
	case errors.Is(err, endtoend.ErrLink) || fragmentStrange.MatchString(fragment):
		return endtoend.Link{}, errChanged()
	case err != nil:
		return endtoend.Link{}, errIncomplete()
	}
	return parsed, nil
}

// isOfRequest reports whether a URL is one of the two links of a request.
func isOfRequest(u *url.URL) bool {
	_, request := baseOf(u, requestPage)
	_, collect := baseOf(u, collectPage)
	return request || collect
}

// otherLink returns an error that says which link of Hush a text is, and what takes it;
// nil for none.
func otherLink(text string) error {
	u, _, err := parsePasted(text)
	if err != nil {
		return nil //nolint:nilerr // what is no link is none of these
	}
	for _, known := range []struct{ page, what string }{
		{requestPage, "this is the link of a request: \"hush answer\" answers it"},
		{collectPage, "this is the collect link of a request: \"hush collect\" reads its answers"},
		{"/e", "this is the link of a secret: \"hush open\" opens it"},
		{"/s", "this is the link of a secret: \"hush open\" opens it"},
		{"/r", "this is the link of a receipt: \"hush receipt\" shows it"},
	} {
		if _, ok := baseOf(u, known.page); ok {
			return wrongLink(known.what)
		}
	}
	return nil
}

// NewRequestLink returns the link at a server whose fragment is parsed.
func NewRequestLink(server string, parsed endtoend.Link) RequestLink {
	return RequestLink{Server: server, Key: Hide(parsed.Key.Expose()), whole: seal.Hide(parsed)}
}

// NewCollectLink returns the link at a server whose fragment is parsed.
func NewCollectLink(server string, parsed endtoend.Link) CollectLink {
	return CollectLink{Server: server, Key: Hide(parsed.Key.Expose()), whole: seal.Hide(parsed)}
}

// LinkSecret returns the secret R of the link, for the code that derives keys from it. It
// must not be called for the zero RequestLink.
func (l RequestLink) LinkSecret() endtoend.LinkSecret { return l.whole().Secret }

// LinkSecret returns the secret C of the link, for the code that derives keys from it. It
// must not be called for the zero CollectLink.
func (l CollectLink) LinkSecret() endtoend.LinkSecret { return l.whole().Secret }

// Expose returns the link, for the code that shows it to the requester. The zero
// RequestLink is empty.
func (l RequestLink) Expose() string { return exposed(l.Server, requestPage, l.whole) }

// Expose returns the link, for the code that shows it to the requester. The zero
// CollectLink is empty.
func (l CollectLink) Expose() string { return exposed(l.Server, collectPage, l.whole) }

func exposed(server, page string, whole seal.Hidden[endtoend.Link]) string {
	if whole == nil {
		return ""
	}
	return server + page + "#" + whole().Expose()
}

// Fingerprint returns 32 bytes that name the request and reveal neither its key nor its
// secret.
func (l RequestLink) Fingerprint() [sha256.Size]byte { return fingerprint(l.Server, l.Key) }

// Fingerprint returns 32 bytes that name the request and reveal neither its collect key nor
// its secret. They are others than those of its RequestLink.
func (l CollectLink) Fingerprint() [sha256.Size]byte { return fingerprint(l.Server, l.Key) }

// AnswerLink returns the link of an answer to a request: as that of an end-to-end secret,
// and with it what the server asks for besides, which only the requester's device has.
func AnswerLink(server string, parsed endtoend.Link, collect endtoend.Proof) Link {
	link := EndToEndLink(server, parsed)
	link.collectProof = seal.Hide(collect)
	return link
}

// CollectProof returns what opens the answer of AnswerLink besides its own proofs; nil for
// other links.
func (l Link) CollectProof() []byte {
	if l.collectProof == nil {
		return nil
	}
	proof := l.collectProof()
	return proof[:]
}
