package caller

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"hush/seal/chunked"
	"hush/vault/refusal"
)

// Limits bound what callers may store. A zero field means its default.
type Limits struct {
	// AnonymousSecret and AccountSecret are the maximum bytes of one secret:
	// 100 KiB and 1 MiB.
	AnonymousSecret, AccountSecret int64
	// AnonymousFile and AccountFile are the maximum bytes of one file, which is sent in
	// parts: 100 MiB and 1 GiB. A negative one takes no files.
	AnonymousFile, AccountFile int64
	// DefaultTTL is the lifetime if the caller names none: 7 days.
	DefaultTTL time.Duration
	// AnonymousTTL and AccountTTL are the maximum lifetimes: 7 and 30 days.
	AnonymousTTL, AccountTTL time.Duration
	// NetworkBytes is the maximum bytes of the anonymous secrets and receipts
	// of one network at a time: 256 MiB. An IPv6 /48 may take four times as
	// much. A secret counts until it ends, its receipt until it is forgotten;
	// see charge.
	NetworkBytes int64
	// AccountBytes is the maximum bytes of the secrets and receipts of one
	// account at a time: 4 GiB.
	AccountBytes int64
	// TotalBytes is the maximum bytes of all secrets and receipts at a time: 64
	// GiB. A quarter of it is reserved for accounts.
	TotalBytes int64
}

// MinimumTTL is the minimum lifetime; a shorter one is raised to it.
const MinimumTTL = time.Minute

// WithDefaults returns the limits with defaults in their zero fields.
func (l Limits) WithDefaults() Limits {
	const day = 24 * time.Hour
	return Limits{
		AnonymousSecret: cmp.Or(l.AnonymousSecret, 100<<10),
		AccountSecret:   cmp.Or(l.AccountSecret, 1<<20),
		AnonymousFile:   cmp.Or(l.AnonymousFile, 100<<20),
		AccountFile:     cmp.Or(l.AccountFile, 1<<30),
		DefaultTTL:      cmp.Or(l.DefaultTTL, 7*day),
		AnonymousTTL:    cmp.Or(l.AnonymousTTL, 7*day),
		AccountTTL:      cmp.Or(l.AccountTTL, 30*day),
		NetworkBytes:    cmp.Or(l.NetworkBytes, 256<<20),
		AccountBytes:    cmp.Or(l.AccountBytes, 4<<30),
		TotalBytes:      cmp.Or(l.TotalBytes, 64<<30),
	}
}

// WideBytes returns the maximum bytes of the anonymous secrets and receipts of
// one IPv6 /48.
func (l Limits) WideBytes() int64 {
	if l.NetworkBytes > math.MaxInt64/4 {
		return math.MaxInt64
	}
	return 4 * l.NetworkBytes
}

// AnonymousBytes returns the maximum bytes of all anonymous secrets and
// receipts.
func (l Limits) AnonymousBytes() int64 { return l.TotalBytes - l.TotalBytes/4 }

// SecretSize returns the maximum bytes of a secret for c.
func (l Limits) SecretSize(c Caller) int64 {
	if c.Anonymous() {
		return l.AnonymousSecret
	}
	return l.AccountSecret
}

// SealedMin is the minimum bytes of end-to-end encrypted content: the shortest
// that a device pads its content to, encrypted.
const SealedMin = 328

// sealedHeader is the maximum bytes that a device encrypts in front of the body,
// with their length.
const sealedHeader = 2048

// SealedSize returns the maximum bytes of end-to-end encrypted content for c.
func (l Limits) SealedSize(c Caller) int64 { return SealedSize(l.SecretSize(c)) }

// SealedSize returns the maximum bytes of end-to-end encrypted content where a
// secret may have size bytes: so many, with a header, as a device pads and encrypts
// them.
func SealedSize(size int64) int64 {
	return chunked.SealedSize(int64(chunked.Padme(uint64(size) + sealedHeader)))
}

// AdmitSealed returns an error unless c may conceal end-to-end encrypted content
// of size bytes.
func (l Limits) AdmitSealed(c Caller, size int64) error { return admitSealed(size, l.SealedSize(c)) }

// FileSize returns the maximum bytes of a file for c; 0 if files are not taken.
func (l Limits) FileSize(c Caller) int64 {
	if c.Anonymous() {
		return max(0, l.AnonymousFile)
	}
	return max(0, l.AccountFile)
}

// AdmitFile returns an error unless c may conceal a file whose end-to-end encrypted content
// has size bytes.
func (l Limits) AdmitFile(c Caller, size uint64) error {
	most := l.FileSize(c)
	switch {
	case most == 0:
		return refusal.ErrNoFiles
	case size > uint64(SealedSize(most)):
		return &refusal.TooLargeError{Field: "size", Limit: SealedSize(most)}
	}
	if _, err := chunked.Size(int64(size)); err != nil || size < SealedMin {
		return &refusal.InvalidError{Field: "size", Text: "is a length that the format does not produce"}
	}
	return nil
}

// AnswerSize returns the maximum bytes of the content of an answer to a request: the
// limits are the requester's, who has an account if owned is set.
func (l Limits) AnswerSize(owned bool) int64 {
	if owned {
		return SealedSize(l.AccountSecret)
	}
	return SealedSize(l.AnonymousSecret)
}

// AdmitAnswer is AdmitSealed for the content of an answer.
func (l Limits) AdmitAnswer(owned bool, size int64) error {
	return admitSealed(size, l.AnswerSize(owned))
}

func admitSealed(size, limit int64) error {
	const field = "sealed.content"
	if size > limit {
		return &refusal.TooLargeError{Field: field, Limit: limit}
	}
	if size < SealedMin {
		return &refusal.InvalidError{Field: field, Text: fmt.Sprintf("must have at least %d bytes", SealedMin)}
	}
	if _, err := chunked.Size(size); err != nil {
		return &refusal.InvalidError{Field: field, Text: "has a length that the format does not produce: it is incomplete or something else"}
	}
	return nil
}

// LongestTTL returns the maximum lifetime for c.
func (l Limits) LongestTTL(c Caller) time.Duration {
	if c.Anonymous() {
		return l.AnonymousTTL
	}
	return l.AccountTTL
}

// Grant returns the lifetime that c gets for a requested one, in whole seconds.
// Nil means the default.
func (l Limits) Grant(c Caller, requested *time.Duration) (time.Duration, error) {
	ttl := l.DefaultTTL
	if requested != nil {
		ttl = *requested
	}
	if ttl <= 0 {
		return 0, &refusal.InvalidError{Field: "ttl", Text: "must be greater than zero"}
	}
	return min(max(ttl.Truncate(time.Second), MinimumTTL), l.LongestTTL(c)), nil
}
