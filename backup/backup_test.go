package backup_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hush/backup"
	"hush/storage"
)

var update = flag.Bool("update", false, "write the golden file anew")

func sampleHeader() backup.Header {
	return backup.Header{
		Format: 2, Release: "0.1.0", Time: time.Date(2026, time.January, 2, 3, 4, 5, 678e6, time.UTC),
		Store: backup.ID([]byte("a store id of 16")), Spent: &backup.Position{Log: backup.ID([]byte("a log id, also16")), Sequence: 77},
		RootKeys: []string{"0123456789abcdef"},
	}
}

// sample returns a small backup.
func sample(t testing.TB) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := backup.NewWriter(&out, sampleHeader())
	if err != nil {
		t.Fatalf("NewWriter: got %v, want nil", err)
	}
	err = errors.Join(
		w.Row("account", []byte("key"), []byte("value")),
		w.Row("account", []byte("key 2"), nil),
		w.Row("secret", []byte{0}, bytes.Repeat([]byte("long "), 40)),
		w.Slot(storage.Slot{Number: 3, Generation: 1}, [storage.ShareSize]byte{1}),
		w.Slot(storage.Slot{Number: 70000, Generation: 12}, [storage.ShareSize]byte{2}),
	)
	if _, ended := w.End(81920, 13); err != nil || ended != nil {
		t.Fatalf("End: got %v, %v, want nil", err, ended)
	}
	return out.Bytes()
}

// content is everything in a backup.
type content struct {
	Header  backup.Header
	Rows    []string
	Shares  []string
	Trailer backup.Trailer
}

func read(data []byte) (c content, err error) {
	r, err := backup.Open(bytes.NewReader(data), nil)
	if err != nil {
		return c, err
	}
	c.Header = r.Header
	c.Trailer, err = r.All(func(bucket string, key, value []byte) error {
		c.Rows = append(c.Rows, fmt.Sprintf("%s %s %d", bucket, key, len(value)))
		return nil
	}, func(slot storage.Slot, share [storage.ShareSize]byte) error {
		c.Shares = append(c.Shares, fmt.Sprintf("%d %d %d", slot.Number, slot.Generation, share[0]))
		return nil
	})
	return c, err
}

func wantSample(t *testing.T, data []byte) {
	t.Helper()
	got, err := read(data)
	if err != nil {
		t.Fatalf("All: got %v, want nil", err)
	}
	want := content{
		Header:  sampleHeader(),
		Rows:    []string{"account key 5", "account key 2 0", "secret \x00 200"},
		Shares:  []string{"3 1 1", "70000 12 2"},
		Trailer: backup.Trailer{Buckets: 2, Rows: 3, Shares: 2, Slots: 81920, Generation: 13},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("content of the backup (-want +got):\n%s", diff)
	}
}

func TestRoundTrip(t *testing.T) { wantSample(t, sample(t)) }

