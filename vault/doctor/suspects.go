package doctor

import (
	"context"
	"errors"
	"slices"

	"hush/storage"
	"hush/vault/exam"
	"hush/vault/file"
	"hush/vault/rows"
	"hush/vault/shares"
	"hush/vault/tables"
)

// suspectsMost is how many suspects are kept: those of a folder that lost its shares
// must not fill the memory of the service.
const suspectsMost = 4096

// suspects are rows of a snapshot whose shares or blobs were gone when those were looked
// at, which was later: most of them ended meanwhile.
type suspects struct {
	holdings []shares.Holding
	kept     []suspect
	more     int64 // that were not kept
}

// suspect is a finding that counts if the row still names what it did.
type suspect struct {
	exam.Finding

	names named
}

// named is what a row has elsewhere: a share or a blob.
type named struct {
	slot storage.Slot
	blob storage.BlobID
}

func newSuspects() *suspects {
	return &suspects{holdings: tables.Holdings()}
}

// take keeps a finding, and reports false for one that does not depend on the moment
// at which slots and blobs were looked at.
func (s *suspects) take(tx storage.Tx, f exam.Finding) bool {
	if !slices.Contains([]exam.Code{exam.CodeShareMissing, exam.CodeShareGeneration, file.CodeBlobMissing}, f.Code) {
		return false
	}
	names, found, err := s.namedIn(tx, f)
	if err != nil || !found {
		return false
	}
	if len(s.kept) == suspectsMost {
		s.more++
	} else {
		s.kept = append(s.kept, suspect{f, names})
	}
	return true
}

// namedIn returns what the row of a finding names.
func (s *suspects) namedIn(tx storage.Tx, f exam.Finding) (names named, found bool, err error) {
	value, err := tx.Get(f.Bucket, f.Key)
	if errors.Is(err, storage.ErrNotFound) {
		return named{}, false, nil
	}
	if err != nil {
		return named{}, false, err
	}
	if f.Bucket == file.BucketFile {
		names.blob, found, err = file.BlobOf(value)
		return names, found, err
	}
	at := slices.IndexFunc(s.holdings, func(h shares.Holding) bool { return h.Name == f.Bucket })
	if at < 0 {
		return named{}, false, nil
	}
	names.slot, _, found, err = s.holdings[at].Find(f.Key, value)
	return names, found, err
}

// again returns the suspects whose rows still name the same. The end of a row is committed
// before its share is destroyed and its blob removed, so these have lost theirs.
func (s *suspects) again(ctx context.Context, store storage.Viewer) (lost []exam.Finding, err error) {
	if len(s.kept) == 0 {
		return nil, nil
	}
	err = store.View(ctx, func(tx storage.Tx) error {
		lost = nil
		for _, f := range s.kept {
			names, found, err := s.namedIn(tx, f.Finding)
			switch {
			case err != nil && !rows.IsDamage(err):
				return err
			case err != nil || found && names == f.names:
				lost = append(lost, f.Finding)
			}
		}
		return nil
	})
	return lost, err
}
