package domain

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image/color"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"hush/testtier"
	"hush/vault/refusal"
)

// progressiveJPEG is a grey picture whose decoder keeps every coefficient until
// the end. Only the first values are sent, and each of them is the bit 0, so
// that the file is short.
func progressiveJPEG(width, height uint16, components byte) []byte {
	segment := func(marker byte, body ...byte) []byte {
		head := binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(2+len(body)))
		return append(head, body...)
	}
	size := binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16([]byte{8}, height), width)
	frame, scan := slices.Concat(size, []byte{components}), []byte{components}
	for i := range components {
		frame = append(frame, i+1, 0x11, 0)
		scan = append(scan, i+1, 0)
	}
	blocks := (int(width) + 7) / 8 * ((int(height) + 7) / 8) * int(components)
	return slices.Concat(
		[]byte{0xff, 0xd8},
		segment(0xdb, append([]byte{0}, bytes.Repeat([]byte{1}, 64)...)...),
		segment(0xc2, frame...),
		segment(0xc4, append(append([]byte{0, 1}, make([]byte, 15)...), 0)...),
		segment(0xda, append(scan, 0, 0, 0)...),
		make([]byte, (blocks+7)/8),
		[]byte{0xff, 0xd9},
	)
}

func wantNoTurn(t *testing.T, i *imager) {
	t.Helper()
	if !i.turns.TryAcquire(imageTurns) {
		t.Fatal("turns taken: got some, want none")
	}
	i.turns.Release(imageTurns)
}

// peakDuring returns the maximum bytes that the heap held while work ran, above
// what it held before.
func peakDuring(work func()) uint64 {
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var peak uint64
	ended, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		for {
			runtime.ReadMemStats(&now)
			peak = max(peak, now.HeapAlloc-min(now.HeapAlloc, before.HeapAlloc))
			select {
			case <-ended:
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	work()
	close(ended)
	<-watched
	return peak
}

// The attack: many uploads at a time of the file that takes most memory to
// decode. Not parallel: it counts all that is allocated.
func TestImagesShareMemory(t *testing.T) {
	testtier.Full(t, "measures the memory in use")
	file := progressiveJPEG(2000, 2000, 3)
	if len(file) > 100<<10 {
		t.Fatalf("file: got %d bytes, want a small one", len(file))
	}
	converter := newImager()
	peak := peakDuring(func() {
		var all sync.WaitGroup
		for range 12 {
			all.Go(func() {
				if _, err := converter.convert(t.Context(), file); err != nil && !errors.Is(err, refusal.ErrBusy) {
					t.Errorf("convert(progressive 4 Mpx): got %v, want nil or %v", err, refusal.ErrBusy)
				}
			})
		}
		all.Wait()
	})
	if peak > imageMemory+8<<20 {
		t.Errorf("convert(progressive 4 Mpx) 12 times: got %d KiB in use, want at most %d", peak>>10, imageMemory>>10)
	}
	wantNoTurn(t, converter)
	p, err := converter.convert(t.Context(), file)
	if err != nil {
		t.Fatalf("convert(progressive 4 Mpx): got %v, want nil", err)
	}
	wantKept(t, "progressive 4 Mpx", p)
}

// However many images come, those that are decoded at a time fit into the
// memory that is theirs together, and none waits for ever for another.
func TestImageTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		converter := newImager()
		weights := []int{1, imageMemory / 2, imageMemory/2 + 1, imageMemory}
		var sum, running, entered, busy atomic.Int64
		var all sync.WaitGroup
		for i := range 200 {
			weight := weights[i%len(weights)]
			all.Go(func() {
				release, err := converter.acquire(t.Context(), weight)
				if err != nil {
					if !errors.Is(err, refusal.ErrBusy) {
						t.Errorf("acquire(%d): got %v, want nil or %v", weight, err, refusal.ErrBusy)
					}
					busy.Add(1)
					return
				}
				if got := sum.Add(int64(weight)); got > imageMemory {
					t.Errorf("acquire(%d): got %d bytes at a time, want at most %d", weight, got, imageMemory)
				}
				if got := running.Add(1); got > imageTurns {
					t.Errorf("acquire(%d): got %d at a time, want at most %d", weight, got, imageTurns)
				}
				entered.Add(1)
				time.Sleep(50 * time.Millisecond)
				sum.Add(int64(-weight))
				running.Add(-1)
				release()
			})
		}
		all.Wait()
		if entered.Load() < 40 || busy.Load() == 0 {
			t.Errorf("enter: got %d entered and %d busy, want both within %s", entered.Load(), busy.Load(), imageTimeout)
		}
		wantNoTurn(t, converter)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if !converter.turns.TryAcquire(imageTurns) {
			t.Fatal("TryAcquire: got no turns, want all")
		}
		if _, err := converter.acquire(ctx, 1); !errors.Is(err, context.Canceled) {
			t.Errorf("acquire(caller left): got %v, want %v", err, context.Canceled)
		}
	})
}

