package file

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/cluster"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/shares"
)

// Options are the dependencies of New; all but Blobs are required.
type Options struct {
	Store  cluster.Store
	Shares *shares.Shares
	Clock  *cluster.Clock
	Keys   *seal.Keys
	Log    *slog.Logger
	// Blobs keeps the parts; nil where no files are taken.
	Blobs storage.Blobs
}

// Files keeps the contents of files. It is safe for concurrent use.
type Files struct {
	store  cluster.Store
	shares *shares.Shares
	clock  *cluster.Clock
	keys   *seal.Keys
	log    *slog.Logger
	blobs  storage.Blobs
	turns  turns
	rung   chan struct{}    // there is something to remove
	stray  []storage.BlobID // that the start found without a record
}

// New returns the files of a store.
func New(o Options) *Files {
	return &Files{
		store: o.Store, shares: o.Shares, clock: o.Clock, keys: o.Keys, log: o.Log, blobs: o.Blobs,
		turns: newTurns(), rung: make(chan struct{}, 1),
	}
}

// Taken reports whether files are taken. Those that exist are kept in any case.
func (f *Files) Taken() bool { return f.blobs != nil }

// Load returns what is known of the file of a receipt's row, or refusal.ErrNotFound.
func Load(tx *rows.Tx, row seal.RowKey) (*Record, error) {
	return rows.Load(tx, BucketFile, row[:], decode)
}

// loadUpload returns the upload of a receipt's row, or refusal.ErrNotFound.
func loadUpload(tx *rows.Tx, row seal.RowKey) (*Upload, error) {
	return rows.Load(tx, BucketUpload, row[:], decodeUpload)
}

// loadArriving returns a file with its upload, or refusal.ErrNotFound unless it arrives.
func loadArriving(tx *rows.Tx, row seal.RowKey, now time.Time) (*Record, *Upload, error) {
	r, err := Load(tx, row)
	if err == nil && r.State != StateArriving {
		err = refusal.ErrNotFound
	}
	if err != nil {
		return nil, nil, err
	}
	u, err := loadUpload(tx, row)
	if errors.Is(err, refusal.ErrNotFound) {
		err = fmt.Errorf("file that arrives without an upload: %w", rows.ErrInconsistent)
	}
	if err == nil && !now.Before(u.expires) {
		err = refusal.ErrNotFound
	}
	return r, u, err
}

// DraftOptions say what is kept of a new file, or of one whose upload begins anew.
type DraftOptions struct {
	// Receipt is the row of the receipt.
	Receipt seal.RowKey
	// Token is the upload token.
	Token [TokenSize]byte
	// Size is the length of the content as the device encrypts it.
	Size uint64
	// Expires is when the file's secret does.
	Expires time.Time
	Now     time.Time
}

// Draft is a file that is not yet stored, and has room for its content.
type Draft struct {
	row    seal.RowKey
	record Record
	upload Upload
	ready  shares.Ready
	key    seal.FileKey
}

// NewDraft makes room for a content, and draws the key for its parts. It stores no record.
// The caller must call Discard unless the draft is stored. It returns storage.ErrFull if
// there is no room.
func (f *Files) NewDraft(ctx context.Context, o DraftOptions) (*Draft, error) {
	d := &Draft{
		row: o.Receipt, key: seal.NewFileKey(),
		record: Record{State: StateArriving, Size: o.Size, check: checkOf(o.Token)},
		upload: Upload{expires: o.Expires, Last: o.Now},
	}
	_, _ = rand.Read(d.record.Blob[:]) // it never fails
	if err := f.blobs.Begin(ctx, d.record.Blob, stored(o.Size), storedSize); err != nil {
		return nil, fmt.Errorf("making room for a file: %w", err)
	}
	var err error
	if d.ready, err = f.shares.Take(ctx, d.upload.shareOwner(d.row)); err != nil {
		f.drop(ctx, d.record.Blob)
		return nil, fmt.Errorf("writing the share of an upload: %w", refusal.Unavailable(err))
	}
	d.upload.slot = d.ready.Slot
	d.upload.sealedKey = f.keys.SealUpload(o.Token, d.row, d.ready.Share, d.key)
	return d, nil
}

// Key returns the key that the file's parts will be encrypted under.
func (d *Draft) Key() seal.FileKey { return d.key }

// Keep lets the file keep a preview, which the caller has sealed; nil for none.
func (d *Draft) Keep(preview []byte) { d.record.Preview = preview }

// Put stores the draft of a new file in the transaction that stores its secret.
func (f *Files) Put(tx *rows.Tx, d *Draft) error {
	if tx.Format() < rows.FormatFiles {
		return refusal.ErrUnavailable
	}
	if err := f.shares.Own(tx, d.ready); err != nil {
		return err
	}
	if err := tx.Put(BucketUpload, d.row[:], d.upload.encode()); err != nil {
		return err
	}
	return d.record.put(tx, d.row)
}

