package exam

import (
	"fmt"
	"hash/maphash"
	"slices"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/counter"
	"hush/vault/rows"
	"hush/vault/sweep"
)

// Exam is an examination of a whole store, for the packages that own its
// buckets: each checks its own rows, and reports what it finds. It is for one
// goroutine. What it keeps grows with the rows of the due index and with the
// slots, by 8 bytes each.
type Exam struct {
	// Tx is a read transaction that lasts for the whole examination. It is set
	// before any row is read.
	Tx storage.Tx
	// Keys are those of the store; nil if its root key is not at hand.
	Keys *seal.Keys
	// Now is the time of the examination.
	Now time.Time
	// Served says that a service or nodes may use the store meanwhile: what one of
	// them is about to end is no finding.
	Served bool
	// Slots are those of the shares file; nil if there is none, or if it cannot be
	// read.
	Slots Slots

	// Blobs are those of files; nil if they are not examined.
	Blobs storage.BlobViewer

	// HasAccount reports whether an account exists and is not destroyed. The
	// package of accounts sets it.
	HasAccount func(id [16]byte) (bool, error)

	report func(Finding)
	counts counter.Counts
	// counted are the counters whose rows were all read.
	counted map[counter.Counter]bool
	seed    maphash.Seed
	dues    []uint64 // hashes of what is in the due index, sorted by Examined
	owned   []uint64 // bits of the slots that rows own
}

// Slots are the slots of a shares file. Slot 0 holds no share.
type Slots interface {
	// Count returns the number of slots.
	Count() uint64
	// Slot returns the generation and the state of a slot below Count.
	Slot(number uint64) (generation uint64, state storage.SlotState)
	// Get returns the share in a slot, or storage.ErrShareGone.
	Get(slot storage.Slot) ([storage.ShareSize]byte, error)
}

// NewExam returns an examination that passes findings to report.
func NewExam(now time.Time, report func(Finding)) *Exam {
	return &Exam{Now: now, report: report, seed: maphash.MakeSeed(), counted: map[counter.Counter]bool{}}
}

// Invariant is what must hold for the rows of a bucket beyond that each can be
// read.
type Invariant struct {
	Bucket string
	// Check is that of Bucket, for a bucket that is in no list of buckets.
	Check func(key, value []byte) error
	// Row checks a row that Check accepts. Its error is one of the store, and ends
	// the examination.
	Row func(key, value []byte) error
	// End is called after the last row of the bucket.
	End func() error
	// Counters are those that count rows of the bucket.
	Counters []counter.Counter
	// Alone says why there is nothing to check, instead of Row.
	Alone string
}

// Report reports a finding at a row.
func (x *Exam) Report(code Code, bucket string, key []byte) { x.Notef(code, bucket, key, "") }

// Notef is Report with a note.
func (x *Exam) Notef(code Code, bucket string, key []byte, format string, args ...any) {
	f := Finding{Code: code, Bucket: bucket, Key: slices.Clone(key)}
	if format != "" {
		f.Note = fmt.Sprintf(format, args...)
	}
	x.report(f)
}

// Has reports whether a row exists.
func (x *Exam) Has(bucket string, key []byte) (bool, error) {
	return rows.Exists(x.Tx, bucket, key)
}

// Count counts a row toward a counter of the store.
func (x *Exam) Count(c counter.Counter) { x.counts[c]++ }

// Damaged reports a row that cannot be read.
func (x *Exam) Damaged(i Invariant, key []byte) {
	x.Report(CodeRow, i.Bucket, key)
	x.setCounted(i, false)
}

// Begin is called before the first row of a bucket.
func (x *Exam) Begin(i Invariant) { x.setCounted(i, true) }

func (x *Exam) setCounted(i Invariant, counted bool) {
	for _, c := range i.Counters {
		x.counted[c] = counted
	}
}

