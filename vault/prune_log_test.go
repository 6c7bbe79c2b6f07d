package vault_test

import (
	"testing"
	"time"

	"hush/storage/spentlog"
	"hush/testtier"
	"hush/vault/spent"
	"hush/vault/vaulttest"
)

// Entries stay for the longest lifetime of a secret and a week: a backup of that age
// can still be restored. Then whole files of them go, also after the clock leapt, but
// only once that is confirmed.
func TestSpentLogIsPruned(t *testing.T) {
	t.Parallel()
	testtier.Check(t, "writes 64 MiB")
	s := newSpentScene(t, vaulttest.Options{SpentOptions: spentlog.Options{Growth: 1 << 14}})
	_, before := s.SpentLog.Position()
	older, opts := s.copyData(t), s.VaultOptions()
	const segment, batch = 1 << 20, 1 << 16
	entries := make([]spentlog.Entry, batch)
	for i := range entries {
		entries[i] = spentlog.Entry{Time: s.Clock.Now(), Kind: byte(spent.KindSessionEnded), Row: make([]byte, 32)}
	}
	for range segment/batch + 1 {
		vaulttest.Want(t, "Append()", s.SpentLog.Append(entries...), nil)
	}
	sweep := func(readings int) {
		for range readings {
			s.Clock.Advance(time.Minute)
			_, err := s.Vault.Sweep(t.Context())
			vaulttest.Want(t, "Sweep()", err, nil)
		}
	}
	const keep = (30 + 7) * 24 * time.Hour
	s.Clock.Advance(keep - 10*time.Minute)
	sweep(5)
	vaulttest.Want(t, "First() before the time", s.SpentLog.First(), 1)
	s.Clock.Advance(24 * time.Hour)
	sweep(1)
	vaulttest.Want(t, "First() while the clock has leapt", s.SpentLog.First(), 1)
	sweep(4)
	vaulttest.Want(t, "First() after the time", s.SpentLog.First(), segment+1)
	r, err := spentlog.Read(s.dir)
	vaulttest.Want(t, "spentlog.Read()", err, nil)
	vaulttest.WantErr(t, "Continues(older backup)", spent.Continues(r, r.ID(), before), spentlog.ErrPruned)
	vaulttest.Want(t, "Continues(younger backup)", spent.Continues(r, r.ID(), segment), nil)
	err = openCopy(t, opts, older, s.copyLog(t))
	vaulttest.WantErr(t, "start on a copy from before", err, spent.ErrOlder)
	vaulttest.WantErr(t, "start on a copy from before", err, spentlog.ErrPruned)
}