// Replace stores the draft of a file whose upload begins anew, instead of what has arrived
// of it. The share of the upload before is listed for destruction, and returned.
func (f *Files) Replace(tx *rows.Tx, d *Draft) (before storage.Slot, err error) {
	r, u, err := loadArriving(tx, d.row, d.upload.Last)
	if err != nil {
		return before, err
	}
	if err := tx.Put(BucketRemoval, r.Blob[:], nil); err != nil {
		return before, err
	}
	if err := f.shares.List(tx, u.slot); err != nil {
		return before, err
	}
	return u.slot, f.Put(tx, d)
}

// Discard gives back what a draft took that was not stored because of cause.
func (f *Files) Discard(ctx context.Context, d *Draft, cause error) {
	f.shares.Discard(cause, d.ready.Slot)
	if !errors.Is(cause, storage.ErrUnknownOutcome) {
		f.drop(ctx, d.record.Blob)
	}
}

// drop removes a blob that no record names. The next start removes what is left of it.
func (f *Files) drop(ctx context.Context, blob storage.BlobID) {
	if err := f.blobs.Delete(context.WithoutCancel(ctx), blob); err != nil {
		f.log.Error("removing a blob that was not used", "cause", err)
	}
}

func (r *Record) put(tx *rows.Tx, row seal.RowKey) error {
	return tx.Put(BucketFile, row[:], r.encode())
}

// Check returns refusal.ErrNotFound unless a file arrives, and refusal.ErrUploadToken unless
// the token is its.
func Check(tx *rows.Tx, row seal.RowKey, token [TokenSize]byte, now time.Time) (*Record, error) {
	r, _, err := loadArriving(tx, row, now)
	if err == nil && !r.Admits(token) {
		err = refusal.ErrUploadToken
	}
	return r, err
}

// PutPart stores a part of a file and returns once it is durable. A repeat with the same
// bytes changes nothing. It returns ErrNotFound, ErrUploadToken, ErrPartDiffers, an
// InvalidError for a number or a length that the file does not have, or ErrDiskFull.
func (f *Files) PutPart(ctx context.Context, row seal.RowKey, token [TokenSize]byte, number uint32, content []byte) error {
	give, err := f.turns.take(ctx, turnKey{row: row, part: number})
	if err != nil {
		return err
	}
	defer give()
	digest := sha256.Sum256(content)
	r, u, err := f.admitPart(ctx, row, token, number, content, digest)
	if err != nil || u == nil {
		return err
	}
	key, err := f.openUpload(ctx, row, token, u)
	if err != nil {
		return err
	}
	sealed := key.SealPart(place(r, number), content)
	err = f.blobs.Put(ctx, r.Blob, int64(number), sealed)
	if errors.Is(err, storage.ErrNotFound) {
		return refusal.ErrNotFound // it ended meanwhile
	}
	if err != nil {
		return refusal.NothingStored(fmt.Errorf("writing a part: %w", err))
	}
	return f.arrive(ctx, row, r, u, number, part{length: uint32(len(content)), digest: digest})
}

// admitPart returns the file and the upload that a part is of; no upload for one that has
// arrived with the same bytes.
func (f *Files) admitPart(ctx context.Context, row seal.RowKey, token [TokenSize]byte, number uint32, content []byte, digest [sha256.Size]byte) (r *Record, u *Upload, err error) {
	err = f.store.View(ctx, func(tx *rows.Tx) error {
		r, u = nil, nil
		found, err := Load(tx, row)
		if err != nil {
			return err
		}
		switch want := PartLength(found.Size, number); {
		case !found.Admits(token):
			return refusal.ErrUploadToken
		case want == 0:
			return &refusal.InvalidError{Field: "number", Text: fmt.Sprintf("must be less than %d, the number of parts", Parts(found.Size))}
		case len(content) != want:
			return &refusal.InvalidError{Field: "content", Text: fmt.Sprintf("must have %d bytes: those of part %d", want, number)}
		case found.State == StateGone:
			return refusal.ErrNotFound
		}
		before, err := rows.Load(tx, BucketPart, partKey(found.Blob, number), decodePart)
		switch {
		case err == nil && before.digest == digest:
			r = found
			return nil
		case err == nil:
			return refusal.ErrPartDiffers
		case !errors.Is(err, refusal.ErrNotFound):
			return err
		}
		r, u, err = loadArriving(tx, row, f.clock.Now())
		return err
	})
	return r, u, err
}

