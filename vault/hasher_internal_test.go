package vault

import (
	"context"
	"errors"
	"testing"
)

// Passwords are hashed two at a time, and no more than the queue may wait;
// passphrases have a queue of their own.
func TestPasswordsWaitInTheirOwnQueue(t *testing.T) {
	t.Parallel()
	h := newHasher()
	for range passwordHashes {
		leave, err := h.passwords.turn(t.Context())
		if err != nil {
			t.Fatalf("turn(): got %v, want nil", err)
		}
		defer leave()
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.passwords.turn(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("turn(third): got %v, want %v", err, context.Canceled)
	}
	leave, err := h.turn(t.Context())
	if err != nil {
		t.Fatalf("turn(passphrase): got %v, want nil", err)
	}
	leave()
	for range hashQueue {
		h.passwords.waiting <- struct{}{}
	}
	if _, err := h.passwords.turn(t.Context()); !errors.Is(err, ErrBusy) {
		t.Errorf("turn(full queue): got %v, want %v", err, ErrBusy)
	}
}
