package vault_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hush/seal"
	"hush/storage"
	"hush/storage/spentlog"
	"hush/vault"
	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/session"
	"hush/vault/shares"
	"hush/vault/spent"
	"hush/vault/vaulttest"
)

// spentScene is a vault with a spent log and what may end in it.
type spentScene struct {
	*vaulttest.Member
	dir     string // of the log
	c       caller.Caller
	session session.Credential
	token   seal.APIToken
	kept    secret.Concealed   // of no account
	owned   []secret.Concealed // of the member's
}

func newSpentScene(t *testing.T, opts vaulttest.Options) *spentScene {
	t.Helper()
	s := &spentScene{dir: filepath.Join(t.TempDir(), "log")}
	opts.SpentLog = s.dir
	s.Member = vaulttest.NewMember(t, opts)
	s.session = vaulttest.BySession(s.SignIn(t, false).Cookie)
	s.c = s.MustAuthenticate(t, s.session)
	s.token = s.MustToken(t, s.c, credential.NewToken{Name: "first"})
	s.kept = s.MustConceal(t, caller.Caller{}, "the text", secret.Terms{TTL: new(time.Minute)})
	for range 2 {
		s.owned = append(s.owned, s.MustConceal(t, s.c, "the text", secret.Terms{}))
	}
	return s
}

// entry shows an entry of the log as tests expect it.
func entry(kind spent.Kind, row []byte) string { return fmt.Sprintf("%d %x", kind, row) }

// slotEntry is entry for a secret.
func slotEntry(kind spent.Kind, slot storage.Slot) string {
	return entry(kind, fmt.Appendf(nil, "%s%s", vaulttest.Number(slot.Number), vaulttest.Number(slot.Generation)))
}

// entries returns what is in the log.
func (s *spentScene) entries(t *testing.T) (all []string) {
	t.Helper()
	r, err := spentlog.Read(s.dir)
	vaulttest.Want(t, "spentlog.Read()", err, nil)
	err = r.All(0, func(e spentlog.Entry) error {
		all = append(all, entry(spent.Kind(e.Kind), e.Row))
		return nil
	})
	vaulttest.Want(t, "All()", err, nil)
	return all
}

// spentEnds has what the log must know of, with what it must say then.
func spentEnds() map[string]func(t *testing.T, s *spentScene) (do func() error, want []string) {
	ctx := context.Background()
	ofAccount := func(s *spentScene, kind spent.Kind, do func(vault.AccountOperator, caller.Text) error) (func() error, []string) {
		id := caller.Text(s.ID.String())
		return func() error { return do(s.Vault.Operator().Accounts, id) }, []string{entry(kind, s.ID[:])}
	}
	return map[string]func(t *testing.T, s *spentScene) (func() error, []string){
		"reveal": func(t *testing.T, s *spentScene) (func() error, []string) {
			t.Helper()
			want := slotEntry(spent.KindSecretRevealed, vaulttest.SlotOf(t, s.Kit, s.kept.Secret.Key))
			return func() error {
				_, err := s.Vault.Secrets.RevealSecret(ctx, caller.Caller{}, s.kept.Secret.Key.Expose(), secret.Opening{})
				return err
			}, []string{want}
		},
		"reveal with a claim": func(t *testing.T, s *spentScene) (func() error, []string) {
			t.Helper()
			want := slotEntry(spent.KindSecretRevealed, vaulttest.SlotOf(t, s.Kit, s.kept.Secret.Key))
			return func() error {
				o, key := secret.Opening{Claim: vaulttest.Claim(1)}, s.kept.Secret.Key.Expose()
				for range 2 {
					if _, err := s.Vault.Secrets.RevealSecret(ctx, caller.Caller{}, key, o); err != nil {
						return err
					}
				}
				return s.Vault.Secrets.AcknowledgeReveal(ctx, key, o.Claim)
			}, []string{want}
		},
		"burn": func(t *testing.T, s *spentScene) (func() error, []string) {
			t.Helper()
			want := slotEntry(spent.KindSecretBurned, vaulttest.SlotOf(t, s.Kit, s.kept.Secret.Key))
			return func() error {
				_, err := s.Vault.Burns.BurnGuarded(ctx, caller.Caller{}, s.kept.Metadata.Key.Expose(), "")
				return err
			}, []string{want}
		},
		"expiry": func(t *testing.T, s *spentScene) (func() error, []string) {
			t.Helper()
			want := slotEntry(spent.KindSecretExpired, vaulttest.SlotOf(t, s.Kit, s.kept.Secret.Key))
			s.Clock.Advance(time.Minute)
			return func() error {
				_, err := s.Vault.Sweep(ctx)
				return err
			}, []string{want}
		},
		"sign out": func(_ *testing.T, s *spentScene) (func() error, []string) {
			row := s.c.Row()
			return func() error { return s.Vault.Sessions.DestroySession(ctx, s.c) }, []string{entry(spent.KindSessionEnded, row[:])}
		},
		"revoke token": func(_ *testing.T, s *spentScene) (func() error, []string) {
			row := s.token.Row()
			return func() error {
				_, err := s.Vault.Operator().Tokens.RevokeToken(ctx, caller.Text(s.ID.String()), "first")
				return err
			}, []string{entry(spent.KindTokenRevoked, row[:])}
		},
		"replace token": func(_ *testing.T, s *spentScene) (func() error, []string) {
			row := s.token.Row()
			return func() error {
				_, _, err := s.Vault.Tokens.GenerateAPIToken(ctx, s.c, credential.NewToken{Name: "first", Rotate: true})
				return err
			}, []string{entry(spent.KindTokenRevoked, row[:])}
		},
		"change password": func(_ *testing.T, s *spentScene) (func() error, []string) {
			return func() error {
				return s.Vault.Passwords.ChangeAccountPassword(ctx, s.c, vaulttest.Password, "another horse battery")
			}, []string{entry(spent.KindPasswordChanged, s.ID[:])}
		},
		"reset password": func(_ *testing.T, s *spentScene) (func() error, []string) {
			return ofAccount(s, spent.KindPasswordReset, func(o vault.AccountOperator, id caller.Text) error {
				_, err := o.ResetPassword(ctx, id, "another horse battery")
				return err
			})
		},
		"disable account": func(_ *testing.T, s *spentScene) (func() error, []string) {
			return ofAccount(s, spent.KindAccountDisabled, func(o vault.AccountOperator, id caller.Text) error {
				_, err := o.DisableAccount(ctx, id, true)
				return err
			})
		},
		"take role": func(_ *testing.T, s *spentScene) (func() error, []string) {
			return ofAccount(s, spent.KindRoleLost, func(o vault.AccountOperator, id caller.Text) error {
				_, err := o.SetRole(ctx, id, account.RoleCustomer)
				return err
			})
		},
		"destroy account": func(t *testing.T, s *spentScene) (func() error, []string) {
			t.Helper()
			var burned []string
			for _, kept := range []secret.Concealed{s.owned[1], s.owned[0]} { // the newest first
				burned = append(burned, slotEntry(spent.KindSecretBurned, vaulttest.SlotOf(t, s.Kit, kept.Secret.Key)))
			}
			do, want := ofAccount(s, spent.KindAccountDestroyed, func(o vault.AccountOperator, id caller.Text) error {
				_, err := o.DestroyAccount(ctx, id)
				return err
			})
			return do, append(burned, want...)
		},
	}
}

