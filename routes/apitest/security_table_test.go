package apitest_test

import (
	"net/http"
	"net/netip"
	"testing"
	"time"

	"hush/handlers"
	"hush/handlers/chain"
	"hush/routes/apitest"
)

// securityCase is one promise that every protocol has to keep.
type securityCase struct {
	name string
	opts handlers.Options
	run  func(t *testing.T, s *apitest.Server, d apitest.Driver)
}

// securityCases is the table. A case runs over every driver there is, so a
// protocol cannot be left out of one.
func securityCases() []securityCase {
	var off handlers.Options
	return []securityCase{
		{"reveals once", off, revealsOnce},
		{"a wrong passphrase consumes nothing", off, wrongPassphraseConsumesNothing},
		{"a missing passphrase is no try", off, missingPassphraseIsNoTry},
		{"five wrong passphrases lock", off, fiveWrongPassphrasesLock},
		{"burning is no way around the lock", off, burnSharesTheLock},
		{"a burned secret is gone", off, burnedIsGone},
		{"lifetimes are bounded", off, lifetimesAreBounded},
		{"an oversized secret is refused", off, oversizedIsRefused},
		{"an oversized passphrase is refused", off, oversizedPassphraseIsRefused},
		{"an empty secret is refused", off, emptyIsRefused},
		{"keys of a wrong shape are unknown", off, wrongShapesAreUnknown},
		{"the keys are not interchangeable", off, keysAreNotInterchangeable},
		{"a bad credential is refused", off, badCredentialIsRefused},
		{"looking consumes nothing", off, lookingConsumesNothing},
		{"recipients need an account", off, recipientsNeedAnAccount},
		{"a foreign share domain is refused", off, foreignDomainIsRefused},
		{"a value comes back to the byte", off, valueIsKeptToTheByte},
		{"rate limits change nothing", handlers.Options{Settings: chain.Settings{RateLimits: true, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}}, rateLimitChangesNothing},
	}
}

func TestSecurity(t *testing.T) {
	for _, c := range securityCases() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := apitest.Start(t, apitest.Options{Handlers: c.opts})
			drivers := s.Drivers(t, nil)
			if len(drivers) != 6 {
				t.Fatalf("newDrivers: got %d, want the six protocols", len(drivers))
			}
			for _, d := range drivers {
				t.Run(d.Name(), func(t *testing.T) {
					t.Parallel()
					c.run(t, s, d)
				})
			}
		})
	}
}

// An attacker who got hold of a link that was used already tries it again, in
// the hope that the value is still there.
func revealsOnce(t *testing.T, s *apitest.Server, d apitest.Driver) {
	kept := apitest.MustConceal(t, d, apitest.Terms{Secret: "once"})
	d.Reveal(t.Context(), kept.SecretKey, "").WantValue(t, "first reveal", "once")
	for _, other := range s.Drivers(t, nil) {
		other.Reveal(t.Context(), kept.SecretKey, "").Want(t, "second reveal over "+other.Name(), apitest.OutcomeUnknown)
	}
	d.Get(t.Context(), kept.SecretKey).WantIfOffered(t, "get of a revealed secret", apitest.OutcomeUnknown)
	d.Status(t.Context(), kept.SecretKey).WantIfOffered(t, "status of a revealed secret", apitest.OutcomeUnknown)
	receipt := d.Metadata(t.Context(), kept.MetadataKey).Want(t, "metadata", apitest.OutcomeOK)
	if receipt.State != "received" || receipt.SecretKey != "" {
		t.Errorf("metadata: got state %q and secret key %q, want received and none", receipt.State, receipt.SecretKey)
	}
	d.Burn(t.Context(), kept.MetadataKey, "").Want(t, "burn of a revealed secret", apitest.OutcomeUnknown)
}

