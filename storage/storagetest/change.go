package storagetest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hush/storage"
	"hush/testtier/property"
)

func runChange(t *testing.T, open Opener) {
	t.Run("as get and put", storeTest(open, testChangeIsGetAndPut))
	t.Run("failing beside others", storeTest(open, testChangeFails))
	t.Run("refused", storeTest(open, testChangeRefused))
	t.Run("reading meanwhile", storeTest(open, testChangeReads))
}

// changeModel is what a store must contain, and makes random changes to both.
type changeModel struct {
	rt   *rapid.T
	rows map[string]string
}

// step does one thing to the store and to the model, and compares what it reads.
func (m *changeModel) step(tx storage.Tx) error {
	key := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(m.rt, "key")
	value := strings.Repeat("v", rapid.IntRange(0, 9).Draw(m.rt, "size"))
	before, stored := m.rows[key]
	switch rapid.IntRange(0, 6).Draw(m.rt, "step") {
	case 0:
		m.rows[key] = value
		return tx.Put(bucket, []byte(key), []byte(value))
	case 1:
		delete(m.rows, key)
		return tx.Delete(bucket, []byte(key))
	case 2:
		if !stored {
			return wantMissing(tx, key)
		}
		return wantValue(tx, key, before)
	case 3:
		return m.check(tx)
	default:
		m.rows[key] = before + value
		return tx.Change(bucket, key, func(got []byte) ([]byte, error) {
			if string(got) != before || (got == nil) == stored {
				return nil, fmt.Errorf("changing %s: got %q, want %q", key, got, before)
			}
			return append(got, value...), nil
		})
	}
}

func (m *changeModel) check(tx storage.Tx) error {
	var want []string
	for key, value := range m.rows {
		want = append(want, key+"="+value)
	}
	slices.Sort(want)
	got, err := contents(tx, nil, nil)
	if err == nil && !slices.Equal(got, want) {
		err = fmt.Errorf("walking: got %q, want %q", got, want)
	}
	return err
}

// Within one transaction and over several, all that is read is what was last
// written, however it was.
func testChangeIsGetAndPut(t *testing.T, s storage.Store) {
	property.Check(t, func(rt *rapid.T) {
		m := &changeModel{rt: rt, rows: map[string]string{}}
		steps := rapid.IntRange(0, 12)
		for range 3 {
			mustUpdate(t, s, func(tx storage.Tx) error {
				for range steps.Draw(rt, "steps") {
					if err := m.step(tx); err != nil {
						return err
					}
				}
				return nil
			})
			mustView(t, s, m.check)
		}
		mustUpdate(t, s, func(tx storage.Tx) error {
			return errors.Join(tx.Delete(bucket, []byte("a")), tx.Delete(bucket, []byte("b")), tx.Delete(bucket, []byte("c")))
		})
	})
}

// Updates that share a commit change one row, and every third fails after its
// change: the others count exactly.
func testChangeFails(t *testing.T, s storage.Store) {
	errGivenUp := errors.New("given up")
	err := together(increments, func(i int) error {
		err := s.Update(t.Context(), func(tx storage.Tx) error {
			err := tx.Change(bucket, "n", func(value []byte) ([]byte, error) {
				if value == nil {
					value = make([]byte, 8)
				}
				binary.BigEndian.PutUint64(value, binary.BigEndian.Uint64(value)+1)
				if i%6 == 0 {
					return nil, errGivenUp
				}
				return value, nil
			})
			if err == nil && i%6 == 3 {
				err = errGivenUp
			}
			return err
		})
		return unless(i%3 == 0 && errors.Is(err, errGivenUp), err)
	})
	if err != nil {
		t.Fatal(err)
	}
	want := binary.BigEndian.AppendUint64(nil, increments-(increments+2)/3)
	mustView(t, s, func(tx storage.Tx) error { return wantValue(tx, "n", string(want)) })
}

func testChangeRefused(t *testing.T, s storage.Store) {
	same := func(value []byte) ([]byte, error) { return value, nil }
	mustPut(t, s, "a", "1")
	mustView(t, s, func(tx storage.Tx) error {
		if tx.Change(bucket, "a", same) == nil {
			t.Error("Change(in a view): got nil, want an error")
		}
		return nil
	})
	for _, key := range []string{"", strings.Repeat("k", 1025)} {
		err := s.Update(t.Context(), func(tx storage.Tx) error { return tx.Change(bucket, key, same) })
		if err == nil {
			t.Errorf("Change(key of %d bytes): got nil, want an error", len(key))
		}
	}
	mustUpdate(t, s, func(tx storage.Tx) error {
		return tx.Range(bucket, nil, nil, func(_, _ []byte) error {
			if tx.Change(bucket, "a", same) == nil {
				t.Error("Change(bucket being walked): got nil, want an error")
			}
			return nil
		})
	})
}

// What fn reads, other changed rows included, does not disturb the change.
func testChangeReads(t *testing.T, s storage.Store) {
	const other = "other"
	set := func(tx storage.Tx, bucket, key, value string, read func() error) error {
		return tx.Change(bucket, key, func([]byte) ([]byte, error) { return []byte(value), read() })
	}
	nothing := func() error { return nil }
	mustUpdate(t, s, func(tx storage.Tx) error {
		return errors.Join(
			set(tx, bucket, "a", "1", func() error { return wantMissing(tx, "a") }),
			set(tx, other, "b", "2", nothing),
			set(tx, bucket, "a", "3", func() error { return wantValue(tx, "a", "1") }),
		)
	})
	mustView(t, s, func(tx storage.Tx) error {
		if same, err := tx.Same(other, []byte("b"), []byte("2")); err != nil || !same {
			return fmt.Errorf("comparing the row of another bucket: got %t, %w, want true, nil", same, err)
		}
		return wantValue(tx, "a", "3")
	})
}
