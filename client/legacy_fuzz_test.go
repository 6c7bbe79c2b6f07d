package client_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"hush/client"
)

// FuzzLegacyAnswer gives each call any answer. Property: no call panics, an error
// shows neither the key nor the passphrase, and what is returned has the form that
// its comment promises.
func FuzzLegacyAnswer(f *testing.F) {
	for _, body := range []string{
		`{"metadata_key":"` + aKey + `","secret_key":"` + aKey + `","state":"new","ttl":1,"recipient":[]}`,
		`{"record":{"metadata":{"key":"` + aKey + `","secret_ttl":"604800.0","created":1e99},"secret":{}}}`,
		`{"record":{"key":"` + aKey + `","state":"received","received":"1795236735","recipients":["a",7]}}`,
		`[{"metadata_key":null}]`, `{"records":[{"key":7}]}`, `{"value":"x"}`, `{"message":{"message":"x"}}`, `{"state":{}}`, ``, `<html>`,
		`{"record":{"key":"` + aKey + `","created_date_utc":"2026-11-21@04:52:15 UTC"},"details":{"is_received":"true"}}`,
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
			c, err := client.New("http://ots.example", withAccount(client.Options{Protocol: protocol, HTTP: &http.Client{Transport: transport}}))
			if err != nil {
				t.Fatal(err)
			}
			c.Hurry(1, 1<<40)
			callAll(t, c, string(body))
		}
		if found, err := client.Detect(t.Context(), "http://ots.example", &http.Client{Transport: transport}); err != nil && found != (client.Found{}) {
			t.Errorf("Detect: got %+v and %v", found, err)
		}
	})
}

// callAll makes each call once.
func callAll(t *testing.T, c *client.Client, body string) {
	t.Helper()
	key, phrase := client.Hide(aKey), client.Hide(aPhrase)
	link := client.Link{Server: c.Server(), Encryption: client.EncryptionServer, Key: key, Foreign: true}
	check := func(err error) {
		if err != nil && (!strings.Contains(body, aKey) && strings.Contains(err.Error(), aKey) || strings.Contains(err.Error(), aPhrase)) {
			t.Errorf("got %v, want an error without secrets", err)
		}
	}
	checkReceipt := func(r client.Receipt, err error) {
		check(err)
		if len(r.ShortID) > 8 || err == nil && r.Key.IsEmpty() {
			t.Errorf("got %+v, want a receipt with a key", r)
		}
	}
	request := aText(aCanary)
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
