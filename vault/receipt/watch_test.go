package receipt_test

import (
	"testing"
	"time"

	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// otherPassword is what the member changes the password to.
const otherPassword caller.Text = "staple of the battery"

// watch follows a receipt until the test ends.
func watch(t *testing.T, k *vaulttest.Kit, c caller.Caller, concealed secret.Concealed) *receipt.Watch {
	t.Helper()
	w, err := k.Vault.Receipts.WatchMetadata(t.Context(), c, concealed.Metadata.Key.Expose())
	vaulttest.Want(t, "WatchMetadata(key)", err, nil)
	t.Cleanup(w.Close)
	return w
}

// told reports whether a watch has a change, which it has by the time that a
// change returns.
func told(w *receipt.Watch) bool {
	select {
	case <-w.Changed():
		return true
	default:
		return false
	}
}

func TestWatchMetadata(t *testing.T) {
	t.Parallel()
	changes := map[string]func(*testing.T, *vaulttest.Kit, secret.Concealed){
		"reveal": func(t *testing.T, k *vaulttest.Kit, concealed secret.Concealed) {
			t.Helper()
			k.MustReveal(t, vaulttest.Caller(2), concealed.Secret.Key, "right")
		},
		"burn": func(t *testing.T, k *vaulttest.Kit, concealed secret.Concealed) {
			t.Helper()
			k.MustBurn(t, vaulttest.Caller(2), concealed.Metadata.Key, "right")
		},
		"expiry": func(t *testing.T, k *vaulttest.Kit, _ secret.Concealed) {
			t.Helper()
			k.Clock.Advance(time.Minute)
			k.MustSweep(t)
		},
		"look": func(t *testing.T, k *vaulttest.Kit, concealed secret.Concealed) {
			t.Helper()
			_, err := k.Vault.Secrets.GetSecret(t.Context(), vaulttest.Caller(2), concealed.Secret.Key.Expose())
			vaulttest.Want(t, "GetSecret(key)", err, nil)
		},
		"wrong passphrase": func(t *testing.T, k *vaulttest.Kit, concealed secret.Concealed) {
			t.Helper()
			vaulttest.WantErr(t, "RevealSecret(wrong)", vaulttest.RevealErr(t, k, vaulttest.Caller(2), concealed.Secret.Key.Expose(), "wrong"), refusal.ErrPassphrase)
		},
		"memo": func(t *testing.T, k *vaulttest.Kit, concealed secret.Concealed) {
			t.Helper()
			_, err := k.Vault.Receipts.UpdateMemo(t.Context(), vaulttest.Caller(2), concealed.Metadata.Key.Expose(), "a note")
			vaulttest.Want(t, "UpdateMemo(key)", err, nil)
		},
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := vaulttest.New(t, vaulttest.Options{Manual: true})
			terms := secret.Terms{TTL: new(time.Minute), Passphrase: "right"}
			concealed, other := k.MustConceal(t, caller.Caller{}, "the text", terms), k.MustConceal(t, caller.Caller{}, "another", secret.Terms{})
			w, stranger := watch(t, k, vaulttest.Caller(1), concealed), watch(t, k, vaulttest.Caller(1), other)
			vaulttest.Want(t, "Changed() before", told(w), false)
			change(t, k, concealed)
			vaulttest.Want(t, "Changed() after "+name, told(w), true)
			vaulttest.Want(t, "Changed() of another receipt", told(stranger), false)
			shown, err := w.Metadata(t.Context())
			vaulttest.Want(t, "Metadata()", err, nil)
			vaulttest.Want(t, "Metadata().Key", shown.Key, concealed.Metadata.Key)
		})
	}
}

