package client_test

import (
	"testing"

	"hush/client"
)

// A name that looks like an address of this machine is none.
func TestParseServerOfOtherMachines(t *testing.T) {
	t.Parallel()
	for server, want := range map[string]string{
		"127.0.0.1:80":         "http://127.0.0.1:80",
		"[::1]:80":             "http://[::1]:80",
		"localhost":            "http://localhost",
		"127.0.0.1.example":    "https://127.0.0.1.example",
		"127.hush.example:443": "https://127.hush.example:443",
	} {
		if got, err := client.ParseServer(server); err != nil || got.String() != want {
			t.Errorf("ParseServer(%s): got %v, %v, want %s", server, got, err, want)
		}
	}
}