// What a release wrote, every later one reads.
func TestGolden(t *testing.T) {
	path := filepath.Join("testdata", "v1.hushbackup")
	if *update {
		if err := os.WriteFile(path, sample(t), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	stored, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	wantSample(t, stored)
	if !bytes.Equal(stored, sample(t)) {
		t.Error("a new backup: got other bytes than the golden file, want the same")
	}
}

// Whatever is changed or missing, it shows.
func TestDamageIsFound(t *testing.T) {
	whole := sample(t)
	for i := range whole {
		if _, err := read(whole[:i]); !errors.Is(err, backup.ErrDamaged) {
			t.Errorf("read(first %d of %d bytes): got %v, want %v", i, len(whole), err, backup.ErrDamaged)
		}
		for bit := range 8 {
			changed := bytes.Clone(whole)
			changed[i] ^= 1 << bit
			if _, err := read(changed); !errors.Is(err, backup.ErrDamaged) && !errors.Is(err, backup.ErrNewer) {
				t.Errorf("read(bit %d of byte %d changed): got %v, want %v", bit, i, err, backup.ErrDamaged)
			}
		}
	}
	for _, more := range []string{"\x00", "T", string(whole)} {
		if _, err := read(append(bytes.Clone(whole), more...)); !errors.Is(err, backup.ErrDamaged) {
			t.Errorf("read(with %d bytes more): got %v, want %v", len(more), err, backup.ErrDamaged)
		}
	}
}

func TestNewerIsRefused(t *testing.T) {
	data := sample(t)
	data[11]++
	if _, err := read(data); !errors.Is(err, backup.ErrNewer) {
		t.Errorf("read(version 2): got %v, want %v", err, backup.ErrNewer)
	}
}

// Attack: a file of a few bytes says that a row has a gigabyte, or a thousand
// rows do. The reader takes no memory for what is not there.
func TestLengthsAllocateNothing(t *testing.T) {
	start, _, _ := bytes.Cut(sample(t), []byte("B\x00\x07account"))
	hostile := append(bytes.Clone(start), "B\x00\x01bR\x00\x01\x3f\xff\xff\xffkv"...)
	before := allocated()
	if _, err := read(hostile); !errors.Is(err, backup.ErrDamaged) {
		t.Errorf("read(a value of a gigabyte): got %v, want %v", err, backup.ErrDamaged)
	}
	if grown := allocated() - before; grown > 4<<20 {
		t.Errorf("read(a value of a gigabyte): got %d bytes allocated, want less than 4 MiB", grown)
	}
}

// Attack: a row that is longer than any of the service ends what reads it. It would
// take several times its length in memory.
func TestLongRowsAreRefused(t *testing.T) {
	start, _, _ := bytes.Cut(sample(t), []byte("B\x00\x07account"))
	hostile := append(bytes.Clone(start), "B\x00\x01bR\x00\x01\x04\x00\x00\x01k"...)
	long := io.MultiReader(bytes.NewReader(hostile), io.LimitReader(endless{}, 65<<20))
	r, err := backup.Open(long, nil)
	if err != nil {
		t.Fatal(err)
	}
	before := allocated()
	if _, err := r.All(nil, nil); !errors.Is(err, backup.ErrDamaged) {
		t.Errorf("All(a value of 64 MiB and a byte): got %v, want %v", err, backup.ErrDamaged)
	}
	if grown := allocated() - before; grown > 4<<20 {
		t.Errorf("All(a value of 64 MiB and a byte): got %d bytes allocated, want less than 4 MiB", grown)
	}
}

// endless has zeros without end.
type endless struct{}

func (endless) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// Attack: what a header says goes to terminals and logs.
func TestHeadersDoNotControlTerminals(t *testing.T) {
	for _, text := range []string{"1\x1b[31m", "1\nhush: restored", "1\u009b31m", strings.Repeat("1", 257)} {
		release, key := sampleHeader(), sampleHeader()
		release.Release, key.RootKeys = text, []string{text}
		for _, h := range []backup.Header{release, key} {
			var out bytes.Buffer
			w, err := backup.NewWriter(&out, h)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.End(0, 0); err != nil {
				t.Fatal(err)
			}
			if _, err := read(out.Bytes()); !errors.Is(err, backup.ErrDamaged) || strings.Contains(err.Error(), text) {
				t.Errorf("read(header with %q): got %v, want %v", text, err, backup.ErrDamaged)
			}
		}
	}
}

func allocated() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.TotalAlloc
}

func TestWriterRefuses(t *testing.T) {
	long := make([]byte, 1025)
	for name, add := range map[string]func(*backup.Writer) error{
		"an earlier bucket": func(w *backup.Writer) error { return w.Row("a", []byte("k"), nil) },
		"no bucket":         func(w *backup.Writer) error { return w.Row("", []byte("k"), nil) },
		"no key":            func(w *backup.Writer) error { return w.Row("c", nil, nil) },
		"a long key":        func(w *backup.Writer) error { return w.Row("c", long, nil) },
		"a row after a slot": func(w *backup.Writer) error {
			return errors.Join(w.Slot(storage.Slot{Number: 1, Generation: 1}, [storage.ShareSize]byte{}), w.Row("c", []byte("k"), nil))
		},
	} {
		w, err := backup.NewWriter(new(bytes.Buffer), sampleHeader())
		if err == nil {
			err = w.Row("b", []byte("k"), nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		if add(w) == nil {
			t.Errorf("%s: got nil, want an error", name)
		}
	}
}

// An encrypted backup opens with its identity only, and each change shows.
func TestEncrypted(t *testing.T) {
	file, recipient, err := backup.NewIdentity()
	if err != nil {
		t.Fatal(err)
	}
	other, _, err := backup.NewIdentity()
	if err != nil {
		t.Fatal(err)
	}
	sealed := encrypt(t, recipient)
	if bytes.Contains(sealed, []byte("account")) {
		t.Error("encrypted backup: got its content, want it unreadable")
	}
	wantSample(t, decrypt(t, sealed, file))
	if _, err := read(sealed); !errors.Is(err, backup.ErrEncrypted) {
		t.Errorf("Open(no identity): got %v, want %v", err, backup.ErrEncrypted)
	}
	if err := open(t, sealed, other); !errors.Is(err, backup.ErrWrongIdentity) {
		t.Errorf("Open(another identity): got %v, want %v", err, backup.ErrWrongIdentity)
	}
	for i := range sealed {
		changed := bytes.Clone(sealed)
		changed[i] ^= 1
		if err := open(t, changed, file); err == nil {
			t.Errorf("Open(byte %d changed): got nil, want an error", i)
		}
		if err := open(t, sealed[:i], file); err == nil {
			t.Errorf("Open(first %d of %d bytes): got nil, want an error", i, len(sealed))
		}
	}
	if err := open(t, append(sealed, 0), file); err == nil {
		t.Error("Open(with a byte more): got nil, want an error")
	}
}

func encrypt(t *testing.T, recipients string) []byte {
	t.Helper()
	to, err := backup.Recipients(recipients)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w, err := backup.Encrypt(&out, to)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(sample(t)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// decrypt checks a backup and returns it as a plain one.
func decrypt(t *testing.T, sealed, identity []byte) []byte {
	t.Helper()
	if err := open(t, sealed, identity); err != nil {
		t.Fatalf("All(encrypted): got %v, want nil", err)
	}
	return sample(t)
}

// open reads a backup to its end.
func open(t *testing.T, sealed, identity []byte) error {
	t.Helper()
	identities, err := backup.Identities(bytes.NewReader(identity))
	if err != nil {
		t.Fatal(err)
	}
	r, err := backup.Open(bytes.NewReader(sealed), identities)
	if err != nil {
		return err
	}
	var rows []string
	_, err = r.All(func(bucket string, key, _ []byte) error {
		rows = append(rows, bucket+" "+string(key))
		return nil
	}, func(storage.Slot, [storage.ShareSize]byte) error { return nil })
	if want := []string{"account key", "account key 2", "secret \x00"}; err == nil && !slices.Equal(rows, want) {
		t.Errorf("rows: got %q, want %q", rows, want)
	}
	return err
}

func TestRecipientsAndIdentitiesAreJudged(t *testing.T) {
	_, good, err := backup.NewIdentity()
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "age1", "someone@example.com", good + "x", good + "\nrubbish"} {
		if _, err := backup.Recipients(text); err == nil {
			t.Errorf("Recipients(%q): got nil, want an error", text)
		}
	}
	if list, err := backup.Recipients("# of Ada\n\n" + good + "\n" + good); err != nil || len(list) != 2 {
		t.Errorf("Recipients(two with a comment): got %d, %v, want 2", len(list), err)
	}
	for _, text := range []string{"", good, "AGE-SECRET-KEY-1QQQ"} {
		if _, err := backup.Identities(strings.NewReader(text)); err == nil || strings.Contains(err.Error(), "QQQ") {
			t.Errorf("Identities(%q): got %v, want an error without its text", text, err)
		}
	}
}

// No bytes make the reader panic, and what it accepts is what Writer writes.
func FuzzRead(f *testing.F) {
	f.Add(sample(f))
	f.Add(sample(f)[:40])
	f.Add([]byte("hushbkup\x00\x00\x00\x01H\x00\x00\x00\x02{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := backup.Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		var out bytes.Buffer
		w, err := backup.NewWriter(&out, r.Header)
		if err != nil {
			return // the form of a time may grow
		}
		trailer, err := r.All(w.Row, w.Slot)
		if err != nil {
			return
		}
		again, err := w.End(trailer.Slots, trailer.Generation)
		again.Buckets = trailer.Buckets // a bucket may have no rows
		if err != nil || again != trailer {
			t.Errorf("written again: got %+v, %v, want %+v", again, err, trailer)
		}
	})
}
