package storagetest

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"slices"
	"testing"

	"hush/storage"
)

// RunBlobs runs the suite of storage.Blobs. It calls open once for each of its tests, for
// blobs of which there are none; open closes them at the end of t.
func RunBlobs(t *testing.T, open func(t *testing.T) storage.Blobs) {
	t.Helper()
	for name, test := range map[string]func(t *testing.T, b storage.Blobs){
		"parts in any order":      testBlobOrder,
		"a part again":            testBlobRepeat,
		"parts of real size":      testLargeBlob,
		"missing blobs":           testMissingBlobs,
		"mistakes":                testBlobMistakes,
		"who owns bytes":          testBlobOwners,
		"list":                    testListBlobs,
		"cancelled":               testBlobsCancelled,
		"concurrent parts":        func(t *testing.T, b storage.Blobs) { wantNil(t, CheckParts(t.Context(), b)) },
		"deleted under way":       func(t *testing.T, b storage.Blobs) { wantNil(t, CheckDeletes(t.Context(), b)) },
		"begun and deleted often": func(t *testing.T, b storage.Blobs) { wantNil(t, checkBlobLives(t.Context(), b)) },
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

func wantNil(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

// testBlob is a blob as it should be.
type testBlob struct {
	id       storage.BlobID
	partSize int64
	content  []byte
}

func newTestBlob(size, partSize int64) testBlob {
	return testBlob{storage.NewBlobID(), partSize, randomBytes(size)}
}

func randomBytes(size int64) []byte {
	content := make([]byte, size)
	_, _ = rand.Read(content) // never fails: it ends the process instead
	return content
}

func (b testBlob) begin(ctx context.Context, in storage.Blobs) error {
	if err := in.Begin(ctx, b.id, int64(len(b.content)), b.partSize); err != nil {
		return fmt.Errorf("Begin(%d bytes in parts of %d): got %w, want nil", len(b.content), b.partSize, err)
	}
	return nil
}

func (b testBlob) parts() int64 { return (int64(len(b.content)) + b.partSize - 1) / b.partSize }

func (b testBlob) part(n int64) []byte {
	return b.content[n*b.partSize : min((n+1)*b.partSize, int64(len(b.content)))]
}

func (b testBlob) put(ctx context.Context, in storage.Blobs, n int64) error {
	if err := in.Put(ctx, b.id, n, b.part(n)); err != nil {
		return fmt.Errorf("Put(part %d of %d): got %w, want nil", n, b.parts(), err)
	}
	return nil
}

// get returns an error unless a part is as it should be.
func (b testBlob) get(ctx context.Context, in storage.Blobs, n int64) error {
	got, err := in.Get(ctx, b.id, n, len(b.part(n)))
	if err != nil {
		return fmt.Errorf("Get(part %d of %d): got %w, want nil", n, b.parts(), err)
	}
	if !bytes.Equal(got, b.part(n)) {
		return fmt.Errorf("Get(part %d of %d): got %d bytes that differ, want those that were put", n, b.parts(), len(got))
	}
	return nil
}

// each calls fn for each part, in any order.
func (b testBlob) each(fn func(n int64) error) error {
	for _, n := range mathrand.Perm(int(b.parts())) {
		if err := fn(int64(n)); err != nil {
			return err
		}
	}
	return nil
}

func (b testBlob) putAll(ctx context.Context, in storage.Blobs) error {
	return b.each(func(n int64) error { return b.put(ctx, in, n) })
}

func (b testBlob) getAll(ctx context.Context, in storage.Blobs) error {
	return b.each(func(n int64) error { return b.get(ctx, in, n) })
}

// mustStore stores a whole blob.
func mustStore(t *testing.T, in storage.Blobs, b testBlob) {
	t.Helper()
	if err := errors.Join(b.begin(t.Context(), in), b.putAll(t.Context(), in), b.getAll(t.Context(), in)); err != nil {
		t.Fatal(err)
	}
}

func mustDelete(t *testing.T, in storage.Blobs, id storage.BlobID) {
	t.Helper()
	if err := in.Delete(t.Context(), id); err != nil {
		t.Fatalf("Delete: got %v, want nil", err)
	}
}

// lacks returns an error unless there is no such blob.
func lacks(ctx context.Context, in storage.Blobs, id storage.BlobID) error {
	got, missing := in.Get(ctx, id, 0, 10)
	var errs []error
	if !errors.Is(missing, storage.ErrNotFound) || got != nil {
		errs = append(errs, fmt.Errorf("Get(missing blob): got %d bytes and %v, want none and %w", len(got), missing, storage.ErrNotFound))
	}
	if err := in.Put(ctx, id, 0, make([]byte, 10)); !errors.Is(err, storage.ErrNotFound) {
		errs = append(errs, fmt.Errorf("Put(missing blob): got %v, want %w", err, storage.ErrNotFound))
	}
	return errors.Join(errs...)
}

// Sizes of every kind: one part, whole parts, and a last one that is shorter.
func testBlobOrder(t *testing.T, in storage.Blobs) {
	var all []testBlob
	for _, size := range []struct{ size, part int64 }{
		{1, 1}, {1, 100}, {100, 100}, {101, 100}, {300, 100}, {399, 100}, {5, 1}, {4096, 4096}, {20000, 4095}, {20000, 4096}, {20000, 4097},
	} {
		b := newTestBlob(size.size, size.part)
		mustStore(t, in, b)
		all = append(all, b)
	}
	for _, b := range all {
		wantNil(t, b.getAll(t.Context(), in))
	}
}

func testBlobRepeat(t *testing.T, in storage.Blobs) {
	b := newTestBlob(2500, 1000)
	mustStore(t, in, b)
	wantNil(t, errors.Join(b.putAll(t.Context(), in), b.getAll(t.Context(), in)))
	copy(b.part(1), randomBytes(1000))
	wantNil(t, errors.Join(b.put(t.Context(), in, 1), b.getAll(t.Context(), in)))
}

// Parts as a service stores them, of which the last is short.
func testLargeBlob(t *testing.T, in storage.Blobs) {
	const part = 8<<20 + 28
	b := newTestBlob(2*part+5, part)
	mustStore(t, in, b)
	mustDelete(t, in, b.id)
	wantNil(t, lacks(t.Context(), in, b.id))
}

func testMissingBlobs(t *testing.T, in storage.Blobs) {
	kept := newTestBlob(250, 100)
	mustStore(t, in, kept)
	never := storage.NewBlobID()
	wantNil(t, lacks(t.Context(), in, never))
	mustDelete(t, in, never)
	for _, stored := range []func(testBlob) error{
		func(testBlob) error { return nil },
		func(b testBlob) error { return b.put(t.Context(), in, 1) },
		func(b testBlob) error { return b.putAll(t.Context(), in) },
	} {
		b := newTestBlob(25, 10)
		wantNil(t, errors.Join(b.begin(t.Context(), in), stored(b)))
		mustDelete(t, in, b.id)
		wantNil(t, lacks(t.Context(), in, b.id))
		mustDelete(t, in, b.id)
	}
	wantNil(t, kept.getAll(t.Context(), in))
}

func testBlobMistakes(t *testing.T, in storage.Blobs) {
	b := newTestBlob(250, 100)
	mustStore(t, in, b)
	mistakes := map[string]error{"Begin(again)": in.Begin(t.Context(), b.id, 250, 100)}
	for _, size := range [][2]int64{{0, 100}, {-1, 100}, {100, 0}, {100, -1}, {1<<63 - 1, 1}, {1, 1<<63 - 1}} {
		id := storage.NewBlobID()
		mistakes[fmt.Sprintf("Begin(%d bytes in parts of %d)", size[0], size[1])] = in.Begin(t.Context(), id, size[0], size[1])
		wantNil(t, lacks(t.Context(), in, id))
	}
	for _, part := range []struct {
		n      int64
		length int
	}{{-1, 100}, {3, 100}, {3, 50}, {1 << 62, 100}, {0, 99}, {0, 101}, {0, 0}, {2, 100}, {2, 49}} {
		mistakes[fmt.Sprintf("Put(part %d with %d bytes)", part.n, part.length)] = in.Put(t.Context(), b.id, part.n, make([]byte, part.length))
	}
	for name, err := range mistakes {
		for _, of := range []error{nil, storage.ErrNotFound, storage.ErrFull, storage.ErrUnknownOutcome, storage.ErrUnavailable, storage.ErrClosed} {
			if errors.Is(err, of) {
				t.Errorf("%s: got %v, want an error that is none of package storage", name, err)
			}
		}
	}
	wantNil(t, b.getAll(t.Context(), in))
}

func testBlobOwners(t *testing.T, in storage.Blobs) {
	b := newTestBlob(100, 100)
	data := bytes.Clone(b.content)
	wantNil(t, b.begin(t.Context(), in))
	if err := in.Put(t.Context(), b.id, 0, data); err != nil {
		t.Fatalf("Put: got %v, want nil", err)
	}
	clear(data)
	got, err := in.Get(t.Context(), b.id, 0, 100)
	if err != nil {
		t.Fatalf("Get: got %v, want nil", err)
	}
	wantNil(t, b.getAll(t.Context(), in))
	clear(got)
	wantNil(t, b.getAll(t.Context(), in))
}

// listed returns what List reports.
func listed(ctx context.Context, in storage.Blobs) (map[storage.BlobID]int64, error) {
	found, again := map[storage.BlobID]int64{}, 0
	err := in.List(ctx, func(id storage.BlobID, bytes int64) error {
		if _, seen := found[id]; seen {
			again++
		}
		found[id] = bytes
		return nil
	})
	if again > 0 {
		err = errors.Join(err, fmt.Errorf("List: got %d blobs more than once", again))
	}
	return found, err
}

// wantListed checks that List reports some blobs and no others.
func wantListed(t *testing.T, in storage.Blobs, want ...testBlob) {
	t.Helper()
	found, err := listed(t.Context(), in)
	if err != nil || len(found) != len(want) {
		t.Errorf("List: got %d blobs and %v, want %d", len(found), err, len(want))
	}
	for _, b := range want {
		if _, ok := found[b.id]; !ok {
			t.Errorf("List: got no blob %s, want it", b.id)
		}
	}
}

func testListBlobs(t *testing.T, in storage.Blobs) {
	wantListed(t, in)
	begun, part, whole := newTestBlob(50_000, 20_000), newTestBlob(50_000, 20_000), newTestBlob(50_000, 20_000)
	mustStore(t, in, whole)
	wantNil(t, errors.Join(begun.begin(t.Context(), in), part.begin(t.Context(), in), part.put(t.Context(), in, 2)))
	wantListed(t, in, begun, part, whole)
	if found, err := listed(t.Context(), in); err != nil || found[whole.id] <= 0 {
		t.Errorf("List: got %d bytes of a whole blob and %v, want some", found[whole.id], err)
	}
	stop, calls := errors.New("enough"), 0
	err := in.List(t.Context(), func(storage.BlobID, int64) error { calls++; return stop })
	if !errors.Is(err, stop) || calls != 1 {
		t.Errorf("List: got %v after %d calls, want the error of the first", err, calls)
	}
	mustDelete(t, in, part.id)
	wantListed(t, in, begun, whole)
	// What begins in a walk may be in it or not, so this walk keeps to what there was.
	err = in.List(t.Context(), func(id storage.BlobID, _ int64) error {
		if id == whole.id {
			return whole.getAll(t.Context(), in)
		}
		return in.Delete(t.Context(), id)
	})
	wantNil(t, err)
	wantListed(t, in, whole)
	testListMany(t, in, whole)
}

// More blobs than a page of a list has, and all are deleted in the walk.
func testListMany(t *testing.T, in storage.Blobs, kept testBlob) {
	t.Helper()
	many := make([]testBlob, 1100)
	if testing.Short() {
		many = many[:300]
	}
	err := together(16, func(worker int) error {
		for i := worker; i < len(many); i += 16 {
			many[i] = newTestBlob(1, 1)
			if err := many[i].begin(t.Context(), in); err != nil {
				return err
			}
		}
		return nil
	})
	wantNil(t, err)
	wantListed(t, in, append(slices.Clone(many), kept)...)
	err = in.List(t.Context(), func(id storage.BlobID, _ int64) error {
		if id == kept.id {
			return nil
		}
		return in.Delete(t.Context(), id)
	})
	wantNil(t, err)
	wantListed(t, in, kept)
}

func testBlobsCancelled(t *testing.T, in storage.Blobs) {
	b, other := newTestBlob(250, 100), newTestBlob(1, 1)
	mustStore(t, in, b)
	_, getErr := in.Get(cancelled(), b.id, 0, 100)
	for name, err := range map[string]error{
		"Begin":  in.Begin(cancelled(), other.id, 1, 1),
		"Put":    in.Put(cancelled(), b.id, 0, make([]byte, 100)),
		"Get":    getErr,
		"Delete": in.Delete(cancelled(), b.id),
		"List":   in.List(cancelled(), func(storage.BlobID, int64) error { return nil }),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s(cancelled): got %v, want %v", name, err, context.Canceled)
		}
	}
	wantNil(t, b.getAll(t.Context(), in))
	wantNil(t, lacks(t.Context(), in, other.id))
	wantListed(t, in, b)
}

// CheckParts puts and gets the parts of several blobs at the same time, and returns an
// error unless each part is as it was put.
func CheckParts(ctx context.Context, in storage.Blobs) error {
	return together(4, func(i int) error {
		b := newTestBlob(int64(20*1000-i*300), 1000)
		if err := b.begin(ctx, in); err != nil {
			return err
		}
		return together(int(b.parts()), func(n int) error {
			for range 3 {
				if err := errors.Join(b.put(ctx, in, int64(n)), b.get(ctx, in, int64(n))); err != nil {
					return err
				}
			}
			return b.get(ctx, in, int64(n))
		})
	})
}

// CheckDeletes deletes blobs while their parts are put and got, and returns an error unless
// each part is got as it was put or not at all, and nothing is left at the end.
func CheckDeletes(ctx context.Context, in storage.Blobs) error {
	err := together(10, func(i int) error {
		b := newTestBlob(10_500, 1000)
		if err := errors.Join(b.begin(ctx, in), b.putAll(ctx, in)); err != nil {
			return err
		}
		deleted := 50 + i*20 // after so many calls of others
		turns := make(chan struct{}, 1000)
		err := together(5, func(worker int) error {
			if worker == 0 {
				for range deleted {
					<-turns
				}
				return in.Delete(ctx, b.id)
			}
			var wrong error
			for turn := range 100 {
				n := int64(turn+worker) % b.parts()
				call := b.put
				if (turn/2+worker)%2 == 0 {
					call = b.get
				}
				if err := call(ctx, in, n); err != nil && !errors.Is(err, storage.ErrNotFound) {
					wrong = err
				}
				turns <- struct{}{}
			}
			return wrong
		})
		// A part that was put while the blob was deleted may be there.
		return errors.Join(err, in.Delete(ctx, b.id), lacks(ctx, in, b.id))
	})
	left, listErr := listed(ctx, in)
	if len(left) > 0 {
		err = errors.Join(err, fmt.Errorf("List after all were deleted: got %d blobs, want none", len(left)))
	}
	return errors.Join(err, listErr)
}

// checkBlobLives begins and deletes blobs at the same time.
func checkBlobLives(ctx context.Context, in storage.Blobs) error {
	kept := newTestBlob(2500, 1000)
	if err := errors.Join(kept.begin(ctx, in), kept.putAll(ctx, in)); err != nil {
		return err
	}
	return together(16, func(int) error {
		for range 5 {
			b := newTestBlob(1500, 1000)
			if err := errors.Join(b.begin(ctx, in), b.putAll(ctx, in), b.getAll(ctx, in), in.Delete(ctx, b.id), lacks(ctx, in, b.id), kept.getAll(ctx, in)); err != nil {
				return err
			}
		}
		return nil
	})
}
