package main

import (
	"net/http"
	"testing"
	"time"
)

// securityCase is one promise that every protocol has to keep.
type securityCase struct {
	name  string
	flags []string
	run   func(t *testing.T, s *testServer, d driver)
}

// securityCases is the table. A case runs over every driver there is, so a
// protocol cannot be left out of one.
func securityCases() []securityCase {
	off := []string{"--rate-limits=off"}
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
		{"rate limits change nothing", []string{"--trusted-proxies=127.0.0.1"}, rateLimitChangesNothing},
	}
}

func TestSecurity(t *testing.T) {
	for _, c := range securityCases() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := startHush(t, c.flags...)
			drivers := newDrivers(t, s, nil)
			if len(drivers) != 6 {
				t.Fatalf("newDrivers: got %d, want the six protocols", len(drivers))
			}
			for _, d := range drivers {
				t.Run(d.name(), func(t *testing.T) {
					t.Parallel()
					c.run(t, s, d)
				})
			}
		})
	}
}

// An attacker who got hold of a link that was used already tries it again, in
// the hope that the value is still there.
func revealsOnce(t *testing.T, s *testServer, d driver) {
	kept := mustConceal(t, d, wish{secret: "once"})
	d.reveal(t.Context(), kept.secretKey, "").wantValue(t, "first reveal", "once")
	for _, other := range newDrivers(t, s, nil) {
		other.reveal(t.Context(), kept.secretKey, "").want(t, "second reveal over "+other.name(), outcomeUnknown)
	}
	d.get(t.Context(), kept.secretKey).wantIfOffered(t, "get of a revealed secret", outcomeUnknown)
	d.status(t.Context(), kept.secretKey).wantIfOffered(t, "status of a revealed secret", outcomeUnknown)
	receipt := d.metadata(t.Context(), kept.metadataKey).want(t, "metadata", outcomeOK)
	if receipt.state != "received" || receipt.secretKey != "" {
		t.Errorf("metadata: got state %q and secret key %q, want received and none", receipt.state, receipt.secretKey)
	}
	d.burn(t.Context(), kept.metadataKey, "").want(t, "burn of a revealed secret", outcomeUnknown)
}

// An attacker with the link alone guesses the passphrase. A guess must not
// destroy what the recipient is still to read, nor show it.
func wrongPassphraseConsumesNothing(t *testing.T, _ *testServer, d driver) {
	kept := mustConceal(t, d, wish{secret: "guarded", passphrase: "right"})
	if !kept.passphrase {
		t.Errorf("conceal: got no passphrase needed, want one")
	}
	got := d.reveal(t.Context(), kept.secretKey, "wrong").want(t, "reveal with a wrong passphrase", d.wrongPassphrase())
	if got.value != "" {
		t.Errorf("reveal with a wrong passphrase: got value %q, want none", got.value)
	}
	if !d.legacy() && (got.refusal.GetTriesLeft() != 4 || got.refusal.GetPassphraseMissing()) {
		t.Errorf("reveal with a wrong passphrase: got %v, want 4 tries left", got.refusal)
	}
	d.burn(t.Context(), kept.metadataKey, "wrong").want(t, "burn with a wrong passphrase", outcomePassphrase)
	d.reveal(t.Context(), kept.secretKey, "right").wantValue(t, "reveal with the right passphrase", "guarded")
	d.reveal(t.Context(), kept.secretKey, "right").want(t, "second reveal", outcomeUnknown)
}

// A link scanner posts to the link without a passphrase, over and over. That
// must neither open the secret nor lock its recipient out.
func missingPassphraseIsNoTry(t *testing.T, _ *testServer, d driver) {
	kept := mustConceal(t, d, wish{secret: "guarded", passphrase: "right"})
	for range 8 {
		got := d.reveal(t.Context(), kept.secretKey, "").want(t, "reveal without a passphrase", d.wrongPassphrase())
		if !d.legacy() && !got.refusal.GetPassphraseMissing() {
			t.Errorf("reveal without a passphrase: got %v, want it to say that it is missing", got.refusal)
		}
	}
	d.burn(t.Context(), kept.metadataKey, "").want(t, "burn without a passphrase", outcomePassphrase)
	got := d.reveal(t.Context(), kept.secretKey, "wrong").want(t, "first real try", d.wrongPassphrase())
	if !d.legacy() && got.refusal.GetTriesLeft() != 4 {
		t.Errorf("first real try: got %d tries left, want 4", got.refusal.GetTriesLeft())
	}
	d.reveal(t.Context(), kept.secretKey, "right").wantValue(t, "reveal", "guarded")
}

