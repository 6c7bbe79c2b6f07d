package bolt

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"

	"hush/storage/bolt/pages"
)

// everything is more pages than the databases of these tests have.
const everything = 1 << 20

// pagesOf returns the pages of spans.
func pagesOf(spans []pages.Span) map[uint64]bool {
	all := map[uint64]bool{}
	for _, s := range spans {
		for n := range s.Count {
			all[s.First+n] = true
		}
	}
	return all
}

// runCommits runs commits that grow, shrink, empty and drop buckets, and calls check after
// each with the pages of both commits.
func runCommits(t *testing.T, commits int, check func(file *os.File, size int64, newer, older pages.Meta)) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "db")
	opts := DatabaseOptions()
	opts.NoSync = true
	db, err := CreateDatabase(path, opts, nil)
	if err != nil {
		t.Fatalf("CreateDatabase: got %v, want nil", err)
	}
	defer db.Close()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	random := rand.New(rand.NewPCG(1, 2))
	for n := range commits {
		err := db.Update(func(tx *bbolt.Tx) error { return changeBucket(tx, random, n) })
		if err != nil {
			t.Fatalf("Update: got %v, want nil", err)
		}
		size, metas := pages.Metas(file)
		if len(metas) != 2 || metas[0].Commit != metas[1].Commit+1 {
			t.Fatalf("Metas(): got %v, want two commits in a row", metas)
		}
		check(file, size, metas[0], metas[1])
	}
}

// changeBucket changes rows of a bucket; every tenth time nearly all of them.
func changeBucket(tx *bbolt.Tx, random *rand.Rand, n int) error {
	name := fmt.Appendf(nil, "bucket%d", random.IntN(5))
	b, err := tx.CreateBucketIfNotExists(name)
	if err != nil {
		return err
	}
	rows := 1 + random.IntN(20)
	if n%10 == 9 {
		rows = 400
	}
	for range rows {
		key := fmt.Appendf(nil, "%04d", random.IntN(600))
		if n%20 == 19 || random.IntN(4) == 0 {
			err = b.Delete(key)
		} else {
			err = b.Put(key, make([]byte, random.IntN(200)+random.IntN(20)/19*9000))
		}
		if err != nil {
			return err
		}
	}
	if n%50 == 49 {
		return tx.DeleteBucket(name)
	}
	return nil
}

// Changed finds every page that a commit has and the one before has not. It may find
// more, which costs time and nothing else, but seldom.
func TestChanged(t *testing.T) {
	t.Parallel()
	found, wanted := 0, 0
	runCommits(t, 120, func(file *os.File, size int64, newer, older pages.Meta) {
		got := pagesOf(pages.Changed(file, size, newer, older, everything))
		before := pagesOf(pages.Changed(file, size, older, pages.Meta{}, everything))
		for page := range pagesOf(pages.Changed(file, size, newer, pages.Meta{}, everything)) {
			if before[page] {
				continue
			}
			if wanted++; !got[page] {
				t.Errorf("Changed(commit %d): got no page %d, want it", newer.Commit, page)
			}
		}
		found += len(got)
	})
	if wanted < 1000 || found > wanted+wanted/10 {
		t.Errorf("Changed: found %d pages in all, want %d or little more", found, wanted)
	}
}

// Changed ends on pages that make no sense, and never takes more than it may.
func TestChangedOnDamage(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	runCommits(t, 30, func(file *os.File, size int64, newer, older pages.Meta) {
		content, err := os.ReadFile(file.Name())
		if err != nil {
			t.Fatal(err)
		}
		for range 10 {
			for range 50 {
				at := random.IntN(len(content)/4096)*4096 + random.IntN(256)
				content[at] = byte(random.IntN(256))
			}
			damaged := bytes.NewReader(content)
			pages.Metas(damaged)
			if got := len(pagesOf(pages.Changed(damaged, size, newer, older, 10))); got > 20 {
				t.Errorf("Changed(at most 10): got %d pages", got)
			}
		}
	})
}
