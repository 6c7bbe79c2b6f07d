package chain

import (
	"context"
	"errors"
	"strings"
	"time"

	"connectrpc.com/connect"

	hushv1 "hush/gen/hush/v1"
	"hush/vault/refusal"
)

// Observer is told about each request after its response, for metrics. Its
// methods must return at once and be safe for concurrent use.
type Observer interface {
	// Responded reports a response: the template of the route, the code of the
	// RPC behind it (one of Codes), the status of HTTP, and how long it took.
	Responded(route, code string, status int, took time.Duration)
	// Refused reports that a limit, one of Limits, refused the request.
	Refused(limit string)
}

// codeNone is the code of a request that called no RPC.
const codeNone = "none"

// Codes returns the codes that an Observer can get.
func Codes() []string {
	codes := []string{"ok", codeUnread, codeNone}
	for code := connect.CodeCanceled; code <= connect.CodeUnauthenticated; code++ {
		codes = append(codes, code.String())
	}
	return codes
}

// The limits besides those on rates.
const (
	limitBodies  = "bodies"
	limitProxied = "proxied_requests"
	limitStreams = "streams"
	limitHashing = "hashing"
	limitQuota   = "quota"
	limitTries   = "tries"
	limitCount   = "count"
)

// Limits returns the limits that an Observer can get.
func Limits() []string {
	limits := []string{limitBodies, limitProxied, limitStreams, limitHashing, limitQuota, limitTries, limitCount}
	for number := range hushv1.Limit_name {
		if limit := hushv1.Limit(number); limit != hushv1.Limit_LIMIT_UNSPECIFIED {
			limits = append(limits, rateName(limit))
		}
	}
	return limits
}

// rateName returns the name of a limit on calls, such as rate_create.
func rateName(limit hushv1.Limit) string {
	return "rate_" + strings.ToLower(strings.TrimPrefix(limit.String(), "LIMIT_"))
}

// limitOf returns the limit that refused a call with an error, or "".
func limitOf(err error) string {
	if rate, ok := errors.AsType[*rateError](err); ok {
		return rateName(rate.limit)
	}
	for _, row := range []struct {
		err   error
		limit string
	}{
		{refusal.ErrBusy, limitHashing},
		{refusal.ErrQuota, limitQuota},
		{refusal.ErrLocked, limitTries},
		{refusal.ErrTooMany, limitCount},
	} {
		if errors.Is(err, row.err) {
			return row.limit
		}
	}
	return ""
}

// noteLimit records which limit refused a request, if one did.
func noteLimit(ctx context.Context, err error) {
	if record := recordFrom(ctx); record != nil && record.limit == "" {
		record.limit = limitOf(err)
	}
}

// Load is what requests hold at the moment.
type Load struct {
	// Creating and Opening are the bytes of bodies, of requests that may create
	// and of those that may end a secret. Unpacking are bytes being decompressed.
	Creating, Opening, Unpacking int64
	// Streams is the number of open streams.
	Streams int
}

// Load returns what requests hold at the moment.
func (c *Chain) Load() Load {
	f := c.flight
	return Load{f.creation.Held(), f.opening.Held(), f.unpacking.Load(), int(c.streams.open.Held())}
}
