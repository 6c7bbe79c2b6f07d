package hush_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/types/known/durationpb"

	"hush/client"
	"hush/client/clienttest"
	hushv1 "hush/gen/hush/v1"
	"hush/vault/vaulttest"
)

// because is the detail for a reason.
func because(reason hushv1.Refusal_Reason) *hushv1.Refusal { return &hushv1.Refusal{Reason: reason} }

func in(wait time.Duration) *errdetails.RetryInfo {
	return &errdetails.RetryInfo{RetryDelay: durationpb.New(wait)}
}

func TestKindsOfRefusals(t *testing.T) {
	t.Parallel()
	s := clienttest.Start(t, vaulttest.Options{}, nil)
	for name, c := range map[string]struct {
		told lie
		want client.Error
	}{
		"gone":            {refuses(connect.CodeNotFound, "x"), client.Error{Kind: client.KindGone}},
		"unauthenticated": {refuses(connect.CodeUnauthenticated, "x"), client.Error{Kind: client.KindUnauthorized}},
		"scope":           {refuses(connect.CodePermissionDenied, "x", because(hushv1.Refusal_REASON_SCOPE)), client.Error{Kind: client.KindUnauthorized}},
		"account":         {refuses(connect.CodeFailedPrecondition, "an account is needed", because(hushv1.Refusal_REASON_ACCOUNT_REQUIRED)), client.Error{Kind: client.KindUnauthorized, Message: "an account is needed"}},
		"passphrase":      {refuses(connect.CodePermissionDenied, "x", &hushv1.Refusal{Reason: hushv1.Refusal_REASON_PASSPHRASE, TriesLeft: 3}), client.Error{Kind: client.KindPassphrase, TriesLeft: 3}},
		"last passphrase": {refuses(connect.CodePermissionDenied, "x", because(hushv1.Refusal_REASON_PASSPHRASE), in(time.Minute)), client.Error{Kind: client.KindPassphrase, RetryAfter: time.Minute}},
		"no passphrase":   {refuses(connect.CodePermissionDenied, "x", &hushv1.Refusal{Reason: hushv1.Refusal_REASON_PASSPHRASE, PassphraseMissing: true}), client.Error{Kind: client.KindPassphrase, Missing: true, TriesLeft: -1}},
		"locked":          {refuses(connect.CodeResourceExhausted, "x", because(hushv1.Refusal_REASON_LOCKED), in(time.Minute)), client.Error{Kind: client.KindLocked, RetryAfter: time.Minute}},
		"locked for good": {refuses(connect.CodeResourceExhausted, "x", &hushv1.Refusal{Reason: hushv1.Refusal_REASON_LOCKED, ForGood: true}), client.Error{Kind: client.KindLocked, ForGood: true}},
		"link":            {refuses(connect.CodePermissionDenied, "x", because(hushv1.Refusal_REASON_LINK)), client.Error{Kind: client.KindLink}},
		"encryption":      {refuses(connect.CodeFailedPrecondition, "x", because(hushv1.Refusal_REASON_ENCRYPTION)), client.Error{Kind: client.KindAltered}},
		"rate":            {refuses(connect.CodeResourceExhausted, "x", because(hushv1.Refusal_REASON_RATE_LIMITED), in(time.Minute)), client.Error{Kind: client.KindLimited, RetryAfter: time.Minute}},
		"too many":        {refuses(connect.CodeResourceExhausted, "x", because(hushv1.Refusal_REASON_TOO_MANY)), client.Error{Kind: client.KindLimited}},
		"429":             {says(http.StatusTooManyRequests, "text/plain", "x"), client.Error{Kind: client.KindLimited, RetryAfter: 7 * time.Second}},
		"policy":          {refuses(connect.CodeFailedPrecondition, "not on Sundays.", because(hushv1.Refusal_REASON_POLICY)), client.Error{Kind: client.KindRefused, Message: "not on Sundays"}},
		"quota":           {refuses(connect.CodeResourceExhausted, "full", because(hushv1.Refusal_REASON_QUOTA)), client.Error{Kind: client.KindRefused, Message: "full"}},
		"maintenance":     {refuses(connect.CodeUnavailable, "at noon", because(hushv1.Refusal_REASON_MAINTENANCE)), client.Error{Kind: client.KindRefused, Message: "at noon"}},
		"future reason":   {refuses(connect.CodeFailedPrecondition, "because", because(99)), client.Error{Kind: client.KindRefused, Message: "because"}},
		"invalid":         {refuses(connect.CodeInvalidArgument, "wrong field"), client.Error{Kind: client.KindRefused, Message: "wrong field"}},
		"no words":        {refuses(connect.CodeInvalidArgument, ""), client.Error{Kind: client.KindRefused, Message: "the server refuses the call"}},
		"terminal":        {refuses(connect.CodeInvalidArgument, "\x1b]0;x\a\u202e"+strings.Repeat("y", 400)), client.Error{Kind: client.KindRefused, Message: "\ufffd]0;x\ufffd\ufffd" + strings.Repeat("y", 293) + "…"}},
		"internal":        {refuses(connect.CodeInternal, "internal error, id abc"), client.Error{Kind: client.KindFailure, Message: "the server failed: internal error, id abc"}},
		"unavailable":     {refuses(connect.CodeUnavailable, "x"), client.Error{Kind: client.KindNetwork}},
		"unknown call":    {refuses(connect.CodeUnimplemented, "x"), client.Error{Kind: client.KindProtocol}},
		"another server":  {says(http.StatusNotFound, "text/html", "x"), client.Error{Kind: client.KindProtocol}},
		"another API":     {says(http.StatusNotFound, "application/json", `{"message":"Not Found"}`), client.Error{Kind: client.KindProtocol}},
		"a page":          {says(http.StatusOK, "text/html", "x"), client.Error{Kind: client.KindProtocol}},
		"JSON":            {says(http.StatusOK, "application/json", "{}"), client.Error{Kind: client.KindProtocol}},
		"a firewall":      {says(http.StatusForbidden, "text/html", "x"), client.Error{Kind: client.KindProtocol}},
		"bad gateway":     {says(http.StatusBadGateway, "text/html", "x"), client.Error{Kind: client.KindNetwork}},
		"half a 404":      {says(http.StatusNotFound, "application/json", `{"code":"not_`), client.Error{Kind: client.KindNetwork}},
		"cut":             {cut(true), client.Error{Kind: client.KindNetwork}},
		"no message":      {says(http.StatusOK, "application/proto", "\xff\xff"), client.Error{Kind: client.KindProtocol}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := startDouble(t, s, map[string]lie{"GetSecret": c.told})
			link := clienttest.MustShare(t, clientOf(t, s.URL, client.Options{}), clienttest.Text("hunter2")).Link
			_, err := clientOf(t, d.url, client.Options{}).Look(t.Context(), link)
			got, ok := errors.AsType[*client.Error](err)
			if !ok || got.Kind != c.want.Kind || got.RetryAfter != c.want.RetryAfter || got.TriesLeft != c.want.TriesLeft || got.Missing != c.want.Missing || got.ForGood != c.want.ForGood {
				t.Fatalf("Look: got %+v, want %+v", got, c.want)
			}
			if c.want.Message != "" && got.Message != c.want.Message || got.Message == "" || strings.HasSuffix(got.Message, ".") {
				t.Errorf("Look: got %q, want %q", got.Message, c.want.Message)
			}
		})
	}
}

