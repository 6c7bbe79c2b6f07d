package onetime_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"hush/client"
	"hush/client/clienttest"
	"hush/client/otstest"
)

// answered returns what a call makes of an answer.
func answered(t *testing.T, protocol client.Protocol, status int, header map[string]string, body string, call func(*foreign) error) error {
	t.Helper()
	f := newForeign(t, protocol, otstest.Options{Intercept: func(_ *otstest.Server, w http.ResponseWriter, _ *http.Request) bool {
		for name, value := range header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
		return true
	}}, client.Options{})
	return call(f)
}

func anOpen(f *foreign) error {
	link := client.Link{Server: f.URL, Encryption: client.EncryptionServer, Key: client.Hide(clienttest.Key), Foreign: true}
	_, err := f.Open(context.Background(), link, client.Hide(aPhrase), client.Claim{})
	return err
}

func aShare(f *foreign) error {
	_, err := f.Share(context.Background(), clienttest.Text(aCanary))
	return err
}

func aReceipt(f *foreign) error {
	_, err := f.Receipt(context.Background(), client.Hide(clienttest.Key))
	return err
}

// Errors of all releases, and of what stands in front of them.
func TestErrors(t *testing.T) {
	t.Parallel()
	v1, v2 := client.ProtocolV1, client.ProtocolV2
	failure := &client.Error{Kind: client.KindFailure}
	for _, test := range []struct {
		name     string
		protocol client.Protocol
		status   int
		header   map[string]string
		body     string
		call     func(*foreign) error
		want     *client.Error
	}{
		{"limit of v1", v1, 404, nil, `{"message":"Cripes! You have been rate limited."}`, anOpen, client.ErrLimited},
		{"limit of old releases", v1, 404, nil, `{"message":"Apologies dear citizen! You have been rate limited."}`, aShare, client.ErrLimited},
		{"limit of the newest", v1, 404, map[string]string{"X-OTS-Intended-Status": "400"}, `{"message":"Rate limit exceeded. Please try again later."}`, aShare, client.ErrLimited},
		{"limit that is meant", v1, 404, map[string]string{"X-OTS-Intended-Status": "429"}, `{"message":"Slow down"}`, aShare, client.ErrLimited},
		{"limit of v2", v2, 429, map[string]string{"Retry-After": "7"}, `{"message":"Cripes! You have been rate limited.","success":false}`, aShare, client.ErrLimited},
		{"limit of a gateway", v2, 429, map[string]string{"Retry-After": "7"}, `<html>`, aShare, client.ErrLimited},
		{"tries of the newest", v2, 429, nil, `{"error":"Too many","retry_after":7,"attempts":6,"max_attempts":5}`, anOpen, client.ErrLocked},
		{"not authorized in v1", v1, 404, nil, `{"message":"Not authorized"}`, aShare, client.ErrUnauthorized},
		{"not authorized that is meant", v1, 404, map[string]string{"X-OTS-Intended-Status": "401"}, `{"message":"No"}`, aShare, client.ErrUnauthorized},
		{"not authorized in v2", v2, 403, nil, `{"message":"Not authorized"}`, aShare, client.ErrUnauthorized},
		{"not authorized in the newest", v2, 401, nil, `{"error":"Authentication required","error_type":"Unauthorized"}`, aShare, client.ErrUnauthorized},
		{"no guests", v2, 403, nil, `{"error":"Disabled","code":"GUEST_CONCEAL_DISABLED"}`, aShare, client.ErrUnauthorized},
		{"unknown in v1", v1, 404, nil, `{"secret_key":"k","message":"Unknown secret"}`, aReceipt, client.ErrGone},
		{"unknown in v2", v2, 404, nil, `{"secret_key":"k","message":"Unknown secret"}`, anOpen, client.ErrGone},
		{"unknown in another language", v2, 404, nil, `{"secret_key":"k","message":"Unbekannt"}`, anOpen, client.ErrGone},
		{"unknown in the newest", v2, 404, nil, `{"error":"Secret not found","error_type":"RecordNotFound"}`, anOpen, client.ErrGone},
		{"no such path in v1", v1, 404, nil, `{"error":"Not Found"}`, anOpen, client.ErrProtocol},
		{"no such path in v2", v2, 404, nil, `{"message":"Not Found"}`, anOpen, client.ErrProtocol},
		{"unknown in the words for a path", v2, 404, nil, `{"error":"Not Found","error_type":"RecordNotFound"}`, anOpen, client.ErrGone},
		{"no such path in the newest", v2, 404, nil, `{"error":"Nothing here","error_type":"RouteNotFound"}`, anOpen, client.ErrProtocol},
		{"page", v1, 404, nil, `<!doctype html>`, anOpen, client.ErrProtocol},
		{"page of success", v1, 200, nil, `<!doctype html>`, aShare, client.ErrProtocol},
		{"list in place of an object", v2, 200, nil, `[]`, aShare, client.ErrProtocol},
		{"object without keys", v1, 200, nil, `{}`, aShare, client.ErrProtocol},
		{"answer without a text", v1, 200, nil, `{"secret_key":"k"}`, anOpen, client.ErrProtocol},
		{"text that is none", v1, 200, nil, `{"value":7}`, anOpen, client.ErrProtocol},
		{"receipt of another", v1, 200, nil, `{"metadata_key":"` + strings.Repeat("b", 31) + `","state":"new"}`, aReceipt, client.ErrProtocol},
		{"portal", v2, 403, nil, `<html>`, aShare, client.ErrProtocol},
		{"redirect", v2, 301, map[string]string{"Location": "https://elsewhere.example/login?" + clienttest.Key}, ``, aShare, client.ErrProtocol},
		{"gateway", v1, 502, nil, `<html>`, aShare, client.ErrNetwork},
		{"exception in v1", v1, 404, nil, `{"message":"An unexpected error occurred :["}`, anOpen, failure},
		{"crash in v1", v1, 500, nil, `{"error":"Internal Server Error"}`, anOpen, failure},
		{"store in v1", v1, 404, nil, `{"message":"An error occurred :["}`, aReceipt, failure},
		{"restart", v2, 400, nil, `{"message":"We'll be back shortly!"}`, aReceipt, client.ErrNetwork},
		{"message in a message", v2, 400, nil, `{"message":{"message":"Bad"},"success":false}`, aShare, client.ErrRefused},
		{"domain", v2, 404, nil, `{"message":"Domain not found x.example"}`, aShare, client.ErrRefused},
		{"end-to-end secret", v2, 422, nil, `{"message":"This secret is end-to-end encrypted."}`, anOpen, client.ErrUnsupported},
		{"passphrase in later words", v2, 422, nil, `{"message":"Incorrect passphrase"}`, anOpen, client.ErrPassphrase},
	} {
		err := answered(t, test.protocol, test.status, test.header, test.body, test.call)
		got := clienttest.WantError(t, test.name, err, test.want)
		if strings.Contains(err.Error(), clienttest.Key) || strings.Contains(err.Error(), aCanary) || strings.HasSuffix(got.Message, ".") {
			t.Errorf("%s: got %v, want neither a key, nor a text, nor a full stop", test.name, err)
		}
		if _, hasWait := test.header["Retry-After"]; (hasWait || test.want == client.ErrLocked) && got.RetryAfter != 7*time.Second {
			t.Errorf("%s: got to wait %v, want 7s", test.name, got.RetryAfter)
		}
		if test.name == "redirect" && !strings.Contains(got.Message, "https://elsewhere.example") {
			t.Errorf("redirect: got %q, want where to", got.Message)
		}
	}
}

