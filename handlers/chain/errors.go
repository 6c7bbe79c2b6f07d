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
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

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

// mapErrors maps the errors and panics of services to errors that callers may
// see. It logs an error that is not in the table with an id, and the caller
// gets only the id.
func mapErrors(log *slog.Logger) connect.UnaryInterceptorFunc {
	return func(next connect.UnaryFunc) connect.UnaryFunc {
		return func(ctx context.Context, req connect.AnyRequest) (res connect.AnyResponse, err error) {
			defer func() {
				if value := recover(); value != nil {
					cause := fmt.Errorf("%w of type %s", errPanic, crash.Type(value))
					res, err = nil, internal(log, req.Spec().Procedure, cause, crash.Frames())
				}
			}()
			res, err = next(ctx, req)
			if err == nil {
				return res, nil
			}
			noteLimit(ctx, err)
			return nil, mapped(log, req.Spec().Procedure, err)
		}
	}
}

// mapped returns what a caller may see of an error.
func mapped(log *slog.Logger, procedure string, err error) *connect.Error {
	if coded := mapError(err); coded != nil {
		return light(coded)
	}
	return internal(log, procedure, err, "")
}

func internal(log *slog.Logger, procedure string, cause error, stack string) *connect.Error {
	id := rand.Text()[:10]
	log.Error("internal error", "id", id, "procedure", procedure, "cause", cause, "stack", stack)
	return connect.NewError(connect.CodeInternal, fmt.Errorf("internal error, id %s", id))
}

// mapError is the table from the vault's errors to codes and details. It
// returns nil for an error that is not in it.
func mapError(err error) *connect.Error {
	if coded, ok := errors.AsType[*connect.Error](err); ok {
		if errors.Is(coded, errLimits) {
			return nil
		}
		return coded
	}
	if rate, ok := errors.AsType[*rateError](err); ok {
		return refuse(connect.CodeResourceExhausted, rate,
			&hushv1.Refusal{Reason: hushv1.Refusal_REASON_RATE_LIMITED}, retryInfo(rate.retryAfter))
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
		return refuse(connect.CodePermissionDenied, passphrase, passphraseDetails(passphrase)...)
	}
	if locked, ok := errors.AsType[*refusal.LockedError](err); ok {
		details := []proto.Message{&hushv1.Refusal{Reason: hushv1.Refusal_REASON_LOCKED, ForGood: locked.ForGood}}
		if !locked.ForGood {
			details = append(details, retryInfo(locked.RetryAfter))
		}
		return refuse(connect.CodeResourceExhausted, locked, details...)
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

// passphraseDetails includes the pause only if this try begins one.
func passphraseDetails(err *refusal.PassphraseError) []proto.Message {
	details := []proto.Message{&hushv1.Refusal{
		Reason: hushv1.Refusal_REASON_PASSPHRASE, TriesLeft: int32(err.TriesLeft), PassphraseMissing: err.Missing,
	}}
	if err.RetryAfter > 0 {
		details = append(details, retryInfo(err.RetryAfter))
	}
	return details
}

// mapRefusal is the part of the table for the operator's policy and for
// exceeded limits.
func mapRefusal(err error) *connect.Error {
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
func mapSentinel(err error) *connect.Error {
	for _, row := range sentinels() {
		if !errors.Is(err, row.err) {
			continue
		}
		var details []proto.Message
		if row.reason != hushv1.Refusal_REASON_UNSPECIFIED {
			details = append(details, &hushv1.Refusal{Reason: row.reason, Field: row.field})
		}
		if row.code == connect.CodeUnavailable {
			details = append(details, retryInfo(time.Second))
		}
		return refuse(row.code, row.err, details...)
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
		{refusal.ErrScope, denied, hushv1.Refusal_REASON_SCOPE, ""},
		{refusal.ErrCredentials, denied, hushv1.Refusal_REASON_CREDENTIALS, ""},
		{refusal.ErrAddressTaken, connect.CodeAlreadyExists, hushv1.Refusal_REASON_ADDRESS_TAKEN, "address"},
		{refusal.ErrTicket, precondition, hushv1.Refusal_REASON_TICKET, "token"},
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

// refuse returns an error with details.
func refuse(code connect.Code, err error, details ...proto.Message) *connect.Error {
	refused := connect.NewError(code, errors.New(err.Error()))
	for _, message := range details {
		if detail, err := connect.NewErrorDetail(message); err == nil {
			refused.AddDetail(detail)
		}
	}
	return refused
}

func retryInfo(delay time.Duration) proto.Message {
	return &errdetails.RetryInfo{RetryDelay: durationpb.New(delay)}
}
