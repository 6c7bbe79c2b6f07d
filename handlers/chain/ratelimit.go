package chain

import (
	"context"
	"strings"
	"sync"
	"time"

	"connectrpc.com/connect"
	"golang.org/x/time/rate"

	hushv1 "hush/gen/hush/v1"
	"hush/vault/caller"
)

// maxBuckets bounds the memory of the buckets, at about 150 bytes each.
const maxBuckets = 100_000

// budget is the number of calls that a network has in a period. It refills
// completely in that period. Legacy scripts expect twenty minutes.
type budget struct {
	calls int
	in    time.Duration
}

// budgetOf is the table of budgets; see the options of the methods.
func budgetOf(limit hushv1.Limit) budget {
	const block = 20 * time.Minute
	switch limit {
	case hushv1.Limit_LIMIT_CREATE, hushv1.Limit_LIMIT_REVEAL, hushv1.Limit_LIMIT_BURN, hushv1.Limit_LIMIT_READ,
		hushv1.Limit_LIMIT_ACCOUNT, hushv1.Limit_LIMIT_DOMAIN:
		return budget{1000, block}
	case hushv1.Limit_LIMIT_PROBE:
		return budget{12_000, block}
	case hushv1.Limit_LIMIT_SIGN_UP, hushv1.Limit_LIMIT_RESET:
		return budget{10, time.Hour}
	case hushv1.Limit_LIMIT_SIGN_IN:
		return budget{30, 15 * time.Minute}
	case hushv1.Limit_LIMIT_PASSWORD, hushv1.Limit_LIMIT_TOKEN, hushv1.Limit_LIMIT_FEEDBACK:
		return budget{10, block}
	case hushv1.Limit_LIMIT_DOMAIN_CHANGE, hushv1.Limit_LIMIT_EXCEPTION, hushv1.Limit_LIMIT_RECIPIENT:
		return budget{50, block}
	case hushv1.Limit_LIMIT_DOMAIN_VERIFY:
		return budget{25, block}
	case hushv1.Limit_LIMIT_UPLOAD:
		return budget{20, block}
	case hushv1.Limit_LIMIT_CHALLENGE:
		return budget{240, block}
	default:
		return budget{0, block}
	}
}

// rate returns how much of a budget refills per second.
func (b budget) rate() float64 { return float64(b.calls) / b.in.Seconds() }

// limitRate charges the message-dependent part of a call to the budget that the
// method names. The gate charged the first unit.
func limitRate(g gate) connect.UnaryInterceptorFunc {
	return func(next connect.UnaryFunc) connect.UnaryFunc {
		if g.budgets == nil {
			return next
		}
		return func(ctx context.Context, req connect.AnyRequest) (connect.AnyResponse, error) {
			record := recordFrom(ctx)
			if record == nil {
				return nil, errNoCaller
			}
			if err := g.charge(record, g.policies[req.Spec().Procedure].limit, cost(req.Any())-1); err != nil {
				return nil, err
			}
			key := bucketKey{account: record.caller.Account(), limit: hushv1.Limit_LIMIT_RECIPIENT}
			if mails := mailsOf(req.Any()); mails > 0 && key.account != "" {
				if wait := g.budgets.take(key, mails); wait > 0 {
					return nil, &rateError{retryAfter: wait}
				}
			}
			return next(ctx, req)
		}
	}
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

// limiter keeps a token bucket for each pair of a budget and a network, /48 or
// account. If there are too many, it drops full ones first, which loses
// nothing, and then any.
type limiter struct {
	now func() time.Time

	mu      sync.Mutex
	buckets map[bucketKey]*rate.Limiter
}

// bucketKey has either a network or an account.
type bucketKey struct {
	network caller.Network
	wide    bool // the network is an IPv6 /48
	account string
	limit   hushv1.Limit
}

// budget returns the budget of a network or an account, and four times that for
// a /48.
func (k bucketKey) budget() budget {
	b := budgetOf(k.limit)
	if k.wide {
		b.calls *= 4
	}
	return b
}

// wideKey returns the bucket of the IPv6 /48 around a network. It counts
// creation, whose results outlast the call, since a /48 has 65,536 networks. It
// returns false for a network or a budget without one.
func wideKey(network caller.Network, limit hushv1.Limit) (key bucketKey, ok bool) {
	if limit != hushv1.Limit_LIMIT_CREATE {
		return bucketKey{}, false
	}
	wide, ok := network.Wide()
	return bucketKey{network: wide, wide: true, limit: limit}, ok
}

func newLimiter(now func() time.Time) *limiter {
	return &limiter{now: now, buckets: map[bucketKey]*rate.Limiter{}}
}

// takeCaller takes from the budget of a network and, if it counts, from that of
// the /48 around it, or from neither.
func (l *limiter) takeCaller(network caller.Network, limit hushv1.Limit, cost int) time.Duration {
	key := bucketKey{network: network, limit: limit}
	if wait := l.take(key, cost); wait > 0 {
		return wait
	}
	wide, ok := wideKey(network, limit)
	if !ok {
		return 0
	}
	wait := l.take(wide, cost)
	if wait > 0 {
		l.give(key, cost)
	}
	return wait
}

// giveCaller returns one call to the budgets that takeCaller took it from.
func (l *limiter) giveCaller(network caller.Network, limit hushv1.Limit) {
	l.give(bucketKey{network: network, limit: limit}, 1)
	if wide, ok := wideKey(network, limit); ok {
		l.give(wide, 1)
	}
}

// take spends cost calls and returns 0, or spends nothing and returns how long
// to wait.
func (l *limiter) take(key bucketKey, cost int) time.Duration {
	now := l.now()
	bucket := l.bucket(key, now)
	most := bucket.Burst()
	if cost > most {
		return key.budget().in
	}
	spent := bucket.ReserveN(now, cost)
	wait := spent.DelayFrom(now)
	if wait > 0 {
		spent.CancelAt(now)
	}
	return wait
}

// give returns calls to a budget.
func (l *limiter) give(key bucketKey, calls int) {
	now := l.now()
	l.bucket(key, now).ReserveN(now, -calls)
}

func (l *limiter) bucket(key bucketKey, now time.Time) *rate.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	bucket := l.buckets[key]
	if bucket == nil {
		if len(l.buckets) >= maxBuckets {
			l.forget(now)
		}
		b := key.budget()
		bucket = rate.NewLimiter(rate.Limit(b.rate()), b.calls)
		l.buckets[key] = bucket
	}
	return bucket
}

// forget drops at least a tenth of the buckets.
func (l *limiter) forget(now time.Time) {
	for key, bucket := range l.buckets {
		if bucket.TokensAt(now) >= float64(bucket.Burst()) {
			delete(l.buckets, key)
		}
	}
	for key := range l.buckets {
		if len(l.buckets) <= maxBuckets*9/10 {
			return
		}
		delete(l.buckets, key)
	}
}
