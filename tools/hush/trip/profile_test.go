package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const source = `package key

type ring[T any] struct{}

func New() *ring[int] {
	return &ring[int]{}
}

func (r *ring[T]) Open() {
	go func() {
		println()
	}()
}

func (r ring[T]) Close() {}
`

// writeModule returns a folder with the source above as seal/key.go.
func writeModule(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "seal"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "seal/key.go"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	return root
}

func TestFunctionsOfAProfile(t *testing.T) {
	t.Parallel()
	root := writeModule(t)
	for _, test := range []struct {
		name    string
		blocks  string
		entered []string
	}{
		{"nothing", "hush/seal/key.go:5.25,7.2 1 0\n", nil},
		{"a function", "hush/seal/key.go:5.25,7.2 1 2\nhush/seal/key.go:15.26,15.27 0 0\n", []string{"seal/key.go New"}},
		{"a function literal", "hush/seal/key.go:10.12,12.3 1 1\n", []string{"seal/key.go ring.Open"}},
		{"a method twice", "hush/seal/key.go:9.27,10.12 1 1\nhush/seal/key.go:10.12,12.3 1 1\n", []string{"seal/key.go ring.Open"}},
		{"a function of one line", "hush/seal/key.go:15.26,15.27 1 1\n", []string{"seal/key.go ring.Close"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := readProfile(root, "mode: atomic\n"+test.blocks)
			if err != nil || !slices.Equal(got.names(), test.entered) {
				t.Errorf("readProfile: got %q and %v, want %q", got.names(), err, test.entered)
			}
		})
	}
}

func TestBrokenProfilesAreRefused(t *testing.T) {
	t.Parallel()
	root := writeModule(t)
	for _, text := range []string{
		"", "hush/seal/key.go:5.25,7.2 1 1\n", "mode: set\nhush/seal/key.go:5.25,7.2\n", "mode: set\nother/seal/key.go:5.25,7.2 1 1\n",
		"mode: set\nhush/seal/key.go:x,7.2 1 1\n", "mode: set\nhush/seal/gone.go:5.25,7.2 1 1\n",
	} {
		if got, err := readProfile(root, text); err == nil {
			t.Errorf("readProfile(%q): got %q, want an error", text, got.names())
		}
	}
}

func TestFiguresAndDifferences(t *testing.T) {
	t.Parallel()
	one := functions{{"seal/key.go", "New"}: true, {"seal/key.go", "ring.Open"}: true, {"vault/open.go", "Open"}: true}
	if got, want := one.figures("share"), (figures{"share", 3, 2, 2}); got != want {
		t.Errorf("figures: got %v, want %v", got, want)
	}
	other := functions{{"seal/key.go", "New"}: true, {"vault/open.go", "Open"}: true, {"vault/vault.go", "Close"}: true}
	if got, want := one.difference(other), []string{"seal/key.go ring.Open", "vault/vault.go Close"}; !slices.Equal(got, want) {
		t.Errorf("difference: got %q, want %q", got, want)
	}
	if got := one.difference(one); len(got) > 0 {
		t.Errorf("difference: got %q, want none", got)
	}
}

func TestCountsAboveTheLimitFail(t *testing.T) {
	t.Parallel()
	allowed, err := parse(format([]figures{{"share", 3, 2, 2}}))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name    string
		counted figures
		wrong   []string
		better  bool
	}{
		{"equal", figures{"share", 3, 2, 2}, nil, false},
		{"below", figures{"share", 2, 2, 2}, nil, true},
		{"functions", figures{"share", 4, 2, 2}, []string{"share enters 4 functions, want at most 3"}, false},
		{"all", figures{"share", 4, 3, 3}, []string{"4 functions", "3 files", "3 packages"}, false},
		{"both", figures{"share", 4, 1, 2}, []string{"4 functions"}, true},
		{"unknown", figures{"burn", 1, 1, 1}, []string{"no line for burn", "a line for share, which is no call"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			err := compare(&out, []figures{test.counted}, allowed)
			if (err != nil) != (test.wrong != nil) || (out.Len() > 0) != test.better {
				t.Fatalf("compare: got %v and %q, want errors about %q and a note: %t", err, out.String(), test.wrong, test.better)
			}
			for _, word := range test.wrong {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("compare: got %v, want %q in it", err, word)
				}
			}
		})
	}
}

func TestBrokenFiguresAreRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"share\n", "share: 3 functions\n", "share: many functions, 2 files, 2 packages\n"} {
		if got, err := parse(text); err == nil {
			t.Errorf("parse(%q): got %v, want an error", text, got)
		}
	}
}
