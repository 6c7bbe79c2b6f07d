package secret

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/caller"
	"hush/vault/claim"
	"hush/vault/file"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/spent"
)

// FileVersion is what a caller accepts that opens files.
const FileVersion = 2

// fileKeySize is the length of what the secret of a file stores: the key of its parts.
const fileKeySize = 32

// File is a file whose content comes later: an end-to-end encrypted secret.
type File struct {
	// Size is the length of the content as the device encrypts it.
	Size uint64
	// LinkProofHash and ProofHash are SHA-256 of the two proofs, and HasPassphrase is
	// whether the device used a passphrase.
	LinkProofHash, ProofHash caller.Text
	HasPassphrase            bool
	// Preview is what the device encrypted for the recipient; empty for none.
	Preview caller.Text
	// Token is the upload token.
	Token [file.TokenSize]byte
}

// sealed returns what a file has in common with contents that are sent at once.
func (f *File) sealed() *SealedContent {
	return &SealedContent{LinkProofHash: f.LinkProofHash, ProofHash: f.ProofHash, HasPassphrase: f.HasPassphrase}
}

// ConcealFile stores a file whose content comes later, and returns once it is durable and
// has room. Its errors are those of ConcealSecret, and ErrNoFiles.
func (se *Secrets) ConcealFile(ctx context.Context, c caller.Caller, f File, terms Terms) (Concealed, error) {
	terms.Sealed, terms.file = f.sealed(), &f
	return se.conceal(ctx, c, "", terms, false)
}

// checkFile returns an error unless c may conceal a file.
func (se *Secrets) checkFile(c caller.Caller, f *File) error {
	if !se.files.Taken() {
		return refusal.ErrNoFiles
	}
	if err := se.limits.AdmitFile(c, f.Size); err != nil {
		return err
	}
	if err := f.sealed().checkHashes(); err != nil {
		return err
	}
	switch {
	case f.HasPassphrase && f.Preview != "":
		return &refusal.InvalidError{Field: "preview", Text: "must be empty for a file with a passphrase, which the recipient has not entered yet"}
	case f.Preview != "" && (len(f.Preview) < caller.SealedMin || len(f.Preview) > file.PreviewMost):
		return &refusal.InvalidError{Field: "preview", Text: fmt.Sprintf("must have %d to %d bytes", caller.SealedMin, file.PreviewMost)}
	}
	return nil
}

// storeFile is storeDraft for a file, whose key it stores as the secret's content.
func (se *Secrets) storeFile(ctx context.Context, c caller.Caller, d *draft, terms Terms) (err error) {
	f := terms.file
	d.file, err = se.files.NewDraft(ctx, file.DraftOptions{
		Receipt: d.receipt.Row(), Token: f.Token, Size: f.Size, Expires: d.secret.expires, Now: d.secret.created,
	})
	if err != nil {
		return err
	}
	key := d.file.Key().Expose()
	defer clear(key)
	if err := se.storeDraft(ctx, c, d, caller.Text(key), terms); err != nil {
		se.files.Discard(ctx, d.file, err)
		return err
	}
	return nil
}

// RestartFile lets the upload of a file begin anew: with a key of its own, and none of the
// parts that have arrived, whose room it gives back before it returns. A file begins anew once
// at a time: each has room of its own for a while, which counts toward no quota. It returns
// ErrNotFound if the file does not arrive, and ErrUploadToken for a wrong token.
func (se *Secrets) RestartFile(ctx context.Context, key string, token [file.TokenSize]byte, proofHash caller.Text) error {
	now := se.clock.Now()
	r, err := se.findUpload(ctx, key, token, now)
	if err != nil {
		return err
	}
	give, err := se.files.TakeTurn(ctx, r.record.metadata)
	if err != nil {
		return err
	}
	defer give()
	if r, err = se.findUpload(ctx, key, token, now); err != nil { // another call may have been first
		return err
	}
	preview, err := se.openPreview(ctx, r.record, r.token, r.row, r.file.Preview)
	if err != nil {
		return err
	}
	d, err := se.files.NewDraft(ctx, file.DraftOptions{
		Receipt: r.record.metadata, Token: token, Size: r.record.fileSize, Expires: r.record.expires, Now: now,
	})
	if err != nil {
		return refusal.NothingStored(err)
	}
	before, err := se.rewrap(ctx, r, d, proofHash, preview, now)
	if err != nil {
		se.files.Discard(ctx, d, err)
		return err
	}
	err = se.files.DestroyShares(ctx, before...)
	se.files.RemoveNow(ctx, r.file.Blob)
	return err
}

