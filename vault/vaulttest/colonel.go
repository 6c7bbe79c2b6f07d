package vaulttest

import (
	"testing"

	"hush/vault"
	"hush/vault/caller"
	"hush/vault/feedback"
)

// MustException reports an exception and returns what was kept of it.
func MustException(t testing.TB, k *Kit, c caller.Caller, e feedback.Exception) feedback.Exception {
	t.Helper()
	kept, err := k.Vault.Inbox.ReceiveException(t.Context(), c, e)
	if err != nil {
		t.Fatalf("ReceiveException(): got %v, want nil", err)
	}
	return kept
}

// MustFeedback sends feedback from an account.
func MustFeedback(t testing.TB, k *Kit, c caller.Caller, message string) {
	t.Helper()
	if err := k.Vault.Inbox.ReceiveFeedback(t.Context(), c, feedback.NewFeedback{Message: message}); err != nil {
		t.Fatalf("ReceiveFeedback(%q): got %v, want nil", message, err)
	}
}

// MustIndex returns the index that c gets, who is a colonel.
func MustIndex(t testing.TB, k *Kit, c caller.Caller) vault.Index {
	t.Helper()
	index, err := k.Vault.GetIndex(t.Context(), c)
	if err != nil {
		t.Fatalf("GetIndex(colonel): got %v, want nil", err)
	}
	return index
}
