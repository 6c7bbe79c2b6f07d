package storagetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"hush/storage"
)

func runLifetime(t *testing.T, open Opener) {
	t.Run("cancelled before", storeTest(open, testCancelledBefore))
	t.Run("cancelled inside", storeTest(open, testCancelledInside))
	t.Run("closed", storeTest(open, testClosed))
	t.Run("close waits for updates", storeTest(open, func(t *testing.T, s storage.Store) { testCloseWaits(t, s, s.Update) }))
	t.Run("close waits for views", storeTest(open, func(t *testing.T, s storage.Store) { testCloseWaits(t, s, s.View) }))
	t.Run("clock", storeTest(open, testClock))
}

func testCancelledBefore(t *testing.T, s storage.Store) {
	ran := false
	fn := func(storage.Tx) error {
		ran = true
		return nil
	}
	if err := s.View(cancelled(), fn); !errors.Is(err, context.Canceled) || ran {
		t.Errorf("View(cancelled): got %v, ran %v, want %v and not run", err, ran, context.Canceled)
	}
	if err := s.Update(cancelled(), fn); !errors.Is(err, context.Canceled) || ran {
		t.Errorf("Update(cancelled): got %v, ran %v, want %v and not run", err, ran, context.Canceled)
	}
}

// testCancelledInside: an update that has run is committed and reported as
// such, because a caller with an error would report a failure to its user.
func testCancelledInside(t *testing.T, s storage.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := s.Update(ctx, func(tx storage.Tx) error {
		cancel()
		return putAll(tx, "a", "1")
	})
	if err != nil {
		t.Errorf("Update(cancelled inside): got %v, want nil", err)
	}
	wantContents(t, s, "a=1")
}

// testClock: a clock of the store's own does not go back, and is closed with it.
func testClock(t *testing.T, s storage.Store) {
	clock := s.Clock()
	if clock == nil {
		return
	}
	first, err := clock.Now(t.Context())
	second, again := clock.Now(t.Context())
	if err := errors.Join(err, again); err != nil || second.Before(first) {
		t.Errorf("Now, twice: got %v and %v, %v, want no earlier time and nil", first, second, err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("Close: got %v, want nil", err)
	}
	if _, err := clock.Now(t.Context()); !errors.Is(err, storage.ErrClosed) {
		t.Errorf("Now after Close: got %v, want %v", err, storage.ErrClosed)
	}
}

func testClosed(t *testing.T, s storage.Store) {
	mustPut(t, s, "a", "1")
	for range 2 {
		if err := s.Close(); err != nil {
			t.Errorf("Close: got %v, want nil", err)
		}
	}
	nothing := func(storage.Tx) error { return nil }
	if err := s.View(t.Context(), nothing); !errors.Is(err, storage.ErrClosed) {
		t.Errorf("View after Close: got %v, want %v", err, storage.ErrClosed)
	}
	if err := s.Update(t.Context(), nothing); !errors.Is(err, storage.ErrClosed) {
		t.Errorf("Update after Close: got %v, want %v", err, storage.ErrClosed)
	}
	if err := s.UpdateReserved(t.Context(), nothing); !errors.Is(err, storage.ErrClosed) {
		t.Errorf("UpdateReserved after Close: got %v, want %v", err, storage.ErrClosed)
	}
}

func testCloseWaits(t *testing.T, s storage.Store, run func(context.Context, func(storage.Tx) error) error) {
	begun, proceed := make(chan struct{}), make(chan struct{})
	ended, closed := make(chan error, 1), make(chan error, 1)
	go func() {
		ended <- run(t.Context(), func(tx storage.Tx) error {
			close(begun)
			<-proceed
			return wantMissing(tx, "a")
		})
	}()
	<-begun
	go func() { closed <- s.Close() }()
	select {
	case err := <-closed:
		t.Errorf("Close during an operation: returned %v, want it to wait", err)
		closed <- err
	case <-time.After(20 * time.Millisecond):
	}
	close(proceed)
	if err := errors.Join(<-ended, <-closed); err != nil {
		t.Errorf("operation and Close: got %v, want nil", err)
	}
}
