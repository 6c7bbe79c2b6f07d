package client

import "time"

// Hurry lets a test wait less: for the first repeat of a call, and for a message of
// a stream.
func (c *Client) Hurry(first, silence time.Duration) {
	if h, ok := c.backend.(*hushBackend); ok {
		h.pace, h.silence = pace{first: first, longest: 20 * first}, silence
	}
}
