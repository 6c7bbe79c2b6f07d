package chain

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"connectrpc.com/connect"

	"hush/crash"
	hushv1 "hush/gen/hush/v1"
	"hush/vault/caller"
	"hush/vault/email"
	"hush/vault/refusal"
	"hush/vault/signup"
)

// rateError reports that the caller's network called too often.
type rateError struct {
	retryAfter time.Duration
	limit      hushv1.Limit
}

func (e *rateError) Error() string { return "rate limited" }

var (
	// errCrossSite refuses a browser's request from a page of another site, or
	// of an unknown origin.
	errCrossSite = errors.New("requests from pages of other sites are refused")
	// errShrimp reports that the session's token is missing or wrong.
	errShrimp = errors.New("the session's token is missing or wrong: refresh the page and try again")
	// ErrInsecure refuses a sign-in over plain HTTP: browsers would not keep
	// the session cookie.
	ErrInsecure = errors.New("signing in requires https, or http on the same machine")
)

// errLimits reports that the limits of a message cannot be checked: not a mistake
// of the caller.
var errLimits = errors.New("chain: checking field limits")

// errPanic reports that a service panicked. It does not keep the value, which
// may contain anything.
var errPanic = errors.New("chain: panic")

// settled runs a call and returns its result, or what its caller may see of its error or
// panic. It logs an error that is not in the table with an id, and the caller gets only
// the id.
func settled[Res any](ctx context.Context, log *slog.Logger, procedure string, run func() (Res, error)) (res Res, err error) {
	defer func() {
		if value := recover(); value != nil {
			cause := fmt.Errorf("%w of type %s", errPanic, crash.Type(value))
			res, err = *new(Res), internal(log, procedure, cause, crash.Frames())
		}
	}()
	res, err = run()
	if err == nil {
		return res, nil
	}
	noteLimit(ctx, err)
	return *new(Res), mapped(log, procedure, err)
}

// mapErrors settles the calls of a service that has no gate.
func mapErrors(log *slog.Logger) connect.UnaryInterceptorFunc {
	return func(next connect.UnaryFunc) connect.UnaryFunc {
		return func(ctx context.Context, req connect.AnyRequest) (connect.AnyResponse, error) {
			res, err := settled(ctx, log, req.Spec().Procedure, func() (connect.AnyResponse, error) { return next(ctx, req) })
			return res, onWire(err)
		}
	}
}

// mapped returns what a caller may see of an error: a *RefusedError, or the *connect.Error
// of a message that is not valid or cannot be taken.
func mapped(log *slog.Logger, procedure string, err error) error {
	if refused, ok := errors.AsType[*RefusedError](err); ok {
		return refused
	}
	if coded, ok := errors.AsType[*connect.Error](err); ok {
		return light(coded)
	}
	if refused := mapError(err); refused != nil {
		return refused
	}
	return internal(log, procedure, err, "")
}

func internal(log *slog.Logger, procedure string, cause error, stack string) *RefusedError {
	id := rand.Text()[:10]
	log.Error("internal error", "id", id, "procedure", procedure, "cause", cause, "stack", stack)
	return refuse(connect.CodeInternal, fmt.Errorf("internal error, id %s", id), nil)
}

// mapError is the table from the vault's errors to codes and details. It
// returns nil for an error that is not in it.
func mapError(err error) *RefusedError {
	if rate, ok := errors.AsType[*rateError](err); ok {
		return refuse(connect.CodeResourceExhausted, rate,
			&hushv1.Refusal{Reason: hushv1.Refusal_REASON_RATE_LIMITED}).after(rate.retryAfter)
	}
	if invalid, ok := errors.AsType[*refusal.InvalidError](err); ok {
		return refuse(connect.CodeInvalidArgument, invalid,
			&hushv1.Refusal{Reason: hushv1.Refusal_REASON_INVALID, Field: invalid.Field})
	}
	if to, ok := errors.AsType[*email.RecipientError](err); ok {
		return refuse(connect.CodeInvalidArgument, to,
			&hushv1.Refusal{Reason: hushv1.Refusal_REASON_INVALID, Field: "recipients"})
	}
	if large, ok := errors.AsType[*refusal.TooLargeError](err); ok {
		return refuse(connect.CodeInvalidArgument, large,
			&hushv1.Refusal{Reason: hushv1.Refusal_REASON_TOO_LARGE, Field: large.Field, Limit: large.Limit})
	}
	if passphrase, ok := errors.AsType[*refusal.PassphraseError](err); ok {
		return refuse(connect.CodePermissionDenied, passphrase, &hushv1.Refusal{
			Reason: hushv1.Refusal_REASON_PASSPHRASE, TriesLeft: int32(passphrase.TriesLeft), PassphraseMissing: passphrase.Missing,
		}).after(passphrase.RetryAfter) // only if this try begins a pause
	}
	if locked, ok := errors.AsType[*refusal.LockedError](err); ok {
		refused := refuse(connect.CodeResourceExhausted, locked,
			&hushv1.Refusal{Reason: hushv1.Refusal_REASON_LOCKED, ForGood: locked.ForGood})
		if locked.ForGood {
			return refused
		}
		return refused.after(locked.RetryAfter)
	}
	if domain, ok := errors.AsType[*refusal.DomainError](err); ok {
		return refuse(connect.CodeNotFound, domain,
			&hushv1.Refusal{Reason: hushv1.Refusal_REASON_DOMAIN_NOT_FOUND, Field: cmp.Or(domain.Field, "domain")})
	}
	if e, ok := errors.AsType[*refusal.EncryptionError](err); ok {
		return refuse(connect.CodeFailedPrecondition, e, &hushv1.Refusal{Reason: hushv1.Refusal_REASON_ENCRYPTION})
	}
	if refused := mapRefusal(err); refused != nil {
		return refused
	}
	return mapSentinel(err)
}

