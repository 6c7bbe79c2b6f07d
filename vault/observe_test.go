package vault_test

import (
	"sync"
	"testing"
	"time"

	"hush/vault"
	"hush/vault/vaulttest"
)

// sweeps keeps what an observer is told.
type sweeps struct {
	mu   sync.Mutex
	errs map[string]error
	seen chan string
}

func (s *sweeps) Swept(what string, _ int, _ time.Duration, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.errs[what] = err
	select {
	case s.seen <- what:
	default:
	}
}

func (*sweeps) Mailed(string, string) {}

// A vault sweeps as soon as it is open, and reports both parts.
func TestObserverOfSweeps(t *testing.T) {
	t.Parallel()
	seen := &sweeps{errs: map[string]error{}, seen: make(chan string, 16)}
	vaulttest.New(t, vaulttest.Options{Observer: seen})
	missing := map[string]bool{vault.SweptSecrets: true, vault.SweptRest: true}
	for len(missing) > 0 {
		select {
		case what := <-seen.seen:
			delete(missing, what)
		case <-time.After(time.Minute):
			t.Fatalf("Swept: got nothing of %v in a minute, want both kinds", missing)
		}
	}
	seen.mu.Lock()
	defer seen.mu.Unlock()
	for what, err := range seen.errs {
		vaulttest.Want(t, "Swept("+what+")", err, nil)
	}
}

func TestState(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true, Folder: true})
	state := k.Vault.Monitor.State()
	if state.ClockLeapt || state.Watches != 0 || state.Passphrases.Lanes < 1 || state.Passwords.Lanes < 1 || state.Passphrases.Running != 0 {
		t.Errorf("State(): got %+v, want a vault at rest", state)
	}
	k.Clock.Advance(3 * time.Hour)
	if _, err := k.Vault.Sweep(t.Context()); err != nil {
		t.Fatalf("Sweep: got %v, want nil", err)
	}
	if got := k.Vault.Monitor.State().ClockLeapt; !got {
		t.Errorf("State().ClockLeapt after a leap: got %t, want true", got)
	}
	counts, bytes, err := k.Vault.Monitor.Totals(t.Context())
	if err != nil || counts.Secrets != 0 || bytes != 0 {
		t.Errorf("Totals(): got %+v, %d, %v, want nothing", counts, bytes, err)
	}
}
