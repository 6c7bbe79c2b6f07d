package recorded

import (
	"os"
	"testing"
)

func TestReadTree(t *testing.T) {
	t.Parallel()
	all, err := Read(os.DirFS("../.."))
	if err != nil || len(all) < 300 {
		t.Errorf("Read(): got %d exchanges and %v, want 300 or more", len(all), err)
	}
}

func TestFill(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`"<time>"`:                     `"2026-11-21T10:00:00Z"`,
		`{"created": <time>}`:          `{"created": 1795255200}`,
		`<base>/s`:                     `https://hush.example/s`,
		`"revision": <measured>`:       `"revision": "unknown"`,
		`"file_bytes": <measured>`:     `"file_bytes": 60`,
		`<secret, 6>`:                  fill("<secret>", true)[:6],
		`no <Name> & <b`:               `no <Name> & <b`,
		fill(`<secret2>`, true)[31:]:   ``,
		fill(`<ada-secret>`, true)[:0]: ``,
	} {
		if got := fill(text, true); got != want {
			t.Errorf("fill(%q): got %q, want %q", text, got, want)
		}
	}
	if fill("<secret>", true) == fill("<secret2>", true) {
		t.Error("fill(): got the same key for two secrets, want two")
	}
}
