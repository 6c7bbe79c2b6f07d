package storagetest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"hush/storage"
)

func runShares(t *testing.T, open Opener) {
	for name, test := range map[string]func(t *testing.T, s storage.Shares){
		"put, get, destroy":        testShareLife,
		"wrong slots":              testWrongSlots,
		"newer generation stays":   testNewerGeneration,
		"concurrent puts":          testConcurrentPuts,
		"put many":                 testPutMany,
		"concurrent puts and ends": testConcurrentLives,
		"cancelled":                testSharesCancelled,
		"what they are":            testSharesStay,
	} {
		t.Run(name, func(t *testing.T) {
			_, s := open(t)
			test(t, s)
		})
	}
}

type share = [storage.ShareSize]byte

func newShare() share {
	var s share
	_, _ = rand.Read(s[:]) // never fails: it ends the process instead
	return s
}

func mustPutShare(t *testing.T, s storage.Shares, it share) storage.Slot {
	t.Helper()
	slot, err := s.Put(t.Context(), it)
	if err != nil || slot.Generation == 0 {
		t.Fatalf("Put: got %v, %v, want a slot with a generation", slot, err)
	}
	return slot
}

func mustDestroy(t *testing.T, s storage.Shares, slots ...storage.Slot) {
	t.Helper()
	if err := s.Destroy(t.Context(), slots...); err != nil {
		t.Fatalf("Destroy(%v): got %v, want nil", slots, err)
	}
}

// holds returns an error unless slot holds want.
func holds(ctx context.Context, s storage.Shares, slot storage.Slot, want share) error {
	if got, err := s.Get(ctx, slot); err != nil || got != want {
		return fmt.Errorf("Get(%v): got %x, %v, want %x", slot, got, err, want)
	}
	return nil
}

// gone returns an error unless the share of slot is gone.
func gone(ctx context.Context, s storage.Shares, slot storage.Slot) error {
	if got, err := s.Get(ctx, slot); !errors.Is(err, storage.ErrShareGone) || got != (share{}) {
		return fmt.Errorf("Get(%v): got %x, %v, want %w", slot, got, err, storage.ErrShareGone)
	}
	return nil
}

func testShareLife(t *testing.T, s storage.Shares) {
	a, b := newShare(), newShare()
	first, second := mustPutShare(t, s, a), mustPutShare(t, s, b)
	if err := errors.Join(holds(t.Context(), s, first, a), holds(t.Context(), s, second, b)); err != nil {
		t.Error(err)
	}
	mustDestroy(t, s, first)
	if err := errors.Join(gone(t.Context(), s, first), holds(t.Context(), s, second, b)); err != nil {
		t.Error(err)
	}
	mustDestroy(t, s, first, second)
	if err := gone(t.Context(), s, second); err != nil {
		t.Error(err)
	}
	mustDestroy(t, s)
	if next := mustPutShare(t, s, a); next.Number == first.Number || next.Number == second.Number {
		t.Errorf("Put after Destroy: got slot %v before it was released", next)
	}
}

// Many shares that are put at once are as if put one by one.
func testPutMany(t *testing.T, s storage.Shares) {
	if slots, err := s.PutMany(t.Context(), nil); len(slots) != 0 || err != nil {
		t.Errorf("PutMany(none): got %v, %v, want none, nil", slots, err)
	}
	err := together(8, func(int) error {
		shares := make([][storage.ShareSize]byte, 100)
		for i := range shares {
			shares[i] = newShare()
		}
		slots, err := s.PutMany(t.Context(), shares)
		errs := []error{err}
		for i, slot := range slots {
			errs = append(errs, holds(t.Context(), s, slot, shares[i]))
		}
		errs = append(errs, s.Destroy(t.Context(), slots...))
		if r := s.Recycler(); r != nil {
			r.Release(slots...)
		}
		for _, slot := range slots {
			errs = append(errs, gone(t.Context(), s, slot))
		}
		return errors.Join(append(errs, unless(len(slots) == len(shares), fmt.Errorf("got %d slots, want %d", len(slots), len(shares))))...)
	})
	if err != nil {
		t.Errorf("PutMany(100 shares): %v", err)
	}
}

