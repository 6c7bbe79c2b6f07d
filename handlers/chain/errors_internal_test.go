package chain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/durationpb"

	hushv1 "hush/gen/hush/v1"
	"hush/storage"
	"hush/vault/caller"
	"hush/vault/refusal"
)

func TestMapError(t *testing.T) {
	t.Parallel()
	second := &errdetails.RetryInfo{RetryDelay: durationpb.New(time.Second)}
	for _, c := range []struct {
		err     error
		code    connect.Code
		message string
		refusal *hushv1.Refusal
		retry   *errdetails.RetryInfo
	}{
		{refusal.ErrNotFound, connect.CodeNotFound, "not found", nil, nil},
		{refusal.ErrUnauthenticated, connect.CodeUnauthenticated, "not authorized", nil, nil},
		{
			&refusal.InvalidError{Field: "ttl", Text: "must be greater than zero"}, connect.CodeInvalidArgument,
			"ttl must be greater than zero", &hushv1.Refusal{Reason: hushv1.Refusal_REASON_INVALID, Field: "ttl"}, nil,
		},
		{
			&refusal.TooLargeError{Field: "secret", Limit: 7}, connect.CodeInvalidArgument, "secret is longer than 7 bytes",
			&hushv1.Refusal{Reason: hushv1.Refusal_REASON_TOO_LARGE, Field: "secret", Limit: 7}, nil,
		},
		{
			&refusal.PassphraseError{TriesLeft: 3}, connect.CodePermissionDenied, "wrong passphrase, 3 tries before a pause",
			&hushv1.Refusal{Reason: hushv1.Refusal_REASON_PASSPHRASE, TriesLeft: 3}, nil,
		},
		{
			&refusal.PassphraseError{RetryAfter: time.Minute}, connect.CodePermissionDenied, "wrong passphrase, wait 1m0s before the next try",
			&hushv1.Refusal{Reason: hushv1.Refusal_REASON_PASSPHRASE}, &errdetails.RetryInfo{RetryDelay: durationpb.New(time.Minute)},
		},
		{
			&refusal.PassphraseError{}, connect.CodePermissionDenied, "wrong passphrase, and no tries are left",
			&hushv1.Refusal{Reason: hushv1.Refusal_REASON_PASSPHRASE}, nil,
		},
		{
			&refusal.PassphraseError{Missing: true}, connect.CodePermissionDenied, "passphrase is missing",
			&hushv1.Refusal{Reason: hushv1.Refusal_REASON_PASSPHRASE, PassphraseMissing: true}, nil,
		},
		{
			&refusal.LockedError{RetryAfter: time.Minute}, connect.CodeResourceExhausted, "too many wrong tries",
			&hushv1.Refusal{Reason: hushv1.Refusal_REASON_LOCKED}, &errdetails.RetryInfo{RetryDelay: durationpb.New(time.Minute)},
		},
		{
			&rateError{retryAfter: time.Hour}, connect.CodeResourceExhausted, "rate limited",
			&hushv1.Refusal{Reason: hushv1.Refusal_REASON_RATE_LIMITED}, &errdetails.RetryInfo{RetryDelay: durationpb.New(time.Hour)},
		},
		{
			refusal.ErrLink, connect.CodePermissionDenied, "the secret part of the link is wrong",
			&hushv1.Refusal{Reason: hushv1.Refusal_REASON_LINK}, nil,
		},
		{
			&refusal.EncryptionError{EndToEnd: true}, connect.CodeFailedPrecondition,
			"This secret is end-to-end encrypted. Open its link in a browser or with the hush client.",
			&hushv1.Refusal{Reason: hushv1.Refusal_REASON_ENCRYPTION}, nil,
		},
		{
			&refusal.EncryptionError{}, connect.CodeFailedPrecondition, "This secret is encrypted on the server. It takes no proofs.",
			&hushv1.Refusal{Reason: hushv1.Refusal_REASON_ENCRYPTION}, nil,
		},
		{
			refusal.ErrQuota, connect.CodeResourceExhausted, "storage quota used up",
			&hushv1.Refusal{Reason: hushv1.Refusal_REASON_QUOTA}, nil,
		},
		{
			refusal.ErrDiskFull, connect.CodeResourceExhausted, "the disk of the service is full: nothing was stored",
			&hushv1.Refusal{Reason: hushv1.Refusal_REASON_QUOTA}, nil,
		},
		{
			refusal.NothingStored(refusal.Unavailable(storage.ErrFull)), connect.CodeResourceExhausted,
			"the disk of the service is full: nothing was stored", &hushv1.Refusal{Reason: hushv1.Refusal_REASON_QUOTA}, nil,
		},
		{
			refusal.NothingStored(refusal.Unavailable(errors.Join(storage.ErrFull, storage.ErrUnknownOutcome))), connect.CodeUnavailable,
			"unavailable", nil, second,
		},
		{
			refusal.ErrAccountRequired, connect.CodeFailedPrecondition, "an account is required to send emails",
			&hushv1.Refusal{Reason: hushv1.Refusal_REASON_ACCOUNT_REQUIRED, Field: "recipients"}, nil,
		},
		{
			&refusal.DomainError{Domain: "a.example"}, connect.CodeNotFound, "Domain not found a.example",
			&hushv1.Refusal{Reason: hushv1.Refusal_REASON_DOMAIN_NOT_FOUND, Field: "domain"}, nil,
		},
		{refusal.ErrBusy, connect.CodeUnavailable, "busy", nil, second},
		{refusal.ErrUnavailable, connect.CodeUnavailable, "unavailable", nil, second},
		{context.Canceled, connect.CodeCanceled, "context canceled", nil, nil},
		{context.DeadlineExceeded, connect.CodeDeadlineExceeded, "context deadline exceeded", nil, nil},
		{connect.NewError(connect.CodeAborted, errors.New("as it is")), connect.CodeAborted, "as it is", nil, nil},
	} {
		// Services wrap errors; the caller must not see the wrapping.
		for _, err := range []error{c.err, fmt.Errorf("canary: %w", c.err), errors.Join(c.err, errors.New("canary"))} {
			got, ok := errors.AsType[*connect.Error](onWire(mapped(textLog(io.Discard), "", err)))
			if !ok || got.Code() != c.code || got.Message() != c.message {
				t.Errorf("mapped(%v): got %v, want %v: %s", err, got, c.code, c.message)
				continue
			}
			refusal, retry := detailsOf(t, got)
			if diff := cmp.Diff(c.refusal, refusal, protocmp.Transform()); diff != "" {
				t.Errorf("mapped(%v): refusal (-want +got):\n%s", err, diff)
			}
			if diff := cmp.Diff(c.retry, retry, protocmp.Transform()); diff != "" {
				t.Errorf("mapped(%v): retry info (-want +got):\n%s", err, diff)
			}
			header := ""
			if c.retry != nil {
				header = strconv.FormatFloat(c.retry.GetRetryDelay().AsDuration().Seconds(), 'f', 0, 64)
			}
			if after := got.Meta().Get("Retry-After"); after != header {
				t.Errorf("mapped(%v): got Retry-After %q, want %q", err, after, header)
			}
		}
	}
}