// Each end is in the log when it is answered, once, and nothing else is, even if a
// store runs its transactions more than once.
func TestSpentLogHasEnds(t *testing.T) {
	t.Parallel()
	for name, end := range spentEnds() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSpentScene(t, vaulttest.Options{WrapStore: func(inner storage.Store) storage.Store { return vaulttest.TwiceStore{Store: inner} }})
			do, want := end(t, s)
			if before := s.entries(t); len(before) > 0 {
				t.Errorf("log before %s: got %v, want nothing", name, before)
			}
			vaulttest.Want(t, name, do(), nil)
			if diff := cmp.Diff(want, s.entries(t)); diff != "" {
				t.Errorf("log after %s: (-want +got)\n%s", name, diff)
			}
			s.Reopen(t)
			vaulttest.Want(t, "pending rows after a start", len(vaulttest.RowsIn(t, s.Store, spent.BucketPending)), 0)
			if diff := cmp.Diff(want, s.entries(t)); diff != "" {
				t.Errorf("log after %s and a start: (-want +got)\n%s", name, diff)
			}
		})
	}
}

// The attack: cut the power after an end is durable and before the log has it, and
// restore a backup. The end was not answered, and the next start logs it.
func TestCrashBeforeSpentLog(t *testing.T) {
	t.Parallel()
	for name, end := range spentEnds() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSpentScene(t, vaulttest.Options{})
			do, want := end(t, s)
			vaulttest.Want(t, "SpentLog.Close()", s.SpentLog.Close(), nil) // nothing more gets there
			err := do()
			if !errors.Is(err, refusal.ErrUnavailable) && name != "expiry" || err == nil {
				t.Errorf("%s without the log: got %v, want %v", name, err, refusal.ErrUnavailable)
			}
			if logged := s.entries(t); len(logged) > 0 {
				t.Errorf("log after a crash: got %v, want nothing", logged)
			}
			s.Reopen(t)
			vaulttest.Want(t, "rows of the list", len(vaulttest.RowsIn(t, s.Store, shares.BucketShred)), 0)
			vaulttest.Want(t, "pending rows", len(vaulttest.RowsIn(t, s.Store, spent.BucketPending)), 0)
			if name == "destroy account" {
				want = want[:1] // it burns first, and does not go on without the log
			}
			for i, w := range want {
				var kind spent.Kind
				var row string
				if _, err := fmt.Sscanf(w, "%d %s", &kind, &row); err == nil && kind.OfSecret() {
					want[i] = fmt.Sprintf("%d %s", spent.KindSecretEnded, row) // how is not known any more
				}
			}
			if diff := cmp.Diff(want, s.entries(t)); diff != "" {
				t.Errorf("log after a crash in %s and a start: (-want +got)\n%s", name, diff)
			}
		})
	}
}

