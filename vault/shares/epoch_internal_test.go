package shares

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hush/seal"
	"hush/storage/memory"
	"hush/vault/cluster"
	"hush/vault/recordtest"
)

func sampleEpoch() epochRecord { return epochRecord{sealed: bytes.Repeat([]byte("sealed key "), 8)} }

// What was stored once is read for ever, and while a version is the current
// one, it is written the same.
func TestGoldenEpoch(t *testing.T) {
	t.Parallel()
	recordtest.Check(t, []recordtest.Case{
		{Name: "epoch-v1", Record: sampleEpoch(), Encoded: sampleEpoch().encode(), Decode: func(b []byte) (any, error) { return decodeEpoch(b) }},
	}, cmp.AllowUnexported(epochRecord{}))
}

func FuzzDecodeEpoch(f *testing.F) {
	recordtest.Fuzz(f, func(data []byte) ([]byte, error) {
		r, err := decodeEpoch(data)
		return r.encode(), err
	}, "epoch-v1")
}

func TestEpochOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		at   time.Time
		want uint64
	}{
		{time.Time{}, 0},
		{time.Unix(-1, 0), 0},
		{time.Unix(3599, 999_999_999), 0},
		{time.Unix(3600, 0), 1},
		{time.Date(2026, time.January, 2, 3, 4, 5, 0, time.UTC), 490923},
	} {
		if got := epochOf(c.at); got != c.want {
			t.Errorf("epochOf(%v): got %d, want %d", c.at, got, c.want)
		}
	}
}

// No time up to which deleting is safe ends an epoch that contains a later
// time. One that is an hour old, or older, is ended.
func TestEpochsBefore(t *testing.T) {
	t.Parallel()
	start := recordtest.Moment(0)
	for d := range 300 {
		now := start.Add(time.Duration(d) * time.Minute)
		if got, most := epochsBefore(now), epochOf(now.Add(time.Millisecond)); got > most {
			t.Errorf("epochsBefore(%v): got %d, want at most %d", now, got, most)
		} else if least := epochOf(now) - 1; got < least {
			t.Errorf("epochsBefore(%v): got %d, want at least %d", now, got, least)
		} else if got == most && now.Sub(now.Truncate(time.Hour)) < 5*time.Minute {
			t.Errorf("epochsBefore(%v): got %d, want it five minutes later", now, got)
		}
	}
	if got := epochsBefore(time.Unix(1, 0)); got != 0 {
		t.Errorf("epochsBefore(1970): got %d, want 0", got)
	}
}

// Opened keys are bounded, and deleted ones do not stay in memory.
func TestOpenedKeysAreBoundedAndWiped(t *testing.T) {
	t.Parallel()
	store, _ := memory.New()
	e := newEpochs(cluster.NewStore(store, nil), seal.NewKeys(seal.NewRootKey()))
	start := recordtest.Moment(0)
	owner := func(hour int) Owner {
		return Owner{Kind: KindMail, Row: []byte("a row"), Expires: start.Add(time.Duration(hour) * time.Hour)}
	}
	first, _, err := e.maskNew(t.Context(), owner(0))
	if err != nil {
		t.Fatalf("maskNew(owner): got %v, want nil", err)
	}
	for hour := range epochsOpened + 10 {
		if _, _, err := e.maskNew(t.Context(), owner(hour)); err != nil {
			t.Fatalf("maskNew(owner): got %v, want nil", err)
		}
	}
	if got := len(e.opened); got != epochsOpened {
		t.Errorf("opened keys: got %d, want %d", got, epochsOpened)
	}
	if got, err := e.maskStored(t.Context(), owner(0)); got != first || err != nil {
		t.Errorf("maskStored(owner): got another mask, %v, want that of maskNew", err)
	}
	key, epoch := e.opened[epochOf(start)], epochOf(start)
	if n, err := e.end(t.Context(), start.Add(2*time.Hour+10*time.Minute)); n != 2 || err != nil {
		t.Errorf("end(two hours later): got %d, %v, want 2, nil", n, err)
	}
	if _, ok := e.opened[epoch]; ok {
		t.Error("opened keys: got a deleted one, want it wiped")
	}
	if got := len(e.opened); got != 0 {
		t.Errorf("opened keys after a sweep: got %d, want none, since the row of one may have been replaced", got)
	}
	defer func() {
		if recover() == nil {
			t.Error("Mask(wiped key): got a mask, want a panic")
		}
	}()
	if _, err := e.maskStored(t.Context(), owner(0)); !errors.Is(err, ErrEnded) {
		t.Errorf("maskStored(deleted key): got %v, want %v", err, ErrEnded)
	}
	if _, err := e.maskFirst(epoch, openedEpoch{EpochKey: seal.NewEpochKey()}, owner(0)); !errors.Is(err, ErrEnded) {
		t.Errorf("maskFirst(read before it was deleted): got %v, want %v", err, ErrEnded)
	}
	key.Mask(KindMail, []byte("a row"))
}
