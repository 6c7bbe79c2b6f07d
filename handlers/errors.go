package handlers

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	hushv1 "hush/gen/hush/v1"
	"hush/vault"
)

// rateError: the caller's network called too often.
type rateError struct{ retryAfter time.Duration }

func (e *rateError) Error() string { return "rate limited" }

// errPanic: a service panicked. Its value may hold anything and is not kept.
var errPanic = errors.New("handlers: panic")

// mapErrors turns what services return into what callers may know, and what
// services panic with into an error. An error that the table does not hold is
// logged here with an id, and the caller gets the id alone.
func mapErrors(log *slog.Logger) connect.UnaryInterceptorFunc {
	return func(next connect.UnaryFunc) connect.UnaryFunc {
		return func(ctx context.Context, req connect.AnyRequest) (res connect.AnyResponse, err error) {
			defer func() {
				if value := recover(); value != nil {
					cause := fmt.Errorf("%w of type %T", errPanic, value)
					res, err = nil, internal(log, req.Spec().Procedure, cause, debug.Stack())
				}
			}()
			res, err = next(ctx, req)
			if err == nil {
				return res, nil
			}
			if mapped := mapError(err); mapped != nil {
				return nil, mapped
			}
			return nil, internal(log, req.Spec().Procedure, err, nil)
		}
	}
}

func internal(log *slog.Logger, procedure string, cause error, stack []byte) *connect.Error {
	id := rand.Text()[:10]
	log.Error("internal error", "id", id, "procedure", procedure, "cause", cause, "stack", string(stack))
	return connect.NewError(connect.CodeInternal, fmt.Errorf("internal error, id %s", id))
}

// mapError is the table from the vault's errors to codes and details. It
// returns nil for an error that is not in it.
func mapError(err error) *connect.Error {
	if coded, ok := errors.AsType[*connect.Error](err); ok {
		return coded
	}
	if rate, ok := errors.AsType[*rateError](err); ok {
		return refuse(connect.CodeResourceExhausted, rate,
			&hushv1.Refusal{Reason: hushv1.Refusal_REASON_RATE_LIMITED}, retryInfo(rate.retryAfter))
	}
	if invalid, ok := errors.AsType[*vault.InvalidError](err); ok {
		return refuse(connect.CodeInvalidArgument, invalid,
			&hushv1.Refusal{Reason: hushv1.Refusal_REASON_INVALID, Field: invalid.Field})
	}
	if large, ok := errors.AsType[*vault.TooLargeError](err); ok {
		return refuse(connect.CodeInvalidArgument, large,
			&hushv1.Refusal{Reason: hushv1.Refusal_REASON_TOO_LARGE, Field: large.Field, Limit: large.Limit})
	}
	if passphrase, ok := errors.AsType[*vault.PassphraseError](err); ok {
		return refuse(connect.CodePermissionDenied, passphrase, &hushv1.Refusal{
			Reason: hushv1.Refusal_REASON_PASSPHRASE, TriesLeft: int32(passphrase.TriesLeft), PassphraseMissing: passphrase.Missing,
		})
	}
	if locked, ok := errors.AsType[*vault.LockedError](err); ok {
		return refuse(connect.CodeResourceExhausted, locked,
			&hushv1.Refusal{Reason: hushv1.Refusal_REASON_LOCKED}, retryInfo(locked.RetryAfter))
	}
	if domain, ok := errors.AsType[*vault.DomainError](err); ok {
		return refuse(connect.CodeNotFound, domain,
			&hushv1.Refusal{Reason: hushv1.Refusal_REASON_DOMAIN_NOT_FOUND, Field: "share_domain"})
	}
	return mapSentinel(err)
}

// mapSentinel is the part of the table for errors that say all by themselves.
func mapSentinel(err error) *connect.Error {
	const second = time.Second
	switch {
	case errors.Is(err, vault.ErrNotFound):
		return connect.NewError(connect.CodeNotFound, vault.ErrNotFound)
	case errors.Is(err, vault.ErrUnauthenticated):
		return connect.NewError(connect.CodeUnauthenticated, vault.ErrUnauthenticated)
	case errors.Is(err, vault.ErrAccountRequired):
		return refuse(connect.CodeFailedPrecondition, vault.ErrAccountRequired, &hushv1.Refusal{Reason: hushv1.Refusal_REASON_ACCOUNT_REQUIRED, Field: "recipients"})
	case errors.Is(err, vault.ErrQuota):
		return refuse(connect.CodeResourceExhausted, vault.ErrQuota, &hushv1.Refusal{Reason: hushv1.Refusal_REASON_QUOTA})
	case errors.Is(err, vault.ErrBusy):
		return refuse(connect.CodeUnavailable, vault.ErrBusy, retryInfo(second))
	case errors.Is(err, vault.ErrUnavailable):
		return refuse(connect.CodeUnavailable, vault.ErrUnavailable, retryInfo(second))
	case errors.Is(err, context.Canceled):
		return connect.NewError(connect.CodeCanceled, context.Canceled)
	case errors.Is(err, context.DeadlineExceeded):
		return connect.NewError(connect.CodeDeadlineExceeded, context.DeadlineExceeded)
	}
	return nil
}

// refuse makes an error with details.
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