// A caller with a token is led to another server. The token must not go there.
func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	var asked bool
	thief := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer thief.Close()
	front := httptest.NewServer(http.RedirectHandler(thief.URL+"/a?b", http.StatusTemporaryRedirect))
	defer front.Close()
	_, err := clientOf(t, front.URL, client.Options{Token: client.Hide("0123456789")}).Account(t.Context())
	if got := clienttest.WantError(t, "Account", err, client.ErrProtocol); !strings.HasSuffix(got.Message, thief.URL) || asked {
		t.Errorf("Account: got %v, asked %t, want the address and no call", got, asked)
	}
}

func TestConnectionsThatDoNotComeAbout(t *testing.T) {
	t.Parallel()
	const closed = "http://" + clienttest.Nowhere
	said := &notices{}
	_, err := clientOf(t, closed, client.Options{Notice: said.add}).Policy(t.Context())
	if clienttest.WantError(t, "Policy of no server", err, client.ErrNetwork); said.count() != 3 {
		t.Errorf("Policy of no server: got %d notices, want 3", said.count())
	}
	stranger := httptest.NewUnstartedServer(http.NotFoundHandler())
	stranger.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	stranger.StartTLS()
	defer stranger.Close()
	_, err = clientOf(t, stranger.URL, client.Options{}).Policy(t.Context())
	got := clienttest.WantError(t, "Policy of an untrusted server", err, client.ErrNetwork)
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); !ok || !strings.Contains(got.Message, "certificate") {
		t.Errorf("Policy of an untrusted server: got %v, want its certificate", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = clientOf(t, closed, client.Options{}).Policy(ctx)
	if clienttest.WantError(t, "Policy after the end", err, client.ErrNetwork); !errors.Is(err, context.Canceled) {
		t.Errorf("Policy after the end: got %v, want its cause", err)
	}
	ctx, cancel = context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	_, err = clientOf(t, closed, client.Options{}).Policy(ctx)
	if clienttest.WantError(t, "Policy too late", err, client.ErrNetwork); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Policy too late: got %v, want its cause", err)
	}
}

