package vaulttest

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hush/seal"
	"hush/vault/caller"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/secret"
)

// WantChallenge fails the test unless err is a ChallengeError of that text.
func WantChallenge(t testing.TB, call string, err error, text string) {
	t.Helper()
	challenge, ok := errors.AsType[*refusal.ChallengeError](err)
	if !ok || challenge.Text != text || !errors.Is(err, refusal.ErrChallenge) {
		t.Errorf("%s: got %v, want a ChallengeError %q", call, err, text)
	}
}

// WantInvalid fails the test unless err is an InvalidError about field.
func WantInvalid(t testing.TB, call string, err error, field string) {
	t.Helper()
	invalid, ok := errors.AsType[*refusal.InvalidError](err)
	if !ok || invalid.Field != field || !errors.Is(err, refusal.ErrInvalid) {
		t.Errorf("%s: got %v, want an InvalidError about %s", call, err, field)
	}
}

// WantErr fails the test unless got is want by errors.Is. call names what was
// called.
func WantErr(t testing.TB, call string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%s: got %v, want %v", call, got, want)
	}
}

// Want fails the test unless got equals want. call names what was called.
func Want[T comparable](t testing.TB, call string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", call, got, want)
	}
}

// RevealErr returns the error of a reveal, and fails the test if one came
// together with a value.
func RevealErr(t testing.TB, k *Kit, c caller.Caller, key string, passphrase caller.Text) error {
	t.Helper()
	revealed, err := k.Vault.Secrets.RevealSecret(t.Context(), c, key, secret.Opening{Passphrase: passphrase})
	if err != nil && revealed.Value != "" {
		t.Errorf("RevealSecret(key): got %d bytes with %v, want none", len(revealed.Value), err)
	}
	return err
}

// WantState fails the test unless the receipt is in that state. It fetches the
// receipt, which the first call moves to viewed.
func WantState(t testing.TB, k *Kit, key seal.Token, state receipt.State) {
	t.Helper()
	Want(t, "GetMetadata(key).State", k.MustMetadata(t, caller.Caller{}, key).State, state)
}

// RetryBusy calls try until it returns an error other than ErrBusy, or nil, and
// returns that.
func RetryBusy(try func() error) error {
	for {
		if err := try(); !errors.Is(err, refusal.ErrBusy) {
			return err
		}
	}
}

// WantPassphrase fails the test unless err is that PassphraseError.
func WantPassphrase(t testing.TB, call string, err error, want *refusal.PassphraseError) {
	t.Helper()
	WantErr(t, call, err, refusal.ErrPassphrase)
	if diff := cmp.Diff(error(want), err); diff != "" {
		t.Errorf("%s: -want +got\n%s", call, diff)
	}
}