// foundFile is the secret of a file that was read.
type foundFile struct {
	token  seal.Token
	row    seal.RowKey
	record *Record
	file   *file.Record
}

// findFile returns the live secret of a key if it is a file, or ErrNotFound.
func (se *Secrets) findFile(ctx context.Context, key string, now time.Time) (f foundFile, err error) {
	token, ok := seal.ParseToken(key)
	if !ok {
		return f, refusal.ErrNotFound
	}
	f.token, f.row = token, token.RowKey(seal.KindSecret)
	err = se.store.View(ctx, func(tx *rows.Tx) (err error) {
		if f.record, err = getSecret(tx, f.row, now); err != nil {
			return err
		}
		f.file, err = f.record.loadFile(tx)
		if err == nil && f.file == nil {
			err = refusal.ErrNotFound
		}
		return err
	})
	return f, err
}

// findUpload is findFile for a caller who shows the upload token of a file that arrives; see
// file.Check.
func (se *Secrets) findUpload(ctx context.Context, key string, token [file.TokenSize]byte, now time.Time) (f foundFile, err error) {
	if f, err = se.findFile(ctx, key, now); err != nil {
		return f, err
	}
	err = se.store.View(ctx, func(tx *rows.Tx) error {
		_, err := file.Check(tx, f.record.metadata, token, now)
		return err
	})
	return f, err
}

// FileOf returns the row of the receipt of a live secret that is a file, which names the
// file to package file, or ErrNotFound.
func (se *Secrets) FileOf(ctx context.Context, key string) (seal.RowKey, error) {
	f, err := se.findFile(ctx, key, se.clock.Now())
	if err != nil {
		return seal.RowKey{}, err
	}
	return f.record.metadata, nil
}

// rewrap stores the key of a file whose upload begins anew, under a share of its own, and
// the draft of the upload with it. It returns the shares that nothing needs any more.
func (se *Secrets) rewrap(ctx context.Context, f foundFile, d *file.Draft, proofHash caller.Text, preview []byte, now time.Time) ([]storage.Slot, error) {
	ready, err := se.shares.Take(ctx, f.record.shareOwner(f.row))
	if err != nil {
		return nil, fmt.Errorf("writing the share: %w", refusal.Unavailable(err))
	}
	record := *f.record
	record.kid, record.slot = se.keys.KID(), ready.Slot
	key, err := se.secretKeys.Key(record.kid, f.token, f.row, ready.Share, [32]byte([]byte(proofHash)))
	if err == nil {
		preview, err = se.sealPreview(&record, f.token, f.row, ready.Share, preview)
	}
	if err != nil {
		se.shares.Discard(err, ready.Slot)
		return nil, err
	}
	d.Keep(preview)
	record.verifier = key.Verifier()
	record.encodeHeader()
	fileKey := d.Key().Expose()
	defer clear(fileKey)
	record.sealText(key, fileKey)
	encoded := record.encode()
	var upload storage.Slot
	err = se.store.Update(ctx, func(tx *rows.Tx) error {
		present, err := getSecret(tx, f.row, now)
		if err == nil && present.slot != f.record.slot {
			err = refusal.ErrNotFound
		}
		if err != nil {
			return err
		}
		if err := se.shares.Own(tx, ready); err != nil {
			return err
		}
		if err := se.shares.List(tx, present.slot); err != nil {
			return err
		}
		if upload, err = se.files.Replace(tx, d); err != nil {
			return err
		}
		se.usage.MoveSecret(present.slot.Number, ready.Slot.Number)
		return tx.Put(BucketSecret, f.row[:], encoded)
	})
	if err != nil {
		se.shares.Discard(err, ready.Slot)
		return nil, refusal.NothingStored(fmt.Errorf("keeping the key of a file: %w", err))
	}
	return []storage.Slot{f.record.slot, upload}, nil
}