// What fails leaves no entry, and neither does what was never stored.
func TestSpentLogHasNoMore(t *testing.T) {
	t.Parallel()
	var faulty vaulttest.FaultyStore
	s := newSpentScene(t, vaulttest.Options{WrapStore: func(inner storage.Store) storage.Store {
		faulty.Store = inner
		return &faulty
	}})
	failure := storage.ErrFull
	faulty.Before.Store(&failure)
	for name, end := range spentEnds() {
		if name == "expiry" {
			continue // moves the clock
		}
		do, _ := end(t, s)
		vaulttest.WantErr(t, name+" without a store", do(), refusal.ErrUnavailable)
	}
	_, err := s.Vault.Secrets.ConcealSecret(t.Context(), vaulttest.Caller(1), "the text", secret.Terms{})
	vaulttest.WantErr(t, "ConcealSecret() without a store", err, refusal.ErrUnavailable)
	faulty.Before.Store(nil)
	s.Reopen(t)
	if logged := s.entries(t); len(logged) > 0 {
		t.Errorf("log: got %v, want nothing", logged)
	}
}

// A store is not opened without its log, with another one, or with one that lacks
// entries that it had.
func TestSpentLogMustFit(t *testing.T) {
	t.Parallel()
	s := newSpentScene(t, vaulttest.Options{})
	s.MustReveal(t, caller.Caller{}, s.kept.Secret.Key, "")
	s.MustReveal(t, caller.Caller{}, s.owned[0].Secret.Key, "")
	vaulttest.AwaitShred(t, s.Kit)
	id, sequence := s.SpentLog.Position()
	vaulttest.Want(t, "Position().sequence", sequence, 2)
	opts := s.VaultOptions()
	s.Vault.Close()
	s.Vault = nil
	vaulttest.Want(t, "SpentLog.Close()", s.SpentLog.Close(), nil)
	s.SpentLog = nil
	wantRefused := func(name string, log *spentlog.Log, want error) {
		t.Helper()
		opts.SpentLog = log
		v, err := vault.Open(t.Context(), opts)
		if err == nil {
			v.Close()
		}
		vaulttest.WantErr(t, "vault.Open("+name+")", err, want)
	}
	wantRefused("no log", nil, spent.ErrMissing)
	other, err := spentlog.Create(filepath.Join(t.TempDir(), "other"), spentlog.Options{})
	vaulttest.Want(t, "spentlog.Create()", err, nil)
	defer other.Close()
	wantRefused("another log", other, spent.ErrOther)

	empty := filepath.Join(t.TempDir(), "empty")
	_, _, err = spent.Open(t.Context(), s.Store, empty, false, spentlog.Options{})
	vaulttest.WantErr(t, "spent.Open(empty folder)", err, spent.ErrMissing)
	segments, err := filepath.Glob(filepath.Join(s.dir, "*"))
	vaulttest.Want(t, "Glob()", errors.Join(err, os.Truncate(segments[0], 2*64)), nil) // one entry is left
	_, _, err = spent.Open(t.Context(), s.Store, s.dir, true, spentlog.Options{})
	vaulttest.WantErr(t, "spent.Open(older log)", err, spent.ErrBehind)

	begun, began, err := spent.Open(t.Context(), s.Store, empty, true, spentlog.Options{})
	vaulttest.Want(t, "spent.Open(empty folder, begin)", err, nil)
	vaulttest.Want(t, "began", began, true)
	if next, _ := begun.Position(); next == id {
		t.Error("id of the new log: got that of the old one")
	}
	vaulttest.Want(t, "Close()", begun.Close(), nil)
	again, began, err := spent.Open(t.Context(), s.Store, empty, true, spentlog.Options{})
	vaulttest.Want(t, "spent.Open(again, begin)", err, nil)
	vaulttest.Want(t, "began again", began, false)
	vaulttest.Want(t, "Close()", again.Close(), nil)

	stopped, left, err := spent.Stop(t.Context(), s.Store)
	vaulttest.Want(t, "Stop()", errors.Join(left, err), nil)
	vaulttest.Want(t, "stopped", stopped, true)
	opts.SpentLog = nil
	v, err := vault.Open(t.Context(), opts)
	vaulttest.Want(t, "vault.Open(after Stop)", err, nil)
	v.Close()
	r, err := spentlog.Read(empty)
	vaulttest.Want(t, "spentlog.Read()", err, nil)
	vaulttest.WantErr(t, "Continues(stopped log)", spent.Continues(r, r.ID(), 0), spent.ErrStopped)
}
