package onetime

import (
	"context"
	"iter"
	"time"

	"hush/client"
	"hush/client/attempt"
)

// pollPace is how often a server is asked for a receipt, and how seldom it is asked
// after errors.
func pollPace() attempt.Pace { return attempt.Pace{First: 5 * time.Second, Longest: 2 * time.Minute} }

// fetch returns a receipt.
type fetch func(ctx context.Context, key client.Text) (client.Receipt, error)

// poll asks for a receipt until its secret is gone.
func (l *caller) poll(ctx context.Context, key client.Text, fetch fetch) iter.Seq2[client.Receipt, error] {
	return func(yield func(client.Receipt, error) bool) {
		shown, failures := false, 0
		last := client.StateUnknown
		for {
			receipt, err := fetch(ctx, key)
			pause := l.polls.Pause(0, 0)
			switch {
			case err == nil:
				failures = 0
				if (!shown || receipt.State != last) && !yield(receipt, nil) || receipt.State != client.StateWaiting {
					return
				}
				shown, last = true, receipt.State
			case ctx.Err() != nil:
				yield(client.Receipt{}, attempt.Ended(ctx.Err()))
				return
			case !shown || !isPassing(err):
				yield(client.Receipt{}, err)
				return
			default:
				failures++
				pause = l.polls.Pause(failures, retryTime(err))
				l.tell(err, pause)
			}
			if !attempt.Sleep(ctx, pause) {
				yield(client.Receipt{}, attempt.Ended(ctx.Err()))
				return
			}
		}
	}
}

func (l *caller) tell(err error, pause time.Duration) {
	if l.notice != nil {
		l.notice(err, pause)
	}
}

// isPassing reports whether a later call may succeed.
func isPassing(err error) bool {
	switch client.KindOf(err) {
	case client.KindNetwork, client.KindLimited, client.KindFailure, client.KindProtocol:
		return true
	default:
		return false
	}
}

// retryTime returns how long an error says to wait.
func retryTime(err error) time.Duration {
	if e, ok := err.(*client.Error); ok { //nolint:errorlint // the error of a call of this package
		return e.RetryAfter
	}
	return 0
}