// FileOf returns the row of the receipt of a secret in a row if it is a file, which names
// the file to package file. ok is false for another secret, and for one that cannot be read.
func FileOf(value []byte) (receipt seal.RowKey, ok bool) {
	r, err := decodeSecret(value)
	if err != nil {
		return receipt, false
	}
	return r.metadata, r.fileSize > 0
}

// loadFile returns what is known of the file that a secret is; nil if it is none.
func (r *Record) loadFile(tx *rows.Tx) (*file.Record, error) {
	if r.fileSize == 0 {
		return nil, nil //nolint:nilnil // most secrets are no files
	}
	f, err := file.Load(tx, r.metadata)
	if errors.Is(err, refusal.ErrNotFound) {
		err = fmt.Errorf("secret without its file: %w", rows.ErrInconsistent)
	}
	return f, err
}

// Shown is a file as those see it who have its link.
type Shown struct {
	file.Progress

	// Preview is what the sender's device encrypted; empty for none.
	Preview []byte
}

// GetFile is GetSecret for a caller who shows the link's proof: it also returns the file,
// nil for another secret. It returns ErrLink for a wrong proof of an end-to-end encrypted
// secret.
func (se *Secrets) GetFile(ctx context.Context, c caller.Caller, key string, proof caller.Text) (Secret, *Shown, error) {
	secret, err := se.GetSecret(ctx, c, key)
	if err != nil || proof == "" || secret.Encryption != receipt.EncryptionEndToEnd {
		return secret, nil, err
	}
	shown, err := se.showFile(ctx, secret.Key, proof)
	for tries := 0; errors.Is(err, errBeganAnew) && tries < showTries; tries++ {
		shown, err = se.showFile(ctx, secret.Key, proof)
	}
	if err != nil {
		return Secret{}, nil, err
	}
	return secret, shown, nil
}

// showTries is how often a file is looked at again whose upload began anew meanwhile.
const showTries = 3

func (se *Secrets) showFile(ctx context.Context, token seal.Token, proof caller.Text) (shown *Shown, err error) {
	row := token.RowKey(seal.KindSecret)
	var record *Record
	err = se.store.View(ctx, func(tx *rows.Tx) (err error) {
		shown = nil
		if record, err = getSecret(tx, row, se.clock.Now()); err != nil {
			return err
		}
		if err := record.checkLinkProof(proof); err != nil {
			return err
		}
		f, err := record.loadFile(tx)
		if err != nil || f == nil {
			return err
		}
		progress, err := file.ProgressIn(tx, record.metadata)
		if err != nil {
			return err
		}
		shown = &Shown{Progress: *progress, Preview: f.Preview}
		return nil
	})
	if err != nil || shown == nil {
		return nil, err
	}
	if shown.Preview, err = se.openPreview(ctx, record, token, row, shown.Preview); err != nil {
		return nil, err
	}
	return shown, nil
}

// GetPart returns a part of a file that was revealed with the claim. It makes the claim last
// longer. It returns ErrNotFound unless the claim lasts, and an InvalidError for a number
// that the file does not have.
func (se *Secrets) GetPart(ctx context.Context, key string, claimed caller.Text, number uint32) ([]byte, error) {
	token, ok := seal.ParseToken(key)
	if !ok {
		return nil, refusal.ErrNotFound
	}
	return se.claims.Part(ctx, token, string(claimed), number)
}

// admitsFile returns an error unless a caller may open the file that a secret is. It is
// checked after the link's proof, and before anything is counted or consumed.
func (s *provenSecret) admitsFile(o Opening) error {
	switch {
	case s.file == nil:
		return nil
	case o.Accepts < FileVersion || o.Claim == "":
		return refusal.ErrVersion
	case s.file.State != file.StateWhole:
		return refusal.ErrArriving
	}
	return nil
}

// checkWhole returns ErrArriving unless the file that a secret is has arrived, and ErrVersion
// if nothing is to keep its key: no claim, no file.
func (r *Record) checkWhole(tx *rows.Tx, claimed bool) error {
	f, err := r.loadFile(tx)
	switch {
	case err != nil || f == nil:
		return err
	case f.State != file.StateWhole:
		return refusal.ErrArriving
	case !claimed:
		return refusal.ErrVersion
	}
	return nil
}

