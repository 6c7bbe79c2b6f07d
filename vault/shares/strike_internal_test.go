package shares

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"

	"hush/seal"
	"hush/storage"
	"hush/storage/memory"
	"hush/vault/cluster"
	"hush/vault/rows"
)

// freed keeps the slots that were destroyed and freed.
type freed struct {
	*memory.Shares

	destroyed, released []storage.Slot
}

func (f *freed) Destroy(ctx context.Context, slots ...storage.Slot) error {
	f.destroyed = append(f.destroyed, slots...)
	return f.Shares.Destroy(ctx, slots...)
}

func (f *freed) Recycler() storage.Recycler { return f }

func (f *freed) Release(slots ...storage.Slot) {
	f.released = append(f.released, slots...)
	f.Shares.Release(slots...)
}

func newFreed() (*Shares, *freed) {
	store, backend := memory.New()
	f := &freed{Shares: backend}
	return New(cluster.NewStore(store, nil), f, seal.NewKeys(seal.NewRootKey()), slog.New(slog.DiscardHandler), nil), f
}

// A row that names a later share of its slot stays, and the slot is not free: it holds
// that share.
func TestStrikeLooksAtTheGeneration(t *testing.T) {
	t.Parallel()
	s, backend := newFreed()
	later := storage.Slot{Number: 7, Generation: 2}
	if err := s.store.Update(t.Context(), func(tx *rows.Tx) error { return s.List(tx, later) }); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		slot storage.Slot
		want []storage.Slot
	}{
		{storage.Slot{Number: 7, Generation: 1}, nil},
		{storage.Slot{Number: 8, Generation: 2}, nil},
		{storage.Slot{Number: 7, Generation: 3}, nil},
		{later, []storage.Slot{later}},
		{later, []storage.Slot{later}}, // once
	} {
		if err := s.Strike(t.Context(), []storage.Slot{c.slot}); err != nil || !slices.Equal(backend.released, c.want) {
			t.Errorf("Strike(%v): got %v and freed %v, want %v", c.slot, err, backend.released, c.want)
		}
	}
}

// Whether a secret was stored is not known: its share stays until the next start looks.
func TestDiscardKeepsWhatMayBeStored(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cause error
		want  bool
	}{
		{storage.ErrUnknownOutcome, false},
		{storage.ErrClosed, false},
		{storage.ErrShareGone, false},
		{errors.New("refused"), true},
		{storage.ErrFull, true},
	} {
		s, backend := newFreed()
		slot := storage.Slot{Number: 0, Generation: 1}
		s.Discard(c.cause, slot)
		if got := slices.Contains(backend.destroyed, slot); got != c.want || slices.Contains(backend.released, slot) != c.want {
			t.Errorf("Discard(%v): got it destroyed %t and freed %v, want %t", c.cause, got, backend.released, c.want)
		}
	}
}