// An image that needs the whole memory gets it in its order, although small ones keep
// coming, and those behind it do not wait for ever if it gives up.
func TestLargeImageIsNotPassedBy(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		converter, ctx := newImager(), t.Context()
		var order []string
		var left atomic.Int64
		var all sync.WaitGroup
		come := func(ctx context.Context, name string, weight int) {
			all.Go(func() {
				release, err := converter.acquire(ctx, weight)
				if err != nil {
					left.Add(1)
					return
				}
				order = append(order, name)
				time.Sleep(imageTimeout / 10)
				release()
			})
			synctest.Wait()
		}
		come(ctx, "small", 1)
		come(ctx, "large", imageMemory)
		come(ctx, "small behind it", 1)
		all.Wait()
		leaving, leave := context.WithCancel(ctx)
		come(ctx, "small", 1)
		come(leaving, "large", imageMemory)
		come(ctx, "small behind it", 1)
		leave()
		all.Wait()
		want := []string{"small", "large", "small behind it", "small", "small behind it"}
		if !slices.Equal(order, want) || left.Load() != 1 {
			t.Errorf("order: got %q and %d that left, want %q and 1", order, left.Load(), want)
		}
		wantNoTurn(t, converter)
	})
}

// A file whose decoding would take more than all images may together is
// refused before it is decoded, though its pixels alone would do.
func TestHeavyImagesAreRefused(t *testing.T) {
	t.Parallel()
	converter := newImager()
	_, err := converter.convert(t.Context(), progressiveJPEG(2000, 1999, 4))
	if !errors.Is(err, refusal.ErrInvalid) {
		t.Errorf("convert(progressive with four components): got %v, want %v", err, refusal.ErrInvalid)
	}
	small := withSegment(progressiveJPEG(640, 480, 4), 0xee, []byte("Adobe\x00\x64\x00\x00\x00\x00\x00"))
	if _, err := converter.convert(t.Context(), small); err != nil {
		t.Errorf("convert(small one with four components): got %v, want nil", err)
	}
}

// What the head of a file promises is what its decoder does.
func TestIsProgressive(t *testing.T) {
	t.Parallel()
	plain := jpegOf(t, plain(64, 64, color.White))
	for name, test := range map[string]struct {
		content []byte
		want    bool
	}{
		"baseline":             {plain, false},
		"behind a comment":     {withSegment(plain, 0xfe, []byte{0xff, 0xc2, 0, 8}), false},
		"behind a filler":      {append([]byte{0xff, 0xd8, 0xff}, plain[2:]...), false},
		"progressive":          {progressiveJPEG(64, 64, 3), true},
		"progressive, comment": {withSegment(progressiveJPEG(64, 64, 3), 0xfe, []byte{0xff, 0xc0, 0, 8}), true},
		"no frame":             {plain[:20], true},
		"empty":                {nil, true},
	} {
		if got := isProgressive(test.content); got != test.want {
			t.Errorf("isProgressive(%s): got %t, want %t", name, got, test.want)
		}
	}
}