func TestRetryAfterIsRoundedUp(t *testing.T) {
	t.Parallel()
	for delay, want := range map[time.Duration]string{time.Millisecond: "1", time.Second: "1", 1001 * time.Millisecond: "2", 20 * time.Minute: "1200"} {
		if got := RetryAfter(delay); got != want {
			t.Errorf("RetryAfter(%s): got %s, want %s", delay, got, want)
		}
	}
}

func detailsOf(t *testing.T, err *connect.Error) (refusal *hushv1.Refusal, retry *errdetails.RetryInfo) {
	t.Helper()
	for _, detail := range err.Details() {
		message, err := detail.Value()
		if err != nil {
			t.Fatalf("Value of a %s: got %v, want no error", detail.Type(), err)
		}
		switch m := message.(type) {
		case *hushv1.Refusal:
			refusal = m
		case *errdetails.RetryInfo:
			retry = m
		}
	}
	return refusal, retry
}

// Some sentinels are mapped themselves, some through the types that wrap them.
// The names are read from the source, so that this test fails for one that is
// added to the vault and forgotten here.
func TestMapErrorKnowsEverySentinel(t *testing.T) {
	t.Parallel()
	known := map[string]struct{ sentinel, returned error }{
		"ErrNotFound":        {refusal.ErrNotFound, refusal.ErrNotFound},
		"ErrUnauthenticated": {refusal.ErrUnauthenticated, refusal.ErrUnauthenticated},
		"ErrInvalid":         {refusal.ErrInvalid, &refusal.InvalidError{}},
		"ErrTooLarge":        {refusal.ErrTooLarge, &refusal.TooLargeError{}},
		"ErrPassphrase":      {refusal.ErrPassphrase, &refusal.PassphraseError{}},
		"ErrLocked":          {refusal.ErrLocked, &refusal.LockedError{}},
		"ErrLink":            {refusal.ErrLink, refusal.ErrLink},
		"ErrVersion":         {refusal.ErrVersion, refusal.ErrVersion},
		"ErrArriving":        {refusal.ErrArriving, refusal.ErrArriving},
		"ErrUploadToken":     {refusal.ErrUploadToken, refusal.ErrUploadToken},
		"ErrPartDiffers":     {refusal.ErrPartDiffers, refusal.ErrPartDiffers},
		"ErrNoFiles":         {refusal.ErrNoFiles, refusal.ErrNoFiles},
		"ErrEncryption":      {refusal.ErrEncryption, &refusal.EncryptionError{}},
		"ErrQuota":           {refusal.ErrQuota, refusal.ErrQuota},
		"ErrAccountRequired": {refusal.ErrAccountRequired, refusal.ErrAccountRequired},
		"ErrDomainNotFound":  {refusal.ErrDomainNotFound, &refusal.DomainError{}},
		"ErrScope":           {refusal.ErrScope, refusal.ErrScope},
		"ErrCredentials":     {refusal.ErrCredentials, refusal.ErrCredentials},
		"ErrPolicy":          {refusal.ErrPolicy, &caller.PolicyError{}},
		"ErrMaintenance":     {refusal.ErrMaintenance, &caller.MaintenanceError{}},
		"ErrAddressTaken":    {refusal.ErrAddressTaken, refusal.ErrAddressTaken},
		"ErrTicket":          {refusal.ErrTicket, refusal.ErrTicket},
		"ErrDuplicate":       {refusal.ErrDuplicate, refusal.ErrDuplicate},
		"ErrRequestEnded":    {refusal.ErrRequestEnded, refusal.ErrRequestEnded},
		"ErrTooMany":         {refusal.ErrTooMany, &refusal.TooManyError{}},
		"ErrChallenge":       {refusal.ErrChallenge, &refusal.ChallengeError{}},
		"ErrNoMail":          {refusal.ErrNoMail, refusal.ErrNoMail},
		"ErrNotConfigured":   {refusal.ErrNotConfigured, refusal.ErrNotConfigured},
		"ErrDomainSuspended": {refusal.ErrDomainSuspended, refusal.ErrDomainSuspended},
		"ErrBusy":            {refusal.ErrBusy, refusal.ErrBusy},
		"ErrDiskFull":        {refusal.ErrDiskFull, refusal.ErrDiskFull},
		"ErrUnavailable":     {refusal.ErrUnavailable, refusal.ErrUnavailable},
	}
	for _, name := range sentinelsOf(t, "../../vault/refusal/refusal.go") {
		row, ok := known[name]
		if name == "ErrUndeliverable" || name == "ErrUnsupportedAddress" {
			continue // between vault and mail; no caller gets it
		}
		if !ok {
			t.Errorf("vault/refusal/refusal.go: got %s, want it in the table and here", name)
			continue
		}
		if !errors.Is(row.returned, row.sentinel) {
			t.Errorf("errors.Is(%T, %s): got false, want true", row.returned, name)
		}
		if mapError(row.returned) == nil {
			t.Errorf("mapError(%s): got nothing, want a code", name)
		}
	}
}

