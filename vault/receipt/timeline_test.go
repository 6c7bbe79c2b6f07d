package receipt_test

import (
	"net/netip"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hush/vault/caller"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// from is a caller at an address.
func from(address string) caller.Caller {
	return caller.Caller{Network: caller.NetworkOf(netip.MustParseAddr(address))}
}

// events fetches a receipt's timeline.
func events(t *testing.T, k *vaulttest.Kit, concealed secret.Concealed) []receipt.Event {
	t.Helper()
	return k.MustMetadata(t, from("198.51.100.9"), concealed.Metadata.Key).Events
}

// A sender sees who looked, guessed and opened, as far as networks tell, and
// when.
func TestTimeline(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	start := vaulttest.StartTime()
	concealed := k.MustConceal(t, from("192.0.2.77"), "the text", secret.Terms{Passphrase: "right"})
	key := concealed.Secret.Key.Expose()
	look := func(address string) {
		t.Helper()
		_, err := k.Vault.Secrets.GetSecret(t.Context(), from(address), key)
		vaulttest.Want(t, "GetSecret(key)", err, nil)
	}
	k.Clock.Advance(time.Minute)
	look("203.0.113.5")
	look("203.0.113.6") // the same /24 within a minute
	look("2001:db8:1:2::3")
	k.Clock.Advance(time.Minute)
	look("203.0.113.5")
	for range 2 {
		vaulttest.WantErr(t, "RevealSecret(wrong)", vaulttest.RevealErr(t, k, from("203.0.113.5"), key, "wrong"), refusal.ErrPassphrase)
	}
	k.Clock.Advance(time.Minute)
	k.MustReveal(t, from("203.0.113.5"), concealed.Secret.Key, "right")
	at := func(minutes int) time.Time { return start.Add(time.Duration(minutes) * time.Minute) }
	wanted := []receipt.Event{
		{Kind: receipt.EventCreated, Time: start, Network: "192.0.2.0/24", Count: 1},
		{Kind: receipt.EventLooked, Time: at(1), Network: "203.0.113.0/24", Count: 1},
		{Kind: receipt.EventLooked, Time: at(1), Network: "2001:db8:1::/48", Count: 1},
		{Kind: receipt.EventLooked, Time: at(2), Network: "203.0.113.0/24", Count: 1},
		{Kind: receipt.EventPassphrase, Time: at(2), Network: "203.0.113.0/24", Count: 2},
		{Kind: receipt.EventRevealed, Time: at(3), Network: "203.0.113.0/24", Count: 1},
	}
	for range 2 {
		if diff := cmp.Diff(wanted, events(t, k, concealed)); diff != "" {
			t.Errorf("GetMetadata(key).Events: -want +got\n%s", diff)
		}
		k.Reopen(t)
	}
}

func TestTimelineOfExpired(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	concealed := k.MustConceal(t, from("192.0.2.77"), "the text", secret.Terms{TTL: new(time.Minute)})
	k.Clock.Advance(90 * time.Second)
	wanted := []receipt.Event{
		{Kind: receipt.EventCreated, Time: vaulttest.StartTime(), Network: "192.0.2.0/24", Count: 1},
		{Kind: receipt.EventExpired, Time: vaulttest.StartTime().Add(time.Minute), Count: 1},
	}
	if diff := cmp.Diff(wanted, events(t, k, concealed)); diff != "" {
		t.Errorf("GetMetadata(key).Events: -want +got\n%s", diff)
	}
	k.MustSweep(t)
	if diff := cmp.Diff(wanted, events(t, k, concealed)); diff != "" {
		t.Errorf("GetMetadata(key).Events after the sweep: -want +got\n%s", diff)
	}
}

// An attacker requests a link from ever new networks, to fill up its sender's
// history. The receipt stays bounded, and the first events stay.
func TestTimelineIsBounded(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	concealed := k.MustConceal(t, from("192.0.2.77"), "the text", secret.Terms{})
	for i := range 150 {
		address := netip.AddrFrom4([4]byte{10, byte(i), 0, 1})
		_, err := k.Vault.Secrets.GetSecret(t.Context(), caller.Caller{Network: caller.NetworkOf(address)}, concealed.Secret.Key.Expose())
		vaulttest.Want(t, "GetSecret(key)", err, nil)
	}
	got := events(t, k, concealed)
	vaulttest.Want(t, "len(GetMetadata(key).Events)", len(got), 101)
	vaulttest.Want(t, "GetMetadata(key).Events[1].Network", got[1].Network, "10.0.0.0/24")
	vaulttest.Want(t, "GetMetadata(key).Events[100].Count", got[100].Count, 51)
}

// Asking for a status is for programs that poll; it is no look.
func TestStatusIsNoLook(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	concealed := k.MustConceal(t, from("192.0.2.77"), "the text", secret.Terms{})
	_, err := k.Vault.Secrets.GetSecretStatus(t.Context(), from("203.0.113.5"), []string{concealed.Secret.Key.Expose()})
	vaulttest.Want(t, "GetSecretStatus(key)", err, nil)
	vaulttest.Want(t, "len(GetMetadata(key).Events)", len(events(t, k, concealed)), 1)
}

// A right passphrase is no wrong try of another network: what a full timeline counted
// there is taken back there.
func TestFullTimelineBlamesNoOtherNetwork(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	concealed := k.MustConceal(t, from("192.0.2.77"), "the text", secret.Terms{Passphrase: "right"})
	key := concealed.Secret.Key
	for _, address := range []string{"203.0.113.5", "198.51.100.7"} {
		vaulttest.WantErr(t, "RevealSecret(wrong)", vaulttest.RevealErr(t, k, from(address), key.Expose(), "wrong"), refusal.ErrPassphrase)
	}
	for i := range 120 {
		address := netip.AddrFrom4([4]byte{10, byte(i), 0, 1})
		_, err := k.Vault.Secrets.GetSecret(t.Context(), caller.Caller{Network: caller.NetworkOf(address)}, key.Expose())
		vaulttest.Want(t, "GetSecret(key)", err, nil)
	}
	k.MustReveal(t, from("203.0.113.5"), key, "right")
	for _, e := range events(t, k, concealed)[1:3] {
		if e.Kind != receipt.EventPassphrase || e.Count != 1 {
			t.Errorf("GetMetadata(key).Events: got kind %d of %s %d times, want one wrong passphrase of each network", e.Kind, e.Network, e.Count)
		}
	}
}