// mapRefusal is the part of the table for the operator's policy and for
// exceeded limits.
func mapRefusal(err error) *RefusedError {
	if p, ok := errors.AsType[*caller.PolicyError](err); ok {
		return refuse(connect.CodeFailedPrecondition, p, &hushv1.Refusal{Reason: hushv1.Refusal_REASON_POLICY, Field: p.Field})
	}
	if m, ok := errors.AsType[*caller.MaintenanceError](err); ok {
		return refuse(connect.CodeUnavailable, m, &hushv1.Refusal{Reason: hushv1.Refusal_REASON_MAINTENANCE})
	}
	if d, ok := errors.AsType[*signup.DuplicateError](err); ok {
		return refuse(connect.CodeAlreadyExists, d, &hushv1.Refusal{Reason: hushv1.Refusal_REASON_DUPLICATE, Field: d.Field})
	}
	if many, ok := errors.AsType[*refusal.TooManyError](err); ok {
		return refuse(connect.CodeResourceExhausted, many,
			&hushv1.Refusal{Reason: hushv1.Refusal_REASON_TOO_MANY, Limit: int64(many.Limit)})
	}
	if e, ok := errors.AsType[*ElsewhereError](err); ok {
		return refuse(connect.CodeFailedPrecondition, e, &hushv1.Refusal{Reason: hushv1.Refusal_REASON_ELSEWHERE})
	}
	if c, ok := errors.AsType[*refusal.ChallengeError](err); ok {
		return refuse(connect.CodeInvalidArgument, c,
			&hushv1.Refusal{Reason: hushv1.Refusal_REASON_CHALLENGE, Field: "authenticity_payload"})
	}
	return nil
}

// mapSentinel is the part of the table for errors without details.
func mapSentinel(err error) *RefusedError {
	for _, row := range sentinels() {
		if !errors.Is(err, row.err) {
			continue
		}
		refused := refuse(row.code, row.err, nil)
		if row.reason != hushv1.Refusal_REASON_UNSPECIFIED {
			refused.Refusal = &hushv1.Refusal{Reason: row.reason, Field: row.field}
		}
		if row.code == connect.CodeUnavailable {
			refused.Retry = time.Second
		}
		return refused
	}
	return nil
}

// sentinel is a row of the table.
type sentinel struct {
	err    error
	code   connect.Code
	reason hushv1.Refusal_Reason
	field  string
}

func sentinels() []sentinel {
	const (
		none         = hushv1.Refusal_REASON_UNSPECIFIED
		precondition = connect.CodeFailedPrecondition
		denied       = connect.CodePermissionDenied
		unavailable  = connect.CodeUnavailable
	)
	return []sentinel{
		{refusal.ErrNotFound, connect.CodeNotFound, none, ""},
		{refusal.ErrUnauthenticated, connect.CodeUnauthenticated, none, ""},
		{refusal.ErrAccountRequired, precondition, hushv1.Refusal_REASON_ACCOUNT_REQUIRED, "recipients"},
		{refusal.ErrDiskFull, connect.CodeResourceExhausted, hushv1.Refusal_REASON_QUOTA, ""}, // before ErrUnavailable
		{refusal.ErrQuota, connect.CodeResourceExhausted, hushv1.Refusal_REASON_QUOTA, ""},
		{refusal.ErrLink, denied, hushv1.Refusal_REASON_LINK, ""},
		{refusal.ErrUploadToken, denied, hushv1.Refusal_REASON_INVALID, "upload_token"},
		{refusal.ErrPartDiffers, connect.CodeAlreadyExists, hushv1.Refusal_REASON_INVALID, "content"},
		{refusal.ErrVersion, precondition, hushv1.Refusal_REASON_VERSION, ""},
		{refusal.ErrArriving, precondition, hushv1.Refusal_REASON_ARRIVING, ""},
		{refusal.ErrNoFiles, precondition, hushv1.Refusal_REASON_NOT_CONFIGURED, ""},
		{refusal.ErrScope, denied, hushv1.Refusal_REASON_SCOPE, ""},
		{refusal.ErrCredentials, denied, hushv1.Refusal_REASON_CREDENTIALS, ""},
		{refusal.ErrAddressTaken, connect.CodeAlreadyExists, hushv1.Refusal_REASON_ADDRESS_TAKEN, "address"},
		{refusal.ErrTicket, precondition, hushv1.Refusal_REASON_TICKET, "token"},
		{refusal.ErrRequestEnded, precondition, hushv1.Refusal_REASON_REQUEST_ENDED, ""},
		{refusal.ErrDuplicate, connect.CodeAlreadyExists, hushv1.Refusal_REASON_DUPLICATE, ""},
		{refusal.ErrNoMail, precondition, hushv1.Refusal_REASON_NOT_CONFIGURED, "recipients"},
		{refusal.ErrNotConfigured, precondition, hushv1.Refusal_REASON_NOT_CONFIGURED, ""},
		{refusal.ErrDomainSuspended, precondition, hushv1.Refusal_REASON_DOMAIN_SUSPENDED, ""},
		{errCrossSite, denied, hushv1.Refusal_REASON_CROSS_SITE, ""},
		{errShrimp, denied, hushv1.Refusal_REASON_SHRIMP, ""},
		{ErrInsecure, precondition, hushv1.Refusal_REASON_INSECURE, ""},
		{refusal.ErrBusy, unavailable, none, ""},
		{refusal.ErrUnavailable, unavailable, none, ""},
		{context.Canceled, connect.CodeCanceled, none, ""},
		{context.DeadlineExceeded, connect.CodeDeadlineExceeded, none, ""},
	}
}