// An attacker with the link alone guesses the passphrase. A guess must not
// destroy what the recipient is still to read, nor show it.
func wrongPassphraseConsumesNothing(t *testing.T, _ *apitest.Server, d apitest.Driver) {
	kept := apitest.MustConceal(t, d, apitest.Terms{Secret: "guarded", Passphrase: "right"})
	if !kept.Passphrase {
		t.Errorf("conceal: got no passphrase needed, want one")
	}
	got := d.Reveal(t.Context(), kept.SecretKey, "wrong").Want(t, "reveal with a wrong passphrase", d.WrongPassphrase())
	if got.Value != "" {
		t.Errorf("reveal with a wrong passphrase: got value %q, want none", got.Value)
	}
	if !d.Legacy() && (got.Refusal.GetTriesLeft() != 4 || got.Refusal.GetPassphraseMissing()) {
		t.Errorf("reveal with a wrong passphrase: got %v, want 4 tries left", got.Refusal)
	}
	d.Burn(t.Context(), kept.MetadataKey, "wrong").Want(t, "burn with a wrong passphrase", apitest.OutcomePassphrase)
	d.Reveal(t.Context(), kept.SecretKey, "right").WantValue(t, "reveal with the right passphrase", "guarded")
	d.Reveal(t.Context(), kept.SecretKey, "right").Want(t, "second reveal", apitest.OutcomeUnknown)
}

// A link scanner posts to the link without a passphrase, over and over. That
// must neither open the secret nor lock its recipient out.
func missingPassphraseIsNoTry(t *testing.T, _ *apitest.Server, d apitest.Driver) {
	kept := apitest.MustConceal(t, d, apitest.Terms{Secret: "guarded", Passphrase: "right"})
	for range 8 {
		got := d.Reveal(t.Context(), kept.SecretKey, "").Want(t, "reveal without a passphrase", d.WrongPassphrase())
		if !d.Legacy() && !got.Refusal.GetPassphraseMissing() {
			t.Errorf("reveal without a passphrase: got %v, want it to say that it is missing", got.Refusal)
		}
	}
	d.Burn(t.Context(), kept.MetadataKey, "").Want(t, "burn without a passphrase", apitest.OutcomePassphrase)
	got := d.Reveal(t.Context(), kept.SecretKey, "wrong").Want(t, "first real try", d.WrongPassphrase())
	if !d.Legacy() && got.Refusal.GetTriesLeft() != 4 {
		t.Errorf("first real try: got %d tries left, want 4", got.Refusal.GetTriesLeft())
	}
	d.Reveal(t.Context(), kept.SecretKey, "right").WantValue(t, "reveal", "guarded")
}

// An attacker with the link goes through a list of passphrases. The fifth is
// the last; from then on even the right one is refused, which tells him nothing
// and consumes nothing.
func fiveWrongPassphrasesLock(t *testing.T, s *apitest.Server, d apitest.Driver) {
	kept := apitest.MustConceal(t, d, apitest.Terms{Secret: "guarded", Passphrase: "right"})
	for range 5 {
		d.Reveal(t.Context(), kept.SecretKey, "wrong").Want(t, "a wrong try", d.WrongPassphrase())
	}
	for _, passphrase := range []string{"wrong", "right"} {
		wantLocked(t, d, d.Reveal(t.Context(), kept.SecretKey, passphrase))
	}
	for _, other := range s.Drivers(t, nil) {
		wantLocked(t, other, other.Reveal(t.Context(), kept.SecretKey, "right"))
	}
	receipt := d.Metadata(t.Context(), kept.MetadataKey).Want(t, "metadata", apitest.OutcomeOK)
	if receipt.State != "new" || receipt.SecretKey != kept.SecretKey {
		t.Errorf("metadata of a locked secret: got state %q, want new with its key", receipt.State)
	}
}

