package booted_test

import (
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"hush/routes/apitest"
	"hush/server/servertest"
	"hush/testtier"
	"hush/vault"
	"hush/vault/caller"
	"hush/vault/secret"
)

// pastData makes a data folder in which texts were concealed for a minute, age
// ago. The program has no clock that can be set, so the vault is used directly.
func pastData(t testing.TB, age time.Duration, passphrase string, texts ...string) (data string, kept []secret.Concealed) {
	t.Helper()
	servertest.NeedStart(t)
	data = filepath.Join(t.TempDir(), "data")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("pastData: got %v, want no error", err)
		}
	}
	past := func() time.Time { return time.Now().Add(-age) }
	servertest.StoreFlags(t, data, nil) // makes the database, where there is one
	keys, err := servertest.WriteRootKey(data)
	must(err)
	s, err := servertest.OpenStore(t.Context(), data, keys, past)
	must(err)
	v, err := vault.Open(t.Context(), vault.Options{
		Store: s, Shares: s.Shares, Keys: keys, Now: past, Log: slog.New(slog.DiscardHandler), Manual: true,
	})
	must(err)
	minute := time.Minute
	for _, text := range texts {
		concealed, err := v.Secrets.ConcealSecret(t.Context(), caller.Caller{}, caller.Text(text), secret.Terms{TTL: &minute, Passphrase: caller.Text(passphrase)})
		must(err)
		kept = append(kept, concealed)
	}
	v.Close()
	must(s.Release())
	return data, kept
}

// A finder of an old mail opens its link. The secret has expired, so the link
// opens nothing, whether or not the sweeper ran; and the sender learns that it
// was not read.
func TestExpired(t *testing.T) {
	t.Parallel()
	const protocols = 6
	texts := make([]string, protocols)
	for i := range texts {
		texts[i] = "too late"
	}
	data, kept := pastData(t, 61*time.Second, "right", texts...)
	s := servertest.StartOn(t, data, "--rate-limits=off")
	for i, d := range servertest.Drivers(t, s, nil) {
		t.Run(d.Name(), func(t *testing.T) {
			key, metadataKey := kept[i].Secret.Key.Expose(), kept[i].Metadata.Key.Expose()
			d.Get(t.Context(), key).WantIfOffered(t, "get", apitest.OutcomeUnknown)
			d.Status(t.Context(), key).WantIfOffered(t, "status", apitest.OutcomeUnknown)
			d.Reveal(t.Context(), key, "right").Want(t, "reveal", apitest.OutcomeUnknown)
			d.Reveal(t.Context(), key, "wrong").Want(t, "reveal with a wrong passphrase", apitest.OutcomeUnknown)
			d.Burn(t.Context(), metadataKey, "right").Want(t, "burn", apitest.OutcomeUnknown)
			got := d.Metadata(t.Context(), metadataKey).Want(t, "metadata", apitest.OutcomeOK)
			if got.State != "expired" || got.SecretKey != "" {
				t.Errorf("metadata: got state %q and secret key %q, want expired and none", got.State, got.SecretKey)
			}
		})
	}
	// Time ran out for these, but not for what is concealed now.
	d := servertest.Drivers(t, s, nil)[0]
	fresh := apitest.MustConceal(t, d, apitest.Terms{Secret: "in time"})
	d.Reveal(t.Context(), fresh.SecretKey, "").WantValue(t, "reveal of a fresh secret", "in time")
}

// A receipt outlives its secret twice, and then it is forgotten too.
func TestForgotten(t *testing.T) {
	t.Parallel()
	data, kept := pastData(t, 121*time.Second, "", "long ago")
	s := servertest.StartOn(t, data)
	for _, d := range servertest.Drivers(t, s, nil) {
		d.Metadata(t.Context(), kept[0].Metadata.Key.Expose()).Want(t, d.Name()+" metadata", apitest.OutcomeUnknown)
		d.Reveal(t.Context(), kept[0].Secret.Key.Expose(), "").Want(t, d.Name()+" reveal", apitest.OutcomeUnknown)
	}
}

// The sweeper runs only now and then. A secret that expires between its runs
// must still be gone.
func TestExpiresBetweenSweeps(t *testing.T) {
	t.Parallel()
	testtier.Full(t, "waits until secrets expire")
	const protocols = 6
	data, kept := pastData(t, 58*time.Second, "", "1", "2", "3", "4", "5", "6")
	s := servertest.StartOn(t, data, "--rate-limits=off")
	drivers := servertest.Drivers(t, s, nil)
	if len(drivers) != protocols {
		t.Fatalf("newDrivers: got %d, want %d", len(drivers), protocols)
	}
	last := kept[protocols-1].Secret.Key.Expose()
	began := time.Now()
	servertest.WaitUntil(t, "the last secret to expire", func() bool {
		return drivers[protocols-1].Get(t.Context(), last).Outcome == apitest.OutcomeUnknown
	})
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("get of an expired secret: got it for %s, want it gone after two seconds; only the sweeper ended it", took)
	}
	for i, d := range drivers {
		d.Reveal(t.Context(), kept[i].Secret.Key.Expose(), "").Want(t, d.Name()+" reveal", apitest.OutcomeUnknown)
		d.Burn(t.Context(), kept[i].Metadata.Key.Expose(), "").Want(t, d.Name()+" burn", apitest.OutcomeUnknown)
		if got := d.Metadata(t.Context(), kept[i].Metadata.Key.Expose()); got.State != "expired" {
			t.Errorf("%s metadata: got state %q (%s), want expired", d.Name(), got.State, got.Text)
		}
	}
}
