package hush_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"hush/client"
	"hush/client/clienttest"
	"hush/client/hush"
	"hush/routes/apitest"
)

// clientOf returns a client of a server that waits for little and whose passphrases
// cost nothing.
func clientOf(t testing.TB, server string, options client.Options) *hush.Client {
	t.Helper()
	base, err := client.ParseServer(server)
	if err != nil {
		t.Fatalf("ParseServer(%s): got %v, want no error", server, err)
	}
	c := hush.New(base, options)
	c.Hurry(time.Millisecond, time.Minute)
	c.Cheapen()
	return c
}

// clientOn returns a client that reaches servers on a network in memory.
func clientOn(t testing.TB, n *apitest.Network, server string, options client.Options) *hush.Client {
	t.Helper()
	if options.HTTP == nil {
		options.HTTP = &http.Client{Transport: n.Transport()}
	}
	return clientOf(t, server, options)
}

// changed returns a link with another last character, as a mail gateway or a person
// makes it.
func changed(t testing.TB, link client.Link) client.Link {
	t.Helper()
	const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	text := link.Expose()
	last := len(text) - 1
	next := (strings.IndexByte(letters, text[last]) + 1) % len(letters)
	return clienttest.MustParseLink(t, text[:last]+letters[next:next+1])
}

// wantReceipt compares all of a receipt but its key.
func wantReceipt(t testing.TB, what string, got, want client.Receipt) {
	t.Helper()
	got.Key = client.Text{}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(client.Receipt{}, "Key")); diff != "" {
		t.Errorf("%s: got another receipt than wanted (-want +got):\n%s", what, diff)
	}
}
