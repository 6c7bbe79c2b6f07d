package onetime_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"hush/client"
	"hush/client/clienttest"
	"hush/client/protocols"
)

// FuzzAnswer gives each call any answer. Property: no call panics, an error
// shows neither the key nor the passphrase, and what is returned has the form that
// its comment promises.
func FuzzAnswer(f *testing.F) {
	for _, body := range []string{
		`{"metadata_key":"` + clienttest.Key + `","secret_key":"` + clienttest.Key + `","state":"new","ttl":1,"recipient":[]}`,
		`{"record":{"metadata":{"key":"` + clienttest.Key + `","secret_ttl":"604800.0","created":1e99},"secret":{}}}`,
		`{"record":{"key":"` + clienttest.Key + `","state":"received","received":"1795236735","recipients":["a",7]}}`,
		`[{"metadata_key":null}]`, `{"records":[{"key":7}]}`, `{"value":"x"}`, `{"message":{"message":"x"}}`, `{"state":{}}`, ``, `<html>`,
		`{"record":{"key":"` + clienttest.Key + `","created_date_utc":"2026-11-21@04:52:15 UTC"},"details":{"is_received":"true"}}`,
	} {
		for _, status := range []int{200, 404, 422, 500} {
			f.Add(status, []byte(body))
		}
	}
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		if status < 200 || status > 599 {
			return
		}
		transport := roundTrip(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(string(body))), Request: r}, nil
		})
		for _, protocol := range []client.Protocol{client.ProtocolV1, client.ProtocolV2} {
			c := hurriedClient(t, "http://ots.example", withAccount(client.Options{Protocol: protocol, HTTP: &http.Client{Transport: transport}}), 1, 1<<40)
			callAll(t, c, string(body))
		}
		if found, err := protocols.Detect(t.Context(), "http://ots.example", &http.Client{Transport: transport}); err != nil && found != (protocols.Found{}) {
			t.Errorf("Detect: got %+v and %v", found, err)
		}
	})
}

// callAll makes each call once.
func callAll(t *testing.T, c *client.Client, body string) {
	t.Helper()
	key, phrase := client.Hide(clienttest.Key), client.Hide(aPhrase)
	link := client.Link{Server: c.Server(), Encryption: client.EncryptionServer, Key: key, Foreign: true}
	check := func(err error) {
		if err != nil && (!strings.Contains(body, clienttest.Key) && strings.Contains(err.Error(), clienttest.Key) || strings.Contains(err.Error(), aPhrase)) {
			t.Errorf("got %v, want an error without secrets", err)
		}
	}
	checkReceipt := func(r client.Receipt, err error) {
		check(err)
		if len(r.ShortID) > 8 || err == nil && r.Key.IsEmpty() {
			t.Errorf("got %+v, want a receipt with a key", r)
		}
	}
	request := clienttest.Text(aCanary)
	request.Passphrase = phrase
	shared, err := c.Share(t.Context(), request)
	check(err)
	if err == nil {
		if again, err := client.ParseLink(shared.Link.Expose()); err != nil || again.Expose() != shared.Link.Expose() {
			t.Errorf("ParseLink(link of Share): got %v, %v", again.Expose(), err)
		}
		if _, err := client.ParseReceiptLink(shared.ReceiptLink.Expose()); err != nil {
			t.Errorf("ParseReceiptLink(link of Share): got %v", err)
		}
	}
	_, err = c.Look(t.Context(), link)
	check(err)
	_, err = c.Open(t.Context(), link, phrase, client.Claim{})
	check(err)
	checkReceipt(c.Receipt(t.Context(), key))
	checkReceipt(c.Burn(t.Context(), key, phrase))
	for receipt, err := range c.Receipts(t.Context()) {
		checkReceipt(receipt, err)
	}
	_, err = c.Account(t.Context())
	check(err)
}