// An attacker who holds both keys guesses by burning, because it was forgotten
// to count that.
func burnSharesTheLock(t *testing.T, _ *apitest.Server, d apitest.Driver) {
	kept := apitest.MustConceal(t, d, apitest.Terms{Secret: "guarded", Passphrase: "right"})
	for range 3 {
		d.Burn(t.Context(), kept.MetadataKey, "wrong").Want(t, "a wrong try", apitest.OutcomePassphrase)
	}
	for range 2 {
		d.Reveal(t.Context(), kept.SecretKey, "wrong").Want(t, "a wrong try", d.WrongPassphrase())
	}
	wantLocked(t, d, d.Burn(t.Context(), kept.MetadataKey, "right"))
	wantLocked(t, d, d.Reveal(t.Context(), kept.SecretKey, "right"))
}

func wantLocked(t *testing.T, d apitest.Driver, got apitest.Answer) {
	t.Helper()
	got.Want(t, d.Name()+" call for a locked secret", apitest.OutcomeLimited)
	if got.RetryAfter <= 0 || got.RetryAfter > 30*time.Minute {
		t.Errorf("%s call for a locked secret: got %s to wait, want more than zero and at most 30m", d.Name(), got.RetryAfter)
	}
	if !d.Legacy() && got.Refusal.GetReason().String() != "REASON_LOCKED" {
		t.Errorf("%s call for a locked secret: got %v, want REASON_LOCKED", d.Name(), got.Refusal)
	}
}

// A sender who sent the link to the wrong person burns the secret. From then on
// the link opens nothing.
func burnedIsGone(t *testing.T, _ *apitest.Server, d apitest.Driver) {
	kept := apitest.MustConceal(t, d, apitest.Terms{Secret: "regretted", Passphrase: "right"})
	got := d.Burn(t.Context(), kept.MetadataKey, "right").Want(t, "burn", apitest.OutcomeOK)
	if got.State != "burned" || got.SecretKey != "" {
		t.Errorf("burn: got state %q and secret key %q, want burned and none", got.State, got.SecretKey)
	}
	d.Reveal(t.Context(), kept.SecretKey, "right").Want(t, "reveal of a burned secret", apitest.OutcomeUnknown)
	d.Burn(t.Context(), kept.MetadataKey, "right").Want(t, "second burn", apitest.OutcomeUnknown)
	if got := d.Metadata(t.Context(), kept.MetadataKey); got.State != "burned" {
		t.Errorf("metadata: got state %q (%s), want burned", got.State, got.Text)
	}
}

// A client sends a credential that is not good. If the call went on as an
// anonymous one, the sender would take the secret for his account's.
func badCredentialIsRefused(t *testing.T, s *apitest.Server, d apitest.Driver) {
	kept := apitest.MustConceal(t, d, apitest.Terms{Secret: "kept"})
	for _, credential := range []string{"Basic dXNlcjp0b2tlbg==", "Bearer 0123456789abcdef0123456789abcdef01234567", "nonsense", ""} {
		bad := driverNamed(t, s.Drivers(t, http.Header{"Authorization": {credential}}), d.Name())
		bad.Conceal(t.Context(), apitest.Terms{Secret: "x"}).Want(t, "conceal as "+credential, apitest.OutcomeUnauthorized)
		bad.Get(t.Context(), kept.SecretKey).WantIfOffered(t, "get as "+credential, apitest.OutcomeUnauthorized)
		bad.Reveal(t.Context(), kept.SecretKey, "").Want(t, "reveal as "+credential, apitest.OutcomeUnauthorized)
		bad.Burn(t.Context(), kept.MetadataKey, "").Want(t, "burn as "+credential, apitest.OutcomeUnauthorized)
		bad.Metadata(t.Context(), kept.MetadataKey).Want(t, "metadata as "+credential, apitest.OutcomeUnauthorized)
		bad.Status(t.Context(), kept.SecretKey).WantIfOffered(t, "status as "+credential, apitest.OutcomeUnauthorized)
	}
	d.Reveal(t.Context(), kept.SecretKey, "").WantValue(t, "reveal afterwards", "kept")
}

func driverNamed(t *testing.T, drivers []apitest.Driver, name string) apitest.Driver {
	t.Helper()
	for _, d := range drivers {
		if d.Name() == name {
			return d
		}
	}
	t.Fatalf("driverNamed(%q): got none, want one", name)
	return nil
}
