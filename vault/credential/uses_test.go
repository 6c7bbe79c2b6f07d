package credential_test

import (
	"testing"
	"time"

	"hush/vault/credential"
	"hush/vault/vaulttest"
)

// A session that cannot be read keeps no other use from being written, so that
// a session in use outlives the next start.
func TestUsesBesideDamage(t *testing.T) {
	t.Parallel()
	m := vaulttest.NewMember(t, vaulttest.Options{})
	kept, damaged := m.SignIn(t, false), m.SignIn(t, false)
	m.Clock.Advance(90 * time.Minute)
	m.MustAuthenticate(t, vaulttest.BySession(kept.Cookie))
	m.MustAuthenticate(t, vaulttest.BySession(damaged.Cookie))
	used, row := m.Clock.Now(), damaged.Cookie.Row()
	vaulttest.Put(t, m.Store, credential.BucketSession, row[:], []byte("damaged"))
	for range 3 { // the clock leapt, and is confirmed first
		m.Clock.Advance(time.Minute)
		_, err := m.Vault.Sweep(t.Context())
		vaulttest.Want(t, "Sweep()", err, nil)
	}
	m.Reopen(t)
	m.Clock.Set(used.Add(credential.SessionIdle - time.Millisecond))
	vaulttest.Want(t, "Authenticate(used before the start)", m.AuthErr(t, vaulttest.BySession(kept.Cookie)), nil)
}