// A server, or something in front of it, repeats what it was sent. Errors end up in
// logs, where none of it may stand.
func TestErrorsHoldNothingSecret(t *testing.T) {
	t.Parallel()
	s := clienttest.Start(t, vaulttest.Options{}, nil)
	token := client.Hide("0123456789abcdef0123456789abcdef01234567")
	var errs []error
	note := func(err error) { errs = append(errs, err) }
	for _, told := range []lie{
		refuses(connect.CodeInvalidArgument, "no: BODY"),
		refuses(connect.CodeInternal, "no: BODY"),
		refuses(connect.CodePermissionDenied, "BODY", because(hushv1.Refusal_REASON_POLICY)),
		says(http.StatusBadGateway, "text/html", "hunter2 "+aPassphrase),
		says(http.StatusNotFound, "text/html", "hunter2 "+aPassphrase),
		cut(true),
	} {
		for _, by := range []client.Encryption{client.EncryptionEndToEnd, client.EncryptionServer} {
			d := startDouble(t, s, nil)
			c := clientOf(t, d.url, client.Options{Notice: func(err error, _ time.Duration) { note(err) }})
			shared := clienttest.MustShare(t, c, aGuardedText(by))
			d.lie("RevealSecret", told)
			d.lie("ConcealSecret", told)
			_, err := c.Open(t.Context(), shared.Link, client.Hide(aPassphrase), client.Claim{})
			note(err)
			_, err = c.Share(t.Context(), aGuardedText(by))
			note(err)
			d.lie("GetSecret", told)
			d.lie("GetPolicy", told)
			named := clientOf(t, d.url, client.Options{Token: token})
			_, err = named.Look(t.Context(), shared.Link)
			note(err)
			_, err = named.Policy(t.Context())
			note(err)
			for _, err := range errs {
				text := fmt.Sprintf("%v %+v %#v", err, err, err)
				for _, secret := range []string{"hunter2", aPassphrase, token.Expose(), shared.Link.Key.Expose(), shared.Link.Expose()[40:]} {
					if err == nil || strings.Contains(text, secret) {
						t.Errorf("got %q in the error %v", secret, text)
					}
				}
			}
			errs = nil
		}
	}
}
