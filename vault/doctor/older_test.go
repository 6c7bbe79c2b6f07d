package doctor_test

import (
	"slices"
	"testing"

	"hush/vault/account"
	"hush/vault/doctor"
	"hush/vault/domain"
	"hush/vault/secret"
	"hush/vault/tables"
	"hush/vault/vaulttest"
)

// Rows that earlier releases wrote are counted by bucket.
func TestCountOlder(t *testing.T) {
	t.Parallel()
	k := filled(t, false)
	f := folder{store: k.Store, root: k.RootKey, now: k.Clock.Now()}
	count := func() []doctor.Older {
		found, err := doctor.CountOlder(t.Context(), k.Store, func(int64) {})
		vaulttest.Want(t, "CountOlder()", err, nil)
		return found
	}
	if found := count(); len(found) > 0 {
		t.Errorf("CountOlder(store of this release): got %+v, want none", found)
	}
	var want []doctor.Older
	for _, bucket := range []string{account.BucketAccount, domain.BucketDomain, secret.BucketMetadata, secret.BucketSecret} {
		list := f.rows(t, bucket)
		older := list[:(len(list)+1)/2]
		for _, r := range older {
			r.value[0] = 1
			f.put(t, bucket, r.key, r.value)
		}
		want = append(want, doctor.Older{Bucket: bucket, Rows: int64(len(older)), Of: int64(len(list))})
	}
	if found := count(); !slices.Equal(found, want) {
		t.Errorf("CountOlder(with older rows): got %+v, want %+v", found, want)
	}
}

// A bucket whose records have had several versions says so, or older ones would not
// be counted.
func TestBucketsTellTheirVersions(t *testing.T) {
	t.Parallel()
	k := filled(t, false)
	f := folder{store: k.Store}
	content := f.content(t)
	for _, b := range tables.Copied() {
		least := byte(0) // of its records: some have a newer version for what others need not say
		for key, value := range content[b.Name] {
			if len(value) == 0 {
				continue
			}
			next := []byte(value)
			next[0]++
			isRecord := b.Check([]byte(key), []byte(value)) == nil && b.Check([]byte(key), next) != nil
			if isRecord && (least == 0 || value[0] < least) {
				least = value[0]
			}
		}
		if least != 0 && max(b.Version, 1) != least {
			t.Errorf("bucket %q: got version %d, want %d, which its records have", b.Name, b.Version, least)
		}
	}
}
