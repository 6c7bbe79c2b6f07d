package profile

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zalando/go-keyring"

	"hush/client"
)

// The library has one keyring for the whole process, so that these tests do not run
// beside others.
func TestTokensInTheKeyring(t *testing.T) {
	keyring.MockInit()
	s, said := newStore(t, &systemKeyring{})
	if one := put(t, s, Profile{Name: "default", Server: hushExample}, "token-1"); one.Token != PlaceKeyring || said.Len() > 0 {
		t.Errorf("Put: got %+v and %q said, want the keyring without a word", one, said)
	}
	if got := tokenOf(t, s, "default"); got != "token-1" {
		t.Errorf("Token: got %q, want token-1", got)
	}
	if _, err := os.Stat(s.file.path); err == nil {
		t.Error("Put: got credentials.yaml, want no such file")
	}
	edited := Profile{Name: "default", Server: "https://evil.example", Token: PlaceKeyring}
	if token, err := s.Token(t.Context(), edited); err == nil || !token.IsEmpty() {
		t.Errorf("Token for another server: got %q and %v, want an error", token.Expose(), err)
	}
	put(t, s, Profile{Name: "default", Server: "https://other.example"}, "token-2")
	if kept, err := keyring.Get(service, keyOf("default", hushExample)); !errors.Is(err, keyring.ErrNotFound) {
		t.Errorf("the keyring: got %q and %v for the old server, want it forgotten", kept, err)
	}
	if err := s.Forget(t.Context(), "default"); err != nil {
		t.Fatal(err)
	}
	if kept, err := keyring.Get(service, keyOf("default", "https://other.example")); !errors.Is(err, keyring.ErrNotFound) || tokenOf(t, s, "default") != "" {
		t.Errorf("the keyring: got %q and %v, want it forgotten", kept, err)
	}
}

// The keyring worked once, and is locked or gone now.
func TestKeyringThatFailsLater(t *testing.T) {
	keyring.MockInit()
	s, said := newStore(t, &systemKeyring{})
	put(t, s, Profile{Name: "default", Server: hushExample}, "token-1")
	keyring.MockInitWithError(errors.New("it is locked"))
	all, _ := s.Load()
	if _, err := s.Token(t.Context(), all.All[0]); err == nil || !strings.Contains(err.Error(), "it is locked") {
		t.Errorf("Token: got %v, want why it cannot be read", err)
	}
	if err := s.Forget(t.Context(), "default"); err == nil {
		t.Error("Forget: got no error, want one: the token is still there")
	}
	if one := put(t, s, Profile{Name: "default", Server: hushExample}, "token-2"); one.Token != PlaceFile || tokenOf(t, s, "default") != "token-2" {
		t.Errorf("Put: got %+v, want the token in the file", one)
	}
	if !strings.Contains(said.String(), "the keyring of the system cannot be used: it is locked; the token is in ") || !strings.Contains(said.String(), "the token that this one replaces is still in the keyring") {
		t.Errorf("Put: got %q said, want where both tokens are", said)
	}
}

// A session bus answers nothing.
func TestKeyringThatHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		released := make(chan struct{})
		defer close(released)
		begun := time.Now()
		_, err := (&systemKeyring{}).call(t.Context(), func() (string, error) { <-released; return "late", nil })
		if took := time.Since(begun); !errors.Is(err, errSlowKeyring) || took != keyringTime {
			t.Errorf("call: got %v after %s, want %v after %s", err, took, errSlowKeyring, keyringTime)
		}
	})
}

func TestNoSessionBus(t *testing.T) {
	t.Parallel()
	for _, k := range []*systemKeyring{newSystemKeyring(nil), newSystemKeyring([]string{"DBUS_SESSION_BUS_ADDRESS="})} {
		if err := k.keep(context.Background(), "a", hushExample, client.Hide("token")); !errors.Is(err, errNoKeyring) {
			t.Errorf("keep: got %v, want %v", err, errNoKeyring)
		}
	}
	if newSystemKeyring([]string{"DBUS_SESSION_BUS_ADDRESS=unix:path=/bus"}).absent {
		t.Error("newSystemKeyring with a session bus: got none, want it")
	}
}
