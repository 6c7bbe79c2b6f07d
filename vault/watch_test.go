package vault_test

import (
	"testing"
	"time"

	"hush/vault"
	"hush/vault/vaulttest"
)

// watch follows a receipt until the test ends.
func watch(t *testing.T, k *vaulttest.Kit, c vault.Caller, kept vault.Concealed) *vault.Watch {
	t.Helper()
	w, err := k.Vault.WatchMetadata(t.Context(), c, kept.Metadata.Key.Expose())
	want(t, "WatchMetadata(key)", err, nil)
	t.Cleanup(w.Close)
	return w
}

// told tells whether a watch has something to say, which it has by the time
// that a change returns.
func told(w *vault.Watch) bool {
	select {
	case <-w.Changed():
		return true
	default:
		return false
	}
}

func TestWatchMetadata(t *testing.T) {
	t.Parallel()
	changes := map[string]func(*testing.T, *vaulttest.Kit, vault.Concealed){
		"reveal": func(t *testing.T, k *vaulttest.Kit, kept vault.Concealed) {
			t.Helper()
			k.MustReveal(t, vaulttest.Caller(2), kept.Secret.Key, "right")
		},
		"burn": func(t *testing.T, k *vaulttest.Kit, kept vault.Concealed) {
			t.Helper()
			k.MustBurn(t, vaulttest.Caller(2), kept.Metadata.Key, "right")
		},
		"expiry": func(t *testing.T, k *vaulttest.Kit, _ vault.Concealed) {
			t.Helper()
			k.Clock.Advance(time.Minute)
			k.MustSweep(t)
		},
		"look": func(t *testing.T, k *vaulttest.Kit, kept vault.Concealed) {
			t.Helper()
			_, err := k.Vault.GetSecret(t.Context(), vaulttest.Caller(2), kept.Secret.Key.Expose())
			want(t, "GetSecret(key)", err, nil)
		},
		"wrong passphrase": func(t *testing.T, k *vaulttest.Kit, kept vault.Concealed) {
			t.Helper()
			wantErr(t, "RevealSecret(wrong)", revealErr(t, k, vaulttest.Caller(2), kept.Secret.Key.Expose(), "wrong"), vault.ErrPassphrase)
		},
		"memo": func(t *testing.T, k *vaulttest.Kit, kept vault.Concealed) {
			t.Helper()
			_, err := k.Vault.UpdateMemo(t.Context(), vaulttest.Caller(2), kept.Metadata.Key.Expose(), "a note")
			want(t, "UpdateMemo(key)", err, nil)
		},
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := vaulttest.New(t, vaulttest.Options{Manual: true})
			wish := vault.Wish{TTL: new(time.Minute), Passphrase: "right"}
			kept, other := k.MustConceal(t, vault.Caller{}, "the text", wish), k.MustConceal(t, vault.Caller{}, "another", vault.Wish{})
			w, stranger := watch(t, k, vaulttest.Caller(1), kept), watch(t, k, vaulttest.Caller(1), other)
			want(t, "Changed() before", told(w), false)
			change(t, k, kept)
			want(t, "Changed() after "+name, told(w), true)
			want(t, "Changed() of another receipt", told(stranger), false)
			shown, err := w.Metadata(t.Context())
			want(t, "Metadata()", err, nil)
			want(t, "Metadata().Key", shown.Key, kept.Metadata.Key)
		})
	}
}

