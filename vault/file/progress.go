package file

import (
	"errors"

	"hush/seal"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// Progress is what may be shown of a file to those who have its link's proof, and to its
// sender.
type Progress struct {
	// Size is the length of the content as the device encrypts it.
	Size uint64
	// Count is the number of parts, of which Arrived have arrived, and Fetched were fetched
	// by the recipient.
	Count, Arrived, Fetched uint32
	// Whole reports that the upload is finished.
	Whole bool
}

// ProgressIn returns how far the file of a receipt's row has come; nil for a receipt whose
// secret is no file.
func ProgressIn(tx *rows.Tx, row seal.RowKey) (*Progress, error) {
	r, err := Load(tx, row)
	if errors.Is(err, refusal.ErrNotFound) {
		return nil, nil //nolint:nilnil // most secrets are no files
	}
	if err != nil {
		return nil, err
	}
	p, err := r.progress(tx, row)
	return &p, err
}

func (r *Record) progress(tx *rows.Tx, row seal.RowKey) (Progress, error) {
	p := Progress{Size: r.Size, Count: Parts(r.Size), Fetched: r.Fetched, Whole: r.State != StateArriving}
	if p.Whole {
		p.Arrived = p.Count
		return p, nil
	}
	u, err := loadUpload(tx, row)
	if err == nil {
		p.Arrived = u.Arrived
	}
	if errors.Is(err, refusal.ErrNotFound) {
		err = rows.ErrInconsistent
	}
	return p, err
}
