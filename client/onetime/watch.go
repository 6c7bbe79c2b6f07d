package onetime

import (
	"context"
	"errors"
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

// poll asks for a receipt until its secret is gone. After an error that may pass it asks
// again, more and more seldom, if it ever had an answer.
func (c *caller) poll(ctx context.Context, key client.Text, fetch fetch) iter.Seq2[client.Receipt, error] {
	repeats := attempt.Repeats{Pace: c.polls, Made: 1, Notice: c.repeats.Notice}.Endless()
	return func(yield func(client.Receipt, error) bool) {
		last := client.StateUnknown
		for shown := false; ; shown = true {
			receipt, fail := attempt.Do(ctx, repeats, func(int) (client.Receipt, *failure) {
				receipt, err := fetch(ctx, key)
				return receipt, ofPoll(ctx, err, shown)
			})
			if fail != nil {
				yield(client.Receipt{}, fail.Err)
				return
			}
			if (!shown || receipt.State != last) && !yield(receipt, nil) || receipt.State != client.StateWaiting {
				return
			}
			last = receipt.State
			if !attempt.Sleep(ctx, c.polls.Pause(0, 0)) {
				yield(client.Receipt{}, attempt.Ended(ctx.Err()))
				return
			}
		}
	}
}

// ofPoll returns what the error of a poll means. shown reports whether there was a
// receipt before.
func ofPoll(ctx context.Context, err error, shown bool) *failure {
	if err == nil {
		return nil
	}
	if ended := ctx.Err(); ended != nil {
		return &failure{Err: attempt.Ended(ended)}
	}
	known, ok := errors.AsType[*client.Error](err)
	if !ok {
		known = &client.Error{Kind: client.KindFailure, Message: err.Error(), Cause: err}
	}
	return &failure{Err: known, Repeatable: shown && isPassing(known.Kind)}
}

// isPassing reports whether a later call may succeed.
func isPassing(kind client.Kind) bool {
	switch kind {
	case client.KindNetwork, client.KindLimited, client.KindFailure, client.KindProtocol:
		return true
	default:
		return false
	}
}
