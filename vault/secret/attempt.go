package secret

import (
	"context"
	"crypto/sha256"
	"time"

	"hush/seal"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/guess"
	"hush/vault/passphrase"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// try checks what the caller shows, and hashes the passphrase or the proof. If a
// passphrase guards the secret, it reserves the attempt durably before the slow hash
// begins and before anything is compared: neither a crash nor parallel guesses buy
// more tries, and a caller who must pause costs no hash. Neither a missing
// passphrase nor a wrong link counts as a try. The caller returns made.wrong if the
// passphrase turns out to be wrong.
func (se *Secrets) try(ctx context.Context, c caller.Caller, s *provenSecret, o Opening, now time.Time) (hashes [][32]byte, made attempt, err error) {
	row, record := s.row, s.record
	switch {
	case record.encryption == receipt.EncryptionEndToEnd:
		if err := record.checkLink(o); err != nil {
			return nil, attempt{}, err
		}
		if err := s.admitsFile(o); err != nil {
			return nil, attempt{}, err
		}
	case o.LinkProof != "" || o.Proof != "":
		return nil, attempt{}, &refusal.EncryptionError{}
	case record.guarded() && o.Passphrase == "":
		return nil, attempt{}, &refusal.PassphraseError{Missing: true}
	}
	if !record.guarded() {
		return record.hashes(se.hasher, o), attempt{}, nil
	}
	t := passphrase.NewTry(row, se.keys.NetworkID(c.Network.Bytes()))
	// A caller who must pause reaches neither the hash queue nor the writer.
	err = se.store.View(ctx, func(tx *rows.Tx) error { return t.Admit(tx, now) })
	if err != nil {
		return nil, attempt{}, err
	}
	if record.passphrase != nil {
		release, err := se.hasher.Enter(ctx, c.Network)
		if err != nil {
			return nil, attempt{}, err
		}
		defer release()
	}
	if made, err = se.reserve(ctx, c, row, record, t, now); err != nil {
		return nil, attempt{}, err
	}
	return record.hashes(se.hasher, o), made, nil
}

// hashes returns what may take part in the secret's key: the hash of the passphrase or
// of the proof, and zeros if there is neither. A passphrase is hashed in normal form,
// and as it was typed where that differs: older releases hashed it so.
func (r *Record) hashes(hasher *guess.Hasher, o Opening) [][32]byte {
	if r.encryption == receipt.EncryptionEndToEnd {
		return [][32]byte{sha256.Sum256([]byte(o.Proof))}
	}
	if r.passphrase == nil {
		return make([][32]byte, 1)
	}
	normal := normalForm(o.Passphrase)
	hashes := [][32]byte{hasher.Passphrase(*r.passphrase, normal)}
	if normal != o.Passphrase {
		hashes = append(hashes, hasher.Passphrase(*r.passphrase, o.Passphrase))
	}
	return hashes
}

// attempt is a try that was counted before it was known to be right.
type attempt struct {
	wrong   *refusal.PassphraseError // to return if it was wrong
	counted receipt.Event            // of the timeline; zero if nothing was counted
}

// reserve counts an attempt, for which it returns the error to report if the passphrase
// is wrong. It fails with LockedError or ErrNotFound.
func (se *Secrets) reserve(ctx context.Context, c caller.Caller, row seal.RowKey, record *Record, t passphrase.Try, now time.Time) (made attempt, err error) {
	err = se.store.UpdateReserved(ctx, func(tx *rows.Tx) error {
		if _, err := getSecret(tx, row, now); err != nil {
			return err
		}
		if made.wrong, err = t.Count(tx, now); err != nil {
			return err
		}
		if made.counted, err = receipt.Tried(tx, record.metadata, c.Network.Masked(), now); err != nil {
			return err
		}
		if err := record.touch(tx); err != nil {
			return err
		}
		return audit.Write(tx, now, audit.Passphrase, record.metadata)
	})
	if err == nil {
		se.tell(record)
	}
	return made, err
}
