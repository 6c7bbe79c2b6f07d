package onetime

import (
	"time"

	"hush/client/attempt"
)

// Hurry lets a test wait less: for the first repeat of a call, between two polls, and
// for an answer.
func (c *caller) Hurry(first, within time.Duration) {
	c.within = within
	c.polls = attempt.Pace{First: first, Longest: 20 * first}
	c.repeats.Pace = c.polls
}