// endFile notes that the file is gone, unless a claim keeps its key. Damage of its record
// does not keep the secret alive.
func (se *Secrets) endFile(tx *rows.Tx, r *Record, claimed bool) (uploads []storage.Slot, err error) {
	if r.fileSize == 0 || claimed {
		return nil, nil
	}
	err = rows.Try(tx, func() (err error) {
		uploads, err = se.files.Ended(tx, r.metadata)
		return err
	})
	if !isWholeDamage(err) {
		return uploads, err
	}
	se.log.Error("noting the end of a file", "cause", err)
	err = rows.Try(tx, func() (err error) {
		uploads, err = se.files.EndedUnread(tx, r.metadata)
		return err
	})
	if isWholeDamage(err) {
		return nil, nil
	}
	return uploads, err
}

// isWholeDamage reports whether an error says that a record is damaged, and that nothing was
// written yet.
func isWholeDamage(err error) bool { return rows.IsDamage(err) && !errors.Is(err, rows.ErrHalfDone) }

// finishFiles destroys the shares of uploads that ended with their secrets, and has the
// blobs removed.
func (se *Secrets) finishFiles(ctx context.Context, ended []ending) error {
	var uploads []storage.Slot
	files := false
	for i := range ended {
		uploads = append(uploads, ended[i].uploads...)
		files = files || ended[i].isFile
	}
	if files {
		se.files.Wake()
	}
	if len(uploads) == 0 {
		return nil
	}
	return se.shares.Destroy(ctx, spent.KindNone, uploads...)
}

// claimOf returns what a claim on a secret keeps besides the content.
func (r *Record) claimOf() claim.Record {
	content := claim.Record{
		Receipt: r.metadata, Encryption: r.encryption, Network: r.network, Wide: r.wide, Owner: r.owner, Spent: r.slot,
		FileSize: r.fileSize,
	}
	if r.answer != nil {
		content.Answer = r.answer.ref
	}
	return content
}

// checkLinkProof returns ErrLink unless a proof is that of the secret's link.
func (r *Record) checkLinkProof(proof caller.Text) error {
	hash := sha256.Sum256([]byte(proof))
	if subtle.ConstantTimeCompare(hash[:], r.linkProof[:]) != 1 {
		return refusal.ErrLink
	}
	return nil
}

// BurnFile burns a file that arrives, whose upload token is known. It returns ErrNotFound if
// it does not arrive, and ErrUploadToken for a wrong token.
func (bu *Burns) BurnFile(ctx context.Context, c caller.Caller, key string, token [file.TokenSize]byte) error {
	now := bu.clock.Now()
	f, err := bu.secrets.findFile(ctx, key, now)
	if err != nil {
		return err
	}
	err = bu.store.View(ctx, func(tx *rows.Tx) error {
		_, err := file.Check(tx, f.record.metadata, token, now)
		return err
	})
	if err != nil {
		return err
	}
	_, err = bu.endUnproved(ctx, f.record.metadata, moveBurn, c.Network.Masked(), now, nil)
	return err
}

// uploadSilence is how long an upload lasts to which no part arrives.
const uploadSilence = 6 * time.Hour

// BurnIdle burns the files whose uploads have stopped, and returns how many there were.
func (bu *Burns) BurnIdle(ctx context.Context) (burned int, err error) {
	now := bu.clock.Now()
	idle, err := bu.secrets.files.Idle(ctx, now.Add(-uploadSilence))
	if err != nil {
		return 0, fmt.Errorf("looking for uploads that have stopped: %w", err)
	}
	for _, row := range idle {
		_, err := bu.endIf(ctx, row, moveBurn, "", now, func(tx *rows.Tx) error { return file.CheckIdle(tx, row, now.Add(-uploadSilence)) }, nil)
		if errors.Is(err, refusal.ErrNotFound) {
			continue // it ended meanwhile, or a part came
		}
		if err != nil {
			return burned, fmt.Errorf("ending an upload that has stopped: %w", err)
		}
		burned++
	}
	return burned, nil
}