// openUpload returns the key that an upload's parts are encrypted under, or ErrNotFound if
// it ended meanwhile.
func (f *Files) openUpload(ctx context.Context, row seal.RowKey, token [TokenSize]byte, u *Upload) (key seal.FileKey, err error) {
	share, err := f.shares.Get(ctx, u.slot, u.shareOwner(row))
	if errors.Is(err, storage.ErrShareGone) || errors.Is(err, shares.ErrEnded) {
		if err := f.checkSame(ctx, row, u); err != nil {
			return key, err
		}
		return key, fmt.Errorf("upload without its share: %w", rows.ErrInconsistent)
	}
	if err != nil {
		return key, fmt.Errorf("reading the share of an upload: %w", refusal.Unavailable(err))
	}
	if key, err = f.keys.OpenUpload(token, row, share, u.sealedKey); err != nil {
		return key, fmt.Errorf("opening an upload: %w", errors.Join(err, rows.ErrInconsistent))
	}
	return key, nil
}

// checkSame returns ErrNotFound unless an upload is still the one that was read.
func (f *Files) checkSame(ctx context.Context, row seal.RowKey, u *Upload) error {
	return f.store.View(ctx, func(tx *rows.Tx) error {
		now, err := loadUpload(tx, row)
		if err == nil && now.slot != u.slot {
			err = refusal.ErrNotFound
		}
		return err
	})
}

// arrive stores the row of a part that lies in the blob.
func (f *Files) arrive(ctx context.Context, row seal.RowKey, r *Record, u *Upload, number uint32, p part) error {
	return refusal.NothingStored(f.store.Update(ctx, func(tx *rows.Tx) error {
		now := f.clock.Now()
		present, upload, err := loadArriving(tx, row, now)
		if err != nil {
			return err
		}
		if present.Blob != r.Blob || upload.slot != u.slot {
			return refusal.ErrNotFound // the upload began anew meanwhile
		}
		upload.Arrived++
		upload.Last = now
		if err := tx.Put(BucketPart, partKey(r.Blob, number), p.encode()); err != nil {
			return err
		}
		return tx.Put(BucketUpload, row[:], upload.encode())
	}))
}

// place names a part to the seal.
func place(r *Record, number uint32) seal.PartPlace {
	return seal.PartPlace{Upload: r.Blob, Number: uint64(number), Count: uint64(Parts(r.Size))}
}

// Finish makes a file whole, all of whose parts have arrived, and returns once the sender
// can no longer open it. It succeeds for a file that is whole, and returns ErrNotFound,
// ErrUploadToken, or ErrArriving while parts are missing. done is called in the transaction
// that makes it whole.
func (f *Files) Finish(ctx context.Context, row seal.RowKey, token [TokenSize]byte, done func(*rows.Tx, time.Time) error) error {
	var ended *Upload
	err := f.store.UpdateReserved(ctx, func(tx *rows.Tx) error {
		ended = nil
		r, err := Load(tx, row)
		if err == nil && !r.Admits(token) {
			err = refusal.ErrUploadToken
		}
		if err != nil || r.State == StateWhole {
			return err
		}
		now := f.clock.Now()
		r, u, err := loadArriving(tx, row, now)
		if err != nil {
			return err
		}
		if u.Arrived != Parts(r.Size) {
			return refusal.ErrArriving
		}
		r.State, ended = StateWhole, u
		if err := r.put(tx, row); err != nil {
			return err
		}
		if err := f.endUpload(tx, row, u); err != nil {
			return err
		}
		return done(tx, now)
	})
	if err != nil || ended == nil {
		return err
	}
	return f.DestroyShares(ctx, ended.slot)
}

// endUpload deletes an upload and lists its share for destruction.
func (f *Files) endUpload(tx *rows.Tx, row seal.RowKey, u *Upload) error {
	if err := tx.Delete(BucketUpload, row[:]); err != nil {
		return err
	}
	return f.shares.List(tx, u.slot)
}

// Arrived says which parts of a file have arrived.
type Arrived struct {
	Progress

	// Parts has bit n % 8 of byte n / 8 for part n, the lowest bit first; nil for a file that
	// is whole.
	Parts []byte
}

// Arrived returns how far an upload has come, or ErrNotFound or ErrUploadToken.
func (f *Files) Arrived(ctx context.Context, row seal.RowKey, token [TokenSize]byte) (arrived Arrived, err error) {
	err = f.store.View(ctx, func(tx *rows.Tx) error {
		arrived = Arrived{}
		r, err := Load(tx, row)
		switch {
		case err != nil:
			return err
		case !r.Admits(token):
			return refusal.ErrUploadToken
		case r.State == StateGone:
			return refusal.ErrNotFound
		}
		if arrived.Progress, err = r.progress(tx, row); err != nil || r.State == StateWhole {
			return err
		}
		arrived.Parts = make([]byte, (Parts(r.Size)+7)/8)
		return tx.Range(BucketPart, r.Blob[:], rows.PrefixEnd(r.Blob[:]), func(key, _ []byte) error {
			if n, ok := partNumber(key); ok && int(n/8) < len(arrived.Parts) {
				arrived.Parts[n/8] |= 1 << (n % 8)
			}
			return nil
		})
	})
	return arrived, err
}
