// Package clienttest is a kit for tests of package client and its protocols: Hush
// servers over real HTTP, on a real vault; a network in memory; and checks of what a
// client returns.
package clienttest

import (
	"errors"
	"net"
	"testing"

	"hush/client"
)

const (
	// Address is the e-mail address of an account of a Server.
	Address = "ada@example.com"
	// Key has the form of a key of a secret or a receipt.
	Key = "0123456789abcdefghijklmnopqrstu"
	// Nowhere is an address that refuses connections: that of a service of long ago,
	// whose port no test gets.
	Nowhere = "127.0.0.1:1"
)

// Listen listens on a loopback port.
func Listen(t testing.TB) net.Listener {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// Text is a request to share a text.
func Text(text string) client.ShareRequest {
	return client.ShareRequest{Content: &client.Content{Bytes: []byte(text)}}
}

// MustShare shares.
func MustShare(t testing.TB, c client.Backend, request client.ShareRequest) client.Shared {
	t.Helper()
	shared, err := c.Share(t.Context(), request)
	if err != nil {
		t.Fatalf("Share: got %v, want no error", err)
	}
	return shared
}

// Parsed returns a link as its recipient has it, from its text.
func Parsed(t testing.TB, link client.Link) client.Link {
	t.Helper()
	again, err := client.ParseLink(link.Expose())
	if err != nil {
		t.Fatalf("ParseLink(link of Share): got %v, want no error", err)
	}
	return again
}

// MustParseLink parses a link.
func MustParseLink(t testing.TB, text string) client.Link {
	t.Helper()
	link, err := client.ParseLink(text)
	if err != nil {
		t.Fatal(err)
	}
	return link
}

// WantError checks the kind of an error, and returns it.
func WantError(t testing.TB, what string, err error, want *client.Error) *client.Error {
	t.Helper()
	got, ok := errors.AsType[*client.Error](err)
	if !ok || !errors.Is(err, want) {
		t.Fatalf("%s: got %v, want the kind of %v", what, err, want)
	}
	return got
}

// WantText checks what was opened.
func WantText(t testing.TB, opened client.Opened, err error, want string) {
	t.Helper()
	if err != nil || string(opened.Content.Bytes) != want {
		t.Errorf("Open: got %q, %v, want %q", opened.Content.Bytes, err, want)
	}
}
