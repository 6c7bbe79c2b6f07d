package chain

import (
	"context"
	"strings"
	"time"

	hushv1 "hush/gen/hush/v1"
	"hush/vault/budget"
	"hush/vault/caller"
)

// rateOf is the table of rates; see the options of the methods. Legacy scripts
// expect twenty minutes.
func rateOf(limit hushv1.Limit) budget.Rate {
	const block = 20 * time.Minute
	switch limit {
	case hushv1.Limit_LIMIT_CREATE, hushv1.Limit_LIMIT_REVEAL, hushv1.Limit_LIMIT_BURN, hushv1.Limit_LIMIT_READ,
		hushv1.Limit_LIMIT_ACCOUNT, hushv1.Limit_LIMIT_DOMAIN:
		return budget.Rate{Calls: 1000, In: block}
	case hushv1.Limit_LIMIT_PART:
		return budget.Rate{Calls: 12_800, In: block}
	case hushv1.Limit_LIMIT_PROBE:
		return budget.Rate{Calls: 12_000, In: block}
	case hushv1.Limit_LIMIT_SIGN_UP, hushv1.Limit_LIMIT_RESET:
		return budget.Rate{Calls: 10, In: time.Hour}
	case hushv1.Limit_LIMIT_SIGN_IN:
		return budget.Rate{Calls: 30, In: 15 * time.Minute}
	case hushv1.Limit_LIMIT_PASSWORD, hushv1.Limit_LIMIT_TOKEN, hushv1.Limit_LIMIT_FEEDBACK:
		return budget.Rate{Calls: 10, In: block}
	case hushv1.Limit_LIMIT_DOMAIN_CHANGE, hushv1.Limit_LIMIT_EXCEPTION, hushv1.Limit_LIMIT_RECIPIENT:
		return budget.Rate{Calls: 50, In: block}
	case hushv1.Limit_LIMIT_DOMAIN_VERIFY:
		return budget.Rate{Calls: 25, In: block}
	case hushv1.Limit_LIMIT_UPLOAD:
		return budget.Rate{Calls: 20, In: block}
	case hushv1.Limit_LIMIT_CHALLENGE:
		return budget.Rate{Calls: 240, In: block}
	default:
		return budget.Rate{Calls: 0, In: block}
	}
}

// chargeMessage charges the message-dependent part of a call to the budget that the
// method names, and mails to the account that sends them. The gate charged the first unit.
func (g gate) chargeMessage(ctx context.Context, record *record, procedure string, message any) error {
	if g.budgets == nil {
		return nil
	}
	if err := g.budgets.takeCaller(ctx, record.caller.Network, g.policies[procedure].limit, cost(message)-1); err != nil {
		return err
	}
	if mails := mailsOf(message); mails > 0 && !record.caller.Anonymous() {
		return g.budgets.takeMails(ctx, record.caller.Account(), mails)
	}
	return nil
}

// cost returns the number of calls that a message counts for.
func cost(message any) int {
	switch list := message.(type) {
	case *hushv1.ListSecretStatusRequest:
		return max(1, len(list.GetSecretKeys()))
	case *hushv1.BatchGetMetadataRequest:
		return max(1, len(list.GetMetadataKeys()))
	default:
		return 1
	}
}

// mailsOf returns the number of recipients of a message. An element may hold
// several addresses.
func mailsOf(message any) int {
	writes, ok := message.(interface{ GetRecipients() []string })
	if !ok {
		return 0
	}
	mails := 0
	for _, to := range writes.GetRecipients() {
		mails += 1 + strings.Count(to, ",")
	}
	return mails
}

// sharedMost divides the limits. One with at most that many calls is counted in
// the store if nodes share it: its calls are rare, so each may cost a write, and
// the tries of a guesser do not grow with the number of nodes. A larger one
// bounds load, of which each node carries its own.
const sharedMost = 50

// budgets says how much is spent of budgets. Take spends calls and returns 0, or
// spends nothing and returns how long to wait. After an error the caller must
// not be admitted.
type budgets interface {
	Take(ctx context.Context, key budget.Key, rate budget.Rate, calls int) (wait time.Duration, err error)
	Give(ctx context.Context, key budget.Key, rate budget.Rate, calls int) error
}

// limiter has a budget for each pair of a limit and a network, /48 or account.
type limiter struct {
	own    budgets // of this process
	shared budgets // of all nodes; the same as own if there is only one
}

func newLimiter(now func() time.Time, shared *budget.Stored) *limiter {
	own := budget.NewMemory(now)
	if shared == nil {
		return &limiter{own, own}
	}
	return &limiter{own, shared}
}

// of returns where a limit is counted.
func (l *limiter) of(limit hushv1.Limit) budgets {
	if rateOf(limit).Calls <= sharedMost {
		return l.shared
	}
	return l.own
}

// takeCaller takes from the budget of a network and, if it counts, from that of
// the /48 around it, or from neither. Its error is a rateError if a budget is
// used up. A nil limiter counts nothing.
func (l *limiter) takeCaller(ctx context.Context, network caller.Network, limit hushv1.Limit, calls int) error {
	if l == nil || calls == 0 {
		return nil
	}
	key := budget.Key{Kind: byte(limit), Network: network}
	if err := l.take(ctx, limit, key, rateOf(limit), calls); err != nil {
		return err
	}
	wide, ok := wideKey(network, limit)
	if !ok {
		return nil
	}
	err := l.take(ctx, limit, wide, wideRate(limit), calls)
	if err != nil {
		_ = l.of(limit).Give(ctx, key, rateOf(limit), calls) // if it fails, the call stays spent
	}
	return err
}

// giveCaller returns one call to the budgets that takeCaller took it from.
func (l *limiter) giveCaller(ctx context.Context, network caller.Network, limit hushv1.Limit) error {
	err := l.of(limit).Give(ctx, budget.Key{Kind: byte(limit), Network: network}, rateOf(limit), 1)
	if wide, ok := wideKey(network, limit); ok && err == nil {
		err = l.of(limit).Give(ctx, wide, wideRate(limit), 1)
	}
	return err
}

// takeMails takes from what an account may send to recipients.
func (l *limiter) takeMails(ctx context.Context, account string, mails int) error {
	const limit = hushv1.Limit_LIMIT_RECIPIENT
	return l.take(ctx, limit, budget.Key{Kind: byte(limit), Account: account}, rateOf(limit), mails)
}

func (l *limiter) take(ctx context.Context, limit hushv1.Limit, key budget.Key, rate budget.Rate, calls int) error {
	wait, err := l.of(limit).Take(ctx, key, rate, calls)
	if err == nil && wait > 0 {
		err = &rateError{retryAfter: wait, limit: limit}
	}
	return err
}

// wideKey returns the budget of the IPv6 /48 around a network. It counts
// creation, whose results outlast the call, since a /48 has 65,536 networks. It
// returns false for a network or a limit without one.
func wideKey(network caller.Network, limit hushv1.Limit) (key budget.Key, ok bool) {
	if limit != hushv1.Limit_LIMIT_CREATE {
		return budget.Key{}, false
	}
	wide, ok := network.Wide()
	return budget.Key{Kind: byte(limit), Network: wide, Wide: true}, ok
}

// wideRate returns the rate of a /48: four times that of a network.
func wideRate(limit hushv1.Limit) budget.Rate {
	r := rateOf(limit)
	r.Calls *= 4
	return r
}
