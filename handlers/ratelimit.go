package handlers

import (
	"context"
	"sync"
	"time"

	"connectrpc.com/connect"
	"golang.org/x/time/rate"

	hushv1 "hush/gen/hush/v1"
	"hush/vault"
)

const (
	// budgetWindow is the time in which a whole budget grows back. Twenty
	// minutes are what legacy scripts expect.
	budgetWindow = 20 * time.Minute
	// maxBuckets bounds the memory that buckets take, at some 150 bytes each.
	maxBuckets = 100_000
)

// budget is how many calls of a kind a network has in budgetWindow.
func budget(limit hushv1.Limit) int {
	switch limit {
	case hushv1.Limit_LIMIT_CREATE, hushv1.Limit_LIMIT_REVEAL, hushv1.Limit_LIMIT_BURN, hushv1.Limit_LIMIT_READ:
		return 1000
	case hushv1.Limit_LIMIT_PROBE:
		return 12_000
	default:
		return 0
	}
}

// limitRate counts calls against the budget that the method names. A nil
// limiter counts nothing.
func limitRate(policies policies, limiter *limiter) connect.UnaryInterceptorFunc {
	return func(next connect.UnaryFunc) connect.UnaryFunc {
		if limiter == nil {
			return next
		}
		return func(ctx context.Context, req connect.AnyRequest) (connect.AnyResponse, error) {
			record := recordFrom(ctx)
			if record == nil {
				return nil, errNoCaller
			}
			limit := policies[req.Spec().Procedure].limit
			if wait := limiter.take(record.caller.Network, limit, cost(req.Any())); wait > 0 {
				return nil, &rateError{retryAfter: wait}
			}
			return next(ctx, req)
		}
	}
}

// cost is how many calls a message counts for.
func cost(message any) int {
	if list, ok := message.(*hushv1.ListSecretStatusRequest); ok {
		return max(1, len(list.GetSecretKeys()))
	}
	return 1
}

// limiter keeps a token bucket for each network and budget. When there are too
// many, those that are full again are forgotten first, which loses nothing,
// and then any.
type limiter struct {
	now func() time.Time

	mu      sync.Mutex
	buckets map[bucketKey]*rate.Limiter
}

type bucketKey struct {
	network vault.Network
	limit   hushv1.Limit
}

func newLimiter(now func() time.Time) *limiter {
	return &limiter{now: now, buckets: map[bucketKey]*rate.Limiter{}}
}

// take spends cost calls and returns 0, or spends nothing and returns how long
// to wait.
func (l *limiter) take(network vault.Network, limit hushv1.Limit, cost int) time.Duration {
	now := l.now()
	bucket := l.bucket(bucketKey{network, limit}, now)
	most := bucket.Burst()
	if cost > most {
		return budgetWindow
	}
	spent := bucket.ReserveN(now, cost)
	wait := spent.DelayFrom(now)
	if wait > 0 {
		spent.CancelAt(now)
	}
	return wait
}

func (l *limiter) bucket(key bucketKey, now time.Time) *rate.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	bucket := l.buckets[key]
	if bucket == nil {
		if len(l.buckets) >= maxBuckets {
			l.forget(now)
		}
		most := budget(key.limit)
		bucket = rate.NewLimiter(rate.Limit(float64(most)/budgetWindow.Seconds()), most)
		l.buckets[key] = bucket
	}
	return bucket
}

// forget makes room for a tenth of the buckets at least.
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