func TestMapErrorHidesTheRest(t *testing.T) {
	t.Parallel()
	for _, err := range []error{errors.New("canary"), errNoCaller, errPanic, errNotAdmitted, &refusal.InvalidError{}} {
		got := mapError(err)
		if invalid := (*refusal.InvalidError)(nil); errors.As(err, &invalid) {
			continue
		}
		if got != nil {
			t.Errorf("mapError(%v): got %v, want nothing, which means internal", err, got)
		}
	}
}

// A service fails or panics with a secret in its error. The caller gets an id
// to ask about, and the log has only the type of a panic's value.
func TestInternalErrorsTellNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		serve  func() error
		logged bool // the operator sees the cause's text
	}{
		"an unknown error":    {func() error { return errors.New("canary-0123456789") }, true},
		"a panic":             {func() error { panic("canary-0123456789") }, false},
		"a panic of an error": {func() error { panic(errors.New("canary-0123456789")) }, false},
		"a panic of a struct": {func() error { panic(struct{ Secret string }{"canary-0123456789"}) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log := &strings.Builder{}
			chain := chainOf(gateOf(t, nil), textLog(log))
			method := bind(chain, "/hush.v1.SystemService/GetStatus", func(context.Context, *hushv1.GetStatusRequest) (*hushv1.GetStatusResponse, error) {
				return nil, c.serve()
			})
			_, err := admitted(t.Context(), &record{}, method, &hushv1.GetStatusRequest{})
			if codeOf(err) != connect.CodeInternal || strings.Contains(err.Error(), "canary") {
				t.Errorf("Call: got %v, want an internal error without its cause", err)
			}
			id := err.Error()[strings.LastIndex(err.Error(), " ")+1:]
			if len(id) != 10 || !strings.Contains(log.String(), "id="+id) {
				t.Errorf("Call: got %v and the log %s, want one id in both", err, log)
			}
			if strings.Contains(log.String(), "canary") != c.logged {
				t.Errorf("Call: got the log %s, want the cause in it: %t", log, c.logged)
			}
		})
	}
}
