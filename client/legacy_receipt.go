package client

import (
	"context"
	"iter"
	"slices"
	"time"
)

// pollPace is how often a server is asked for a receipt, and how seldom it is asked
// after errors.
func pollPace() pace { return pace{first: 5 * time.Second, longest: 2 * time.Minute} }

// policy has what the reference documents of all releases. An account's plan may
// allow more than it does without one.
func (l *legacy) policy(context.Context) (Policy, error) { //nolint:unparam // that of a backend
	p := Policy{BaseURL: l.base, MaxContent: int64(l.textMax()), Server: true, AnonymousShare: true, Mail: l.hasAccount()}
	if !l.hasAccount() {
		p.DefaultTTL, p.MaxTTL = 7*24*time.Hour, 7*24*time.Hour
	}
	return p, nil
}

// acknowledge does nothing: there are no claims.
func (l *legacy) acknowledge(context.Context, Link, Claim) error { return nil }

// fetch returns a receipt.
type fetch func(ctx context.Context, key Text) (Receipt, error)

// poll asks for a receipt until its secret is gone.
func (l *legacy) poll(ctx context.Context, key Text, fetch fetch) iter.Seq2[Receipt, error] {
	return func(yield func(Receipt, error) bool) {
		shown, failures := false, 0
		last := StateUnknown
		for {
			receipt, err := fetch(ctx, key)
			pause := l.polls.pause(0, 0)
			switch {
			case err == nil:
				failures = 0
				if (!shown || receipt.State != last) && !yield(receipt, nil) || receipt.State != StateWaiting {
					return
				}
				shown, last = true, receipt.State
			case ctx.Err() != nil:
				yield(Receipt{}, endedError(ctx.Err()))
				return
			case !shown || !isPassing(err):
				yield(Receipt{}, err)
				return
			default:
				failures++
				pause = l.polls.pause(failures, retryTime(err))
				l.tell(err, pause)
			}
			if !sleep(ctx, pause) {
				yield(Receipt{}, endedError(ctx.Err()))
				return
			}
		}
	}
}

func (l *legacy) tell(err error, pause time.Duration) {
	if l.notice != nil {
		l.notice(err, pause)
	}
}

// isPassing reports whether a later call may succeed.
func isPassing(err error) bool {
	switch KindOf(err) {
	case KindNetwork, KindLimited, KindFailure, KindProtocol:
		return true
	default:
		return false
	}
}

// retryTime returns how long an error says to wait.
func retryTime(err error) time.Duration {
	if e, ok := err.(*Error); ok { //nolint:errorlint // the error of a call of this package
		return e.RetryAfter
	}
	return 0
}

// burned is the receipt of a secret that a server just burned. Its answer describes
// the secret as it was before.
func burned(r Receipt, at time.Time) Receipt {
	r.State, r.Ended, r.HasPassphrase = StateBurned, at, false
	return r
}

// unburned returns what a burn that failed means: after a lost answer, the receipt
// says whether the secret was burned.
func unburned(ctx context.Context, s *setback, key, passphrase Text, fetch fetch) (Receipt, error) {
	switch {
	case s.isAboutPassphrase():
		return Receipt{}, wrongPassphrase(passphrase)
	case s.said == saidUnburned:
		return Receipt{}, gone()
	case s.fate == fateLost:
		if receipt, err := fetch(ctx, key); err == nil && receipt.State == StateBurned {
			return receipt, nil
		}
	}
	return Receipt{}, s.err
}

// each yields the receipts of a list, newest first.
func each(receipts []Receipt, yield func(Receipt, error) bool) {
	slices.SortStableFunc(receipts, func(a, b Receipt) int { return b.Created.Compare(a.Created) })
	for _, receipt := range receipts {
		if !yield(receipt, nil) {
			return
		}
	}
}

// shortID returns the part of a key that may be shown.
func shortID(key string) string { return key[:min(shortSize, len(key))] }

// wrongKey is the error for a key that no server gives.
func wrongKey() *Error {
	return &Error{Kind: KindLink, Message: "this is not the key of a secret or a receipt"}
}
