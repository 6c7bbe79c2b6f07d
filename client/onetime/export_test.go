package onetime

import (
	"time"

	"hush/client/attempt"
)

// Hurry lets a test wait less: for the first repeat of a call, between two polls, and
// for an answer.
func (l *caller) Hurry(first, within time.Duration) {
	l.within = within
	l.polls = attempt.Pace{First: first, Longest: 20 * first}
	l.repeats.Pace = l.polls
}
