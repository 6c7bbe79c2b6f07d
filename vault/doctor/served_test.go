package doctor_test

import (
	"slices"
	"testing"

	"hush/storage"
	"hush/vault/doctor"
	"hush/vault/exam"
	"hush/vault/tables"
	"hush/vault/vaulttest"
)

// Each damage that a database can have is found while a node serves it, and nothing
// else is.
func TestDamagesOfServedStore(t *testing.T) {
	t.Parallel()
	k := filled(t, false)
	f := folder{store: k.Store, root: k.RootKey, now: k.Clock.Now()}
	f.wantCodes(t)
	whole := f.content(t)
	for _, d := range slices.Concat(storeDamages(), secretDamages(), fileRowDamages(), accountDamages()) {
		if slices.ContainsFunc(d.want, ofFolder) {
			continue
		}
		t.Run(d.name, func(t *testing.T) {
			damaged := f
			d.do(t, &damaged)
			damaged.wantCodes(t, d.want...)
			f.restore(t, whole)
		})
	}
	f.wantCodes(t)
}

// ofFolder reports whether a finding is about files, or needs shares.
func ofFolder(code doctor.Code) bool {
	return slices.Contains([]doctor.Code{
		exam.CodeShareMissing, exam.CodeShareGeneration, exam.CodeSlotShared, exam.CodeSlotDamaged, exam.CodeShredLive, exam.CodeShredLeft,
		exam.CodeMailSealed, doctor.CodeShares, doctor.CodeSharesTorn, doctor.CodeDatabase, doctor.CodeBucket,
	}, code)
}

// content returns all rows, by bucket and key.
func (f folder) content(t *testing.T) map[string]map[string]string {
	t.Helper()
	all := map[string]map[string]string{}
	err := f.store.View(t.Context(), func(tx storage.Tx) error {
		for _, bucket := range tables.Names() {
			all[bucket] = map[string]string{}
			err := tx.Range(bucket, nil, nil, func(key, value []byte) error {
				all[bucket][string(key)] = string(value)
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	vaulttest.Want(t, "View()", err, nil)
	return all
}

// restore makes all rows what they were.
func (f folder) restore(t *testing.T, want map[string]map[string]string) {
	t.Helper()
	now := f.content(t)
	f.edit(t, func(tx storage.Tx) error {
		for bucket, rows := range want {
			for key := range now[bucket] {
				if _, there := rows[key]; there {
					continue
				}
				if err := tx.Delete(bucket, []byte(key)); err != nil {
					return err
				}
			}
			for key, value := range rows {
				if was, there := now[bucket][key]; there && was == value {
					continue
				}
				if err := tx.Put(bucket, []byte(key), []byte(value)); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