// A redirect could take a passphrase and a token to another server.
func TestFollowsNoRedirect(t *testing.T) {
	t.Parallel()
	elsewhere := otstest.Start(t, otstest.Options{})
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, protocol := range []client.Protocol{client.ProtocolV1, client.ProtocolV2} {
			header := map[string]string{"Location": elsewhere.URL + "/api/v1/share"}
			err := answered(t, protocol, status, header, "", func(f *foreign) error {
				// Not even if the client that was passed would.
				follows := clientOf(t, f.URL, withAccount(client.Options{Protocol: protocol, HTTP: &http.Client{}}))
				_, err := follows.Share(t.Context(), clienttest.Text(aCanary))
				return err
			})
			clienttest.WantError(t, "Share", err, client.ErrProtocol)
		}
	}
	if calls := elsewhere.Calls(); len(calls) != 0 {
		t.Errorf("got the calls %v, want none", calls)
	}
}

// The older releases count wrong passphrases, and a look without one as wrong.
func TestTries(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, release otstest.Release, protocol client.Protocol) {
		f := newForeign(t, protocol, otstest.Options{Release: release}, client.Options{})
		request := clienttest.Text(aCanary)
		request.Passphrase = client.Hide(aPhrase)
		shared := clienttest.MustShare(t, f.Client, request)
		var err error
		for range 6 {
			_, err = f.Open(t.Context(), shared.Link, client.Hide("wrong"), client.Claim{})
		}
		want := client.ErrLimited
		if release == otstest.Release0266 && protocol == client.ProtocolV2 {
			want = client.ErrLocked
		}
		clienttest.WantError(t, "Open with the sixth wrong passphrase", err, want)
		opened, err := f.Open(t.Context(), shared.Link, client.Hide(aPhrase), client.Claim{})
		clienttest.WantText(t, opened, err, aCanary)
	})
}