// An attacker with the link goes through a list of passphrases. The fifth is
// the last; from then on even the right one is refused, which tells him nothing
// and consumes nothing.
func fiveWrongPassphrasesLock(t *testing.T, s *testServer, d driver) {
	kept := mustConceal(t, d, wish{secret: "guarded", passphrase: "right"})
	for range 5 {
		d.reveal(t.Context(), kept.secretKey, "wrong").want(t, "a wrong try", d.wrongPassphrase())
	}
	for _, passphrase := range []string{"wrong", "right"} {
		wantLocked(t, d, d.reveal(t.Context(), kept.secretKey, passphrase))
	}
	for _, other := range newDrivers(t, s, nil) {
		wantLocked(t, other, other.reveal(t.Context(), kept.secretKey, "right"))
	}
	receipt := d.metadata(t.Context(), kept.metadataKey).want(t, "metadata", outcomeOK)
	if receipt.state != "new" || receipt.secretKey != kept.secretKey {
		t.Errorf("metadata of a locked secret: got state %q, want new with its key", receipt.state)
	}
}

// An attacker who holds both keys guesses by burning, because it was forgotten
// to count that.
func burnSharesTheLock(t *testing.T, _ *testServer, d driver) {
	kept := mustConceal(t, d, wish{secret: "guarded", passphrase: "right"})
	for range 3 {
		d.burn(t.Context(), kept.metadataKey, "wrong").want(t, "a wrong try", outcomePassphrase)
	}
	for range 2 {
		d.reveal(t.Context(), kept.secretKey, "wrong").want(t, "a wrong try", d.wrongPassphrase())
	}
	wantLocked(t, d, d.burn(t.Context(), kept.metadataKey, "right"))
	wantLocked(t, d, d.reveal(t.Context(), kept.secretKey, "right"))
}

func wantLocked(t *testing.T, d driver, got answer) {
	t.Helper()
	got.want(t, d.name()+" call for a locked secret", outcomeLimited)
	if got.retryAfter <= 0 || got.retryAfter > 30*time.Minute {
		t.Errorf("%s call for a locked secret: got %s to wait, want more than zero and at most 30m", d.name(), got.retryAfter)
	}
	if !d.legacy() && got.refusal.GetReason().String() != "REASON_LOCKED" {
		t.Errorf("%s call for a locked secret: got %v, want REASON_LOCKED", d.name(), got.refusal)
	}
}

// A sender who sent the link to the wrong person burns the secret. From then on
// the link opens nothing.
func burnedIsGone(t *testing.T, _ *testServer, d driver) {
	kept := mustConceal(t, d, wish{secret: "regretted", passphrase: "right"})
	got := d.burn(t.Context(), kept.metadataKey, "right").want(t, "burn", outcomeOK)
	if got.state != "burned" || got.secretKey != "" {
		t.Errorf("burn: got state %q and secret key %q, want burned and none", got.state, got.secretKey)
	}
	d.reveal(t.Context(), kept.secretKey, "right").want(t, "reveal of a burned secret", outcomeUnknown)
	d.burn(t.Context(), kept.metadataKey, "right").want(t, "second burn", outcomeUnknown)
	if got := d.metadata(t.Context(), kept.metadataKey); got.state != "burned" {
		t.Errorf("metadata: got state %q (%s), want burned", got.state, got.text)
	}
}

// wantIfOffered is want for calls that a protocol may lack.
func (a answer) wantIfOffered(t testing.TB, call string, want outcome) {
	t.Helper()
	if a.outcome != outcomeNone {
		a.want(t, call, want)
	}
}

// A client sends a credential that is not good. If the call went on as an
// anonymous one, the sender would take the secret for his account's.
func badCredentialIsRefused(t *testing.T, s *testServer, d driver) {
	kept := mustConceal(t, d, wish{secret: "kept"})
	for _, credential := range []string{"Basic dXNlcjp0b2tlbg==", "Bearer 0123456789abcdef0123456789abcdef01234567", "nonsense", ""} {
		bad := driverNamed(t, newDrivers(t, s, http.Header{"Authorization": {credential}}), d.name())
		bad.conceal(t.Context(), wish{secret: "x"}).want(t, "conceal as "+credential, outcomeUnauthorized)
		bad.get(t.Context(), kept.secretKey).wantIfOffered(t, "get as "+credential, outcomeUnauthorized)
		bad.reveal(t.Context(), kept.secretKey, "").want(t, "reveal as "+credential, outcomeUnauthorized)
		bad.burn(t.Context(), kept.metadataKey, "").want(t, "burn as "+credential, outcomeUnauthorized)
		bad.metadata(t.Context(), kept.metadataKey).want(t, "metadata as "+credential, outcomeUnauthorized)
		bad.status(t.Context(), kept.secretKey).wantIfOffered(t, "status as "+credential, outcomeUnauthorized)
	}
	d.reveal(t.Context(), kept.secretKey, "").wantValue(t, "reveal afterwards", "kept")
}

func driverNamed(t *testing.T, drivers []driver, name string) driver {
	t.Helper()
	for _, d := range drivers {
		if d.name() == name {
			return d
		}
	}
	t.Fatalf("driverNamed(%q): got none, want one", name)
	return nil
}