// A thief of a session follows a receipt with it. Its owner ends the session: the
// stream has to end at once, in whatever way the credential ended.
func TestWatchEndsWithItsCredential(t *testing.T) {
	t.Parallel()
	type revocation struct {
		token bool
		end   func(*testing.T, *member, vault.Caller)
	}
	for name, c := range map[string]revocation{
		"sign-out": {false, func(t *testing.T, m *member, c vault.Caller) {
			t.Helper()
			want(t, "DestroySession()", m.Vault.DestroySession(t.Context(), c), nil)
		}},
		"sign-out everywhere": {false, func(t *testing.T, m *member, _ vault.Caller) {
			t.Helper()
			_, err := m.Vault.RevokeSessions(t.Context(), m.mustAuth(t, bySession(m.mustSignIn(t, false).Cookie)), nil, true)
			want(t, "RevokeSessions(all)", err, nil)
		}},
		"password": {false, func(t *testing.T, m *member, _ vault.Caller) {
			t.Helper()
			other := m.mustAuth(t, bySession(m.mustSignIn(t, false).Cookie))
			want(t, "ChangeAccountPassword()", m.Vault.ChangeAccountPassword(t.Context(), other, memberPassword, otherPassword), nil)
		}},
		"operator's password": {true, func(t *testing.T, m *member, _ vault.Caller) {
			t.Helper()
			_, err := m.Vault.Operator().ResetPassword(t.Context(), memberAddress, otherPassword)
			want(t, "Operator.ResetPassword()", err, nil)
		}},
		"too many sessions": {false, func(t *testing.T, m *member, _ vault.Caller) {
			t.Helper()
			for range 100 {
				m.mustSignIn(t, false)
			}
		}},
		"token revoked": {true, func(t *testing.T, m *member, _ vault.Caller) {
			t.Helper()
			_, err := m.Vault.Operator().RevokeToken(t.Context(), memberAddress, "watcher")
			want(t, "Operator.RevokeToken()", err, nil)
		}},
		"token rotated": {true, func(t *testing.T, m *member, _ vault.Caller) {
			t.Helper()
			m.mustToken(t, m.mustAuth(t, bySession(m.mustSignIn(t, false).Cookie)), vault.NewToken{Name: "watcher", Rotate: true})
		}},
		"token rotated by the operator": {true, func(t *testing.T, m *member, _ vault.Caller) {
			t.Helper()
			_, _, err := m.Vault.Operator().CreateToken(t.Context(), memberAddress, vault.NewToken{Name: "watcher", Rotate: true})
			want(t, "Operator.CreateToken(rotate)", err, nil)
		}},
		"account disabled": {true, func(t *testing.T, m *member, _ vault.Caller) {
			t.Helper()
			_, err := m.Vault.Operator().DisableAccount(t.Context(), memberAddress, true)
			want(t, "Operator.DisableAccount()", err, nil)
		}},
		"account destroyed": {true, func(t *testing.T, m *member, c vault.Caller) {
			t.Helper()
			_, err := m.Vault.DestroyAccount(t.Context(), c, memberPassword)
			want(t, "DestroyAccount()", err, nil)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMember(t, vaulttest.Options{})
			kept := m.MustConceal(t, vault.Caller{}, "the text", vault.Wish{})
			with := m.mustAuth(t, bySession(m.mustSignIn(t, false).Cookie))
			if c.token {
				with = m.mustAuth(t, byToken(m.mustToken(t, with, vault.NewToken{Name: "watcher"})))
			}
			w, stranger := watch(t, m.Kit, with, kept), watch(t, m.Kit, vaulttest.Caller(9), kept)
			m.Clock.Advance(time.Second) // what comes is newer
			_, err := w.Metadata(t.Context())
			want(t, "Metadata() before", err, nil)
			told(w)
			c.end(t, m, with)
			want(t, "Changed() after "+name, told(w), true)
			_, err = w.Metadata(t.Context())
			wantErr(t, "Metadata() after "+name, err, vault.ErrUnauthenticated)
			_, err = stranger.Metadata(t.Context())
			want(t, "Metadata() of a stranger", err, nil)
		})
	}
}

// The time of a session or token runs out while it follows a receipt. Nothing
// happens then, so the next look has to find it out.
func TestWatchOutlivesItsCredential(t *testing.T) {
	t.Parallel()
	m := newMember(t, vaulttest.Options{})
	week := vault.Wish{TTL: new(7 * 24 * time.Hour)}
	kept := m.MustConceal(t, vault.Caller{}, "the text", week)
	session := m.mustAuth(t, bySession(m.mustSignIn(t, false).Cookie))
	token := m.mustAuth(t, byToken(m.mustToken(t, session, vault.NewToken{Name: "watcher", TTL: new(24 * time.Hour)})))
	bySession, byToken := watch(t, m.Kit, session, kept), watch(t, m.Kit, token, kept)
	m.Clock.Advance(3 * time.Hour)
	_, err := bySession.Metadata(t.Context())
	wantErr(t, "Metadata() of an expired session", err, vault.ErrUnauthenticated)
	_, err = byToken.Metadata(t.Context())
	want(t, "Metadata() of a token", err, nil)
	m.Clock.Advance(24 * time.Hour)
	_, err = byToken.Metadata(t.Context())
	wantErr(t, "Metadata() of an expired token", err, vault.ErrUnauthenticated)
}

func TestWatchMetadataOfNothing(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	_, err := k.Vault.WatchMetadata(t.Context(), vaulttest.Caller(1), "nonsense")
	wantErr(t, "WatchMetadata(nonsense)", err, vault.ErrNotFound)
}