// The first names of receipts in v2 are deprecated. A release without them is used by
// the later one.
func TestLaterNames(t *testing.T) {
	t.Parallel()
	f := newForeign(t, client.ProtocolV2, otstest.Options{Release: otstest.Release0266, Intercept: func(s *otstest.Server, w http.ResponseWriter, r *http.Request) bool {
		return strings.Contains(r.URL.Path, "/private/") && otstest.RepliesWith(404, `{"message":"Not Found"}`, false)(s, w, r)
	}}, withAccount(client.Options{}))
	shared := clienttest.MustShare(t, f.Client, clienttest.Text(aCanary))
	if receipt, err := f.Receipt(t.Context(), shared.Receipt.Key); err != nil || receipt.State != client.StateWaiting {
		t.Errorf("Receipt: got %v, %v, want it waiting", receipt.State, err)
	}
	if account, err := f.Account(t.Context()); err != nil || account.Address != clienttest.Address {
		t.Errorf("Account: got %+v, %v", account, err)
	}
	for receipt, err := range f.Receipts(t.Context()) {
		if err != nil || receipt.ShortID != shared.Receipt.ShortID {
			t.Errorf("Receipts: got %s, %v, want %s", receipt.ShortID, err, shared.Receipt.ShortID)
		}
	}
	if receipt, err := f.Burn(t.Context(), shared.Receipt.Key, client.Text{}); err != nil || receipt.State != client.StateBurned {
		t.Errorf("Burn: got %v, %v, want it burned", receipt.State, err)
	}
}

// The newest release can switch off the routes of guests.
func TestNoGuests(t *testing.T) {
	t.Parallel()
	setup := otstest.Options{Release: otstest.Release0266, NoGuests: true}
	guest := newForeign(t, client.ProtocolV2, setup, client.Options{})
	_, err := guest.Share(t.Context(), clienttest.Text(aCanary))
	clienttest.WantError(t, "Share", err, client.ErrUnauthorized)
	clienttest.MustShare(t, newForeign(t, client.ProtocolV2, setup, withAccount(client.Options{})).Client, clienttest.Text(aCanary))
}
