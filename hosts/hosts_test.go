package hosts_test

import (
	"testing"

	"hush/hosts"
)

func TestIsLoopback(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "127.0.0.1": true, "127.8.9.10": true, "::1": true, "::ffff:127.0.0.1": true,
		"": false, "localhost.example.com": false, "127.0.0.1.example.com": false, "0.0.0.0": false, "::": false,
		"192.0.2.1": false, "[::1]": false, "127.0.0.1:80": false, "127.1": false,
	} {
		if got := hosts.IsLoopback(host); got != want {
			t.Errorf("IsLoopback(%q): got %t, want %t", host, got, want)
		}
	}
}