// EndCounts compares the counters of the store with the rows that were counted.
// The other counters say what happened, and cannot be compared.
func (x *Exam) EndCounts() error {
	stored, err := counter.Get(x.Tx)
	if rows.IsDamage(err) {
		return nil // its row is reported
	}
	if err != nil {
		return err
	}
	for _, c := range [...]struct {
		counter counter.Counter
		name    string
	}{
		{counter.Sessions, "sessions"}, {counter.Accounts, "accounts"}, {counter.Metadata, "receipts"}, {counter.Secrets, "secrets"},
		{counter.Feedback, "feedback"}, {counter.Exceptions, "exceptions"}, {counter.Domains, "verified domains"}, {counter.Queued, "queued mails"},
	} {
		if got, want := stored[c.counter], x.counts[c.counter]; got != want && x.counted[c.counter] {
			x.Notef(CodeCounter, rows.BucketSystem, []byte(counter.SystemCounts), "%s: it says %d, and there are %d", c.name, got, want)
		}
	}
	return nil
}

func (x *Exam) dueHash(kind sweep.DueKind, key []byte) uint64 {
	var h maphash.Hash
	h.SetSeed(x.seed)
	_ = h.WriteByte(byte(kind))
	_, _ = h.Write(key)
	return h.Sum64()
}

// WantDue reports a row that must be in the due index and is not.
func (x *Exam) WantDue(kind sweep.DueKind, bucket string, key []byte) {
	if _, found := slices.BinarySearch(x.dues, x.dueHash(kind, key)); !found {
		x.Report(CodeDueMissing, bucket, key)
	}
}

// Own checks that a slot holds the share of a row, and that no other row has it.
func (x *Exam) Own(slot storage.Slot, bucket string, key []byte) {
	if x.Slots == nil {
		return
	}
	if slot.Number == 0 || slot.Number >= x.Slots.Count() {
		x.Notef(CodeShareMissing, bucket, key, "slot %d is not in the file", slot.Number)
		return
	}
	if x.IsOwned(slot.Number) {
		x.Notef(CodeSlotShared, bucket, key, "slot %d", slot.Number)
	}
	for slot.Number/64 >= uint64(len(x.owned)) {
		x.owned = append(x.owned, make([]uint64, 1+len(x.owned))...)
	}
	x.owned[slot.Number/64] |= 1 << (slot.Number % 64)
	generation, state := x.Slots.Slot(slot.Number)
	switch {
	case state != storage.SlotLive:
		x.Notef(CodeShareMissing, bucket, key, "slot %d", slot.Number)
	case generation != slot.Generation:
		x.Notef(CodeShareGeneration, bucket, key, "slot %d has generation %d, not %d", slot.Number, generation, slot.Generation)
	}
}

// IsOwned reports whether a row has a slot.
func (x *Exam) IsOwned(number uint64) bool {
	return number/64 < uint64(len(x.owned)) && x.owned[number/64]&(1<<(number%64)) != 0
}

// ReportSlot reports a finding at a slot that no row owns.
func (x *Exam) ReportSlot(code Code, number uint64) {
	x.report(Finding{Code: code, Note: fmt.Sprintf("slot %d", number)})
}

// WantAccount reports a row of an account that does not exist, or is destroyed.
func (x *Exam) WantAccount(code Code, bucket string, key, id []byte) error {
	if len(id) != 16 {
		return rows.ErrDamaged
	}
	there, err := x.HasAccount([16]byte(id))
	if err == nil && !there {
		x.Report(code, bucket, key)
	}
	return err
}

// Follows reports a row whose key does not begin with that of a row of the bucket of,
// whose keys have size bytes.
func (x *Exam) Follows(bucket string, key []byte, of string, size int, stray Code) error {
	if len(key) < size {
		x.Report(stray, bucket, key)
		return nil
	}
	there, err := x.Has(of, key[:size])
	if err == nil && !there {
		x.Report(stray, bucket, key)
	}
	return err
}
