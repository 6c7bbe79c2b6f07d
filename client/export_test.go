package client

import (
	"crypto/sha256"
	"net/http"
	"time"
	"unicode/utf8"

	"hush/seal/endtoend"
)

// NewHTTP returns what sends the requests of a Client without Options.HTTP.
func NewHTTP() *http.Client { return newHTTP() }

// ClaimsOf lets a test choose how long a claim lasts at most.
func (c *Client) ClaimsOf(last time.Duration) {
	if h, ok := c.backend.(*hushBackend); ok {
		h.claimTime = last
	}
}

// Cheapen lets a test share and open with passphrases that cost nothing. What it shares
// opens only with another cheap client.
func (c *Client) Cheapen() {
	h, ok := c.backend.(*hushBackend)
	if !ok {
		return
	}
	h.derive = func(secret endtoend.LinkSecret, passphrase string) (endtoend.Keys, error) {
		if !utf8.ValidString(passphrase) {
			return endtoend.Keys{}, endtoend.ErrPassphrase
		}
		var p [sha256.Size]byte
		if passphrase != "" {
			p = sha256.Sum256([]byte(passphrase))
		}
		return endtoend.DeriveStretched(secret, p), nil
	}
}

// Hurry lets a test wait less: for the first repeat of a call, for a message of a
// stream or the answer of v1 and v2, and between two polls.
func (c *Client) Hurry(first, silence time.Duration) {
	switch b := c.backend.(type) {
	case *hushBackend:
		b.pace, b.silence = pace{first: first, longest: 20 * first}, silence
	case v1Backend:
		b.hurry(first, silence)
	case v2Backend:
		b.hurry(first, silence)
	}
}

func (l *legacy) hurry(first, silence time.Duration) {
	l.within = silence
	l.pace, l.polls = pace{first: first, longest: 20 * first}, pace{first: first, longest: 20 * first}
}
