package caller

import (
	"cmp"
	"math"
	"time"

	"hush/vault/refusal"
)

// Limits bound what callers may keep. A zero field means its default.
type Limits struct {
	// AnonymousSecret and AccountSecret are the most bytes of one secret:
	// 100 KiB and 1 MiB.
	AnonymousSecret, AccountSecret int64
	// DefaultTTL is granted when none is asked for: 7 days.
	DefaultTTL time.Duration
	// AnonymousTTL and AccountTTL are the longest lifetimes: 7 and 30 days.
	AnonymousTTL, AccountTTL time.Duration
	// NetworkBytes is what the secrets and receipts of one network without an
	// account may take at a time: 256 MiB. Those of an IPv6 /48 may take four
	// times as much. A secret counts until it ends, its receipt until it is
	// forgotten; see charge.
	NetworkBytes int64
	// AccountBytes is what the secrets and receipts of one account may take at a
	// time: 1 GiB.
	AccountBytes int64
	// TotalBytes is what all secrets and receipts may take at a time: 64 GiB. A
	// quarter of it is for accounts alone.
	TotalBytes int64
}

// MinimumTTL is the shortest lifetime; shorter wishes get it.
const MinimumTTL = time.Minute

// WithDefaults returns the limits with their zero fields filled in.
func (l Limits) WithDefaults() Limits {
	const day = 24 * time.Hour
	return Limits{
		AnonymousSecret: cmp.Or(l.AnonymousSecret, 100<<10),
		AccountSecret:   cmp.Or(l.AccountSecret, 1<<20),
		DefaultTTL:      cmp.Or(l.DefaultTTL, 7*day),
		AnonymousTTL:    cmp.Or(l.AnonymousTTL, 7*day),
		AccountTTL:      cmp.Or(l.AccountTTL, 30*day),
		NetworkBytes:    cmp.Or(l.NetworkBytes, 256<<20),
		AccountBytes:    cmp.Or(l.AccountBytes, 1<<30),
		TotalBytes:      cmp.Or(l.TotalBytes, 64<<30),
	}
}

// WideBytes is what the secrets and receipts of one IPv6 /48 without an account
// may take.
func (l Limits) WideBytes() int64 {
	if l.NetworkBytes > math.MaxInt64/4 {
		return math.MaxInt64
	}
	return 4 * l.NetworkBytes
}

// AnonymousBytes is what all secrets and receipts without an account may take.
func (l Limits) AnonymousBytes() int64 { return l.TotalBytes - l.TotalBytes/4 }

// SecretSize is the most bytes of a secret for c.
func (l Limits) SecretSize(c Caller) int64 {
	if c.Anonymous() {
		return l.AnonymousSecret
	}
	return l.AccountSecret
}

// Grant turns the wish for a lifetime into what c gets, in whole seconds. A
// nil wish means the default.
func (l Limits) Grant(c Caller, wish *time.Duration) (time.Duration, error) {
	ceiling := l.AccountTTL
	if c.Anonymous() {
		ceiling = l.AnonymousTTL
	}
	ttl := l.DefaultTTL
	if wish != nil {
		ttl = *wish
	}
	if ttl <= 0 {
		return 0, &refusal.InvalidError{Field: "ttl", Text: "must be greater than zero"}
	}
	return min(max(ttl.Truncate(time.Second), MinimumTTL), ceiling), nil
}
