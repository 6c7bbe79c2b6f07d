package protocols_test

import (
	"testing"

	"hush/client"
	"hush/client/protocols"
)

const (
	canary     = "canary-3f9c in the coal mine"
	passphrase = "correct horse battery"
)

func clientOf(t testing.TB, server string, options client.Options) *client.Client {
	t.Helper()
	c, err := protocols.New(server, options)
	if err != nil {
		t.Fatalf("New(%s): got %v, want no error", server, err)
	}
	return c
}
