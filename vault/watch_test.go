package vault_test

import (
	"net/netip"
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

// One network must not take all the connections there are for watching.
func TestWatchesAreBounded(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	kept := k.MustConceal(t, vault.Caller{}, "the text", vault.Wish{})
	crowd := vault.Caller{Network: vault.NetworkOf(netip.MustParseAddr("192.0.2.1"))}
	first := watch(t, k, crowd, kept)
	for range vault.WatchesMost - 1 {
		watch(t, k, crowd, kept)
	}
	_, err := k.Vault.WatchMetadata(t.Context(), crowd, kept.Metadata.Key.Expose())
	wantErr(t, "WatchMetadata(one too many)", err, vault.ErrTooMany)
	watch(t, k, vaulttest.Caller(9), kept)
	for range 2 {
		first.Close()
	}
	watch(t, k, crowd, kept)
	_, err = k.Vault.WatchMetadata(t.Context(), crowd, "nonsense")
	wantErr(t, "WatchMetadata(nonsense)", err, vault.ErrNotFound)
}