func testWrongSlots(t *testing.T, s storage.Shares) {
	it := newShare()
	slot := mustPutShare(t, s, it)
	wrong := []storage.Slot{
		{},
		{Number: slot.Number},
		{Number: slot.Number, Generation: slot.Generation + 1},
		{Number: slot.Number + 1, Generation: 1},
		{Number: 0, Generation: 1},
		{Number: 1 << 40, Generation: 1},
		{Number: 1<<64 - 1, Generation: 1},
	}
	for _, w := range wrong {
		if err := gone(t.Context(), s, w); err != nil {
			t.Error(err)
		}
	}
	mustDestroy(t, s, wrong[3:]...)
	if err := holds(t.Context(), s, slot, it); err != nil {
		t.Error(err)
	}
	mustPutShare(t, s, it)
}

func testNewerGeneration(t *testing.T, s storage.Shares) {
	it := newShare()
	slot := mustPutShare(t, s, it)
	mustDestroy(t, s, storage.Slot{Number: slot.Number, Generation: slot.Generation - 1})
	if err := holds(t.Context(), s, slot, it); err != nil {
		t.Error(err)
	}
}

func testConcurrentPuts(t *testing.T, s storage.Shares) {
	var mu sync.Mutex
	slots := map[uint64]share{}
	err := together(200, func(int) error {
		it := newShare()
		slot, err := s.Put(t.Context(), it)
		mu.Lock()
		defer mu.Unlock()
		slots[slot.Number] = it
		return errors.Join(err, holds(t.Context(), s, slot, it))
	})
	if err != nil || len(slots) != 200 {
		t.Errorf("200 concurrent Puts: got %d slots, %v, want 200", len(slots), err)
	}
}

func testConcurrentLives(t *testing.T, s storage.Shares) {
	recycler := s.Recycler()
	err := together(32, func(int) error {
		for range 20 {
			it := newShare()
			slot, err := s.Put(t.Context(), it)
			if err != nil {
				return err
			}
			errs := []error{
				holds(t.Context(), s, slot, it), s.Destroy(t.Context(), slot), gone(t.Context(), s, slot),
			}
			if err := errors.Join(errs...); err != nil {
				return err
			}
			if recycler != nil {
				recycler.Release(slot)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// What shares say of themselves stays, and barring older releases, which happens at each
// start, leaves the shares alone.
func testSharesStay(t *testing.T, s storage.Shares) {
	it := newShare()
	slot := mustPutShare(t, s, it)
	overwrites, recycles := s.Overwrites(), s.Recycler() != nil
	for range 2 {
		if err := s.BarOlder(t.Context()); err != nil {
			t.Errorf("BarOlder: got %v, want nil", err)
		}
	}
	mustDestroy(t, s, mustPutShare(t, s, newShare()))
	if err := holds(t.Context(), s, slot, it); err != nil {
		t.Error(err)
	}
	if s.Overwrites() != overwrites || (s.Recycler() != nil) != recycles {
		t.Errorf("Overwrites, Recycler: got %t, %t, want %t, %t as before", s.Overwrites(), s.Recycler() != nil, overwrites, recycles)
	}
}

func testSharesCancelled(t *testing.T, s storage.Shares) {
	it := newShare()
	slot := mustPutShare(t, s, it)
	if _, err := s.Put(cancelled(), it); !errors.Is(err, context.Canceled) {
		t.Errorf("Put(cancelled): got %v, want %v", err, context.Canceled)
	}
	if slots, err := s.PutMany(cancelled(), make([]share, 2)); !errors.Is(err, context.Canceled) || !slices.Equal(slots, make([]storage.Slot, 2)) {
		t.Errorf("PutMany(cancelled): got %v, %v, want no slots, %v", slots, err, context.Canceled)
	}
	if _, err := s.Get(cancelled(), slot); !errors.Is(err, context.Canceled) {
		t.Errorf("Get(cancelled): got %v, want %v", err, context.Canceled)
	}
	if err := s.Destroy(cancelled(), slot); !errors.Is(err, context.Canceled) {
		t.Errorf("Destroy(cancelled): got %v, want %v", err, context.Canceled)
	}
	if err := holds(t.Context(), s, slot, it); err != nil {
		t.Error(err)
	}
}