// A thief of a session follows a receipt with it. Its owner ends the session: the
// stream has to end at once, in whatever way the credential ended.
func TestWatchEndsWithItsCredential(t *testing.T) {
	t.Parallel()
	type revocation struct {
		token bool
		end   func(*testing.T, *vaulttest.Member, caller.Caller)
	}
	for name, c := range map[string]revocation{
		"sign-out": {false, func(t *testing.T, m *vaulttest.Member, c caller.Caller) {
			t.Helper()
			vaulttest.Want(t, "DestroySession()", m.Vault.Sessions.DestroySession(t.Context(), c), nil)
		}},
		"sign-out everywhere": {false, func(t *testing.T, m *vaulttest.Member, _ caller.Caller) {
			t.Helper()
			_, err := m.Vault.Sessions.RevokeSessions(t.Context(), m.MustAuthenticate(t, vaulttest.BySession(m.SignIn(t, false).Cookie)), nil, true)
			vaulttest.Want(t, "RevokeSessions(all)", err, nil)
		}},
		"password": {false, func(t *testing.T, m *vaulttest.Member, _ caller.Caller) {
			t.Helper()
			other := m.MustAuthenticate(t, vaulttest.BySession(m.SignIn(t, false).Cookie))
			vaulttest.Want(t, "ChangeAccountPassword()", m.Vault.Passwords.ChangeAccountPassword(t.Context(), other, vaulttest.Password, otherPassword), nil)
		}},
		"operator's password": {true, func(t *testing.T, m *vaulttest.Member, _ caller.Caller) {
			t.Helper()
			_, err := m.Vault.Operator().Accounts.ResetPassword(t.Context(), vaulttest.MemberAddress, otherPassword)
			vaulttest.Want(t, "Operator.ResetPassword()", err, nil)
		}},
		"too many sessions": {false, func(t *testing.T, m *vaulttest.Member, _ caller.Caller) {
			t.Helper()
			for range 100 {
				m.SignIn(t, false)
			}
		}},
		"token revoked": {true, func(t *testing.T, m *vaulttest.Member, _ caller.Caller) {
			t.Helper()
			_, err := m.Vault.Operator().Tokens.RevokeToken(t.Context(), vaulttest.MemberAddress, "watcher")
			vaulttest.Want(t, "Operator.RevokeToken()", err, nil)
		}},
		"token rotated": {true, func(t *testing.T, m *vaulttest.Member, _ caller.Caller) {
			t.Helper()
			m.MustToken(t, m.MustAuthenticate(t, vaulttest.BySession(m.SignIn(t, false).Cookie)), credential.NewToken{Name: "watcher", Rotate: true})
		}},
		"token rotated by the operator": {true, func(t *testing.T, m *vaulttest.Member, _ caller.Caller) {
			t.Helper()
			_, _, err := m.Vault.Operator().Tokens.CreateToken(t.Context(), vaulttest.MemberAddress, credential.NewToken{Name: "watcher", Rotate: true})
			vaulttest.Want(t, "Operator.CreateToken(rotate)", err, nil)
		}},
		"account disabled": {true, func(t *testing.T, m *vaulttest.Member, _ caller.Caller) {
			t.Helper()
			_, err := m.Vault.Operator().Accounts.DisableAccount(t.Context(), vaulttest.MemberAddress, true)
			vaulttest.Want(t, "Operator.DisableAccount()", err, nil)
		}},
		"account destroyed": {true, func(t *testing.T, m *vaulttest.Member, c caller.Caller) {
			t.Helper()
			_, err := m.Vault.DestroyAccount(t.Context(), c, vaulttest.Password)
			vaulttest.Want(t, "DestroyAccount()", err, nil)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := vaulttest.NewMember(t, vaulttest.Options{})
			concealed := m.MustConceal(t, caller.Caller{}, "the text", secret.Terms{})
			with := m.MustAuthenticate(t, vaulttest.BySession(m.SignIn(t, false).Cookie))
			if c.token {
				with = m.MustAuthenticate(t, vaulttest.ByToken(m.MustToken(t, with, credential.NewToken{Name: "watcher"})))
			}
			w, stranger := watch(t, m.Kit, with, concealed), watch(t, m.Kit, vaulttest.Caller(9), concealed)
			m.Clock.Advance(time.Second) // what comes is newer
			_, err := w.Metadata(t.Context())
			vaulttest.Want(t, "Metadata() before", err, nil)
			told(w)
			c.end(t, m, with)
			vaulttest.Want(t, "Changed() after "+name, told(w), true)
			_, err = w.Metadata(t.Context())
			vaulttest.WantErr(t, "Metadata() after "+name, err, refusal.ErrUnauthenticated)
			_, err = stranger.Metadata(t.Context())
			vaulttest.Want(t, "Metadata() of a stranger", err, nil)
		})
	}
}

// The time of a session or token runs out while it follows a receipt. Nothing
// happens then, so the next look has to find it out.
func TestWatchOutlivesItsCredential(t *testing.T) {
	t.Parallel()
	m := vaulttest.NewMember(t, vaulttest.Options{})
	week := secret.Terms{TTL: new(7 * 24 * time.Hour)}
	concealed := m.MustConceal(t, caller.Caller{}, "the text", week)
	session := m.MustAuthenticate(t, vaulttest.BySession(m.SignIn(t, false).Cookie))
	token := m.MustAuthenticate(t, vaulttest.ByToken(m.MustToken(t, session, credential.NewToken{Name: "watcher", TTL: new(24 * time.Hour)})))
	bySession, byToken := watch(t, m.Kit, session, concealed), watch(t, m.Kit, token, concealed)
	m.Clock.Advance(3 * time.Hour)
	_, err := bySession.Metadata(t.Context())
	vaulttest.WantErr(t, "Metadata() of an expired session", err, refusal.ErrUnauthenticated)
	_, err = byToken.Metadata(t.Context())
	vaulttest.Want(t, "Metadata() of a token", err, nil)
	m.Clock.Advance(24 * time.Hour)
	_, err = byToken.Metadata(t.Context())
	vaulttest.WantErr(t, "Metadata() of an expired token", err, refusal.ErrUnauthenticated)
}

func TestWatchMetadataOfNothing(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	_, err := k.Vault.Receipts.WatchMetadata(t.Context(), vaulttest.Caller(1), "nonsense")
	vaulttest.WantErr(t, "WatchMetadata(nonsense)", err, refusal.ErrNotFound)
}
