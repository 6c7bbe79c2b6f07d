package client

import (
	"net/http"
	"time"
)

// NewHTTP returns what sends the requests of a Client without Options.HTTP.
func NewHTTP() *http.Client { return newHTTP() }

// ClaimsOf lets a test choose how long a claim lasts at most.
func (c *Client) ClaimsOf(last time.Duration) {
	if h, ok := c.backend.(*hushBackend); ok {
		h.claimTime = last
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
