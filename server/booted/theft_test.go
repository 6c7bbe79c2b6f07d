package booted_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"hush/routes/apitest"
	"hush/server/servertest"
)

// A thief waits until the secret was read, then copies the data folder with its
// root key off the running machine. He has the link too. The copy is opened on
// a machine of his own, and searched byte by byte.
func TestTheftAfterReveal(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, servertest.InFolder, "--rate-limits=off")
	drivers := servertest.Drivers(t, s, nil)
	var kept []apitest.Answer
	for i := range 4 * len(drivers) {
		kept = append(kept, apitest.MustConceal(t, drivers[i%len(drivers)], apitest.Terms{Secret: fmt.Sprintf("stolen goods, number %d of many", i)}))
	}
	before := copyOf(t, s.Data)
	gone := len(kept) / 2
	for i, k := range kept[:gone] {
		if i%4 == 3 {
			drivers[i%len(drivers)].Burn(t.Context(), k.MetadataKey, "").Want(t, "burn", apitest.OutcomeOK)
			continue
		}
		drivers[i%len(drivers)].Reveal(t.Context(), k.SecretKey, "").Want(t, "reveal", apitest.OutcomeOK)
	}
	after := copyOf(t, s.Data)
	wantSharesGone(t, before, after, gone)
	for i := range kept {
		for _, name := range []string{"hush.db", "shares"} {
			if bytes.Contains(after[name], fmt.Appendf(nil, "number %d of many", i)) {
				t.Errorf("%s: got the text of secret %d, want none", name, i)
			}
		}
	}
	thief := servertest.StartOn(t, unpack(t, after), "--rate-limits=off", "--moved")
	for i, d := range servertest.Drivers(t, thief, nil) {
		for number := i; number < len(kept); number += len(drivers) {
			got := d.Reveal(t.Context(), kept[number].SecretKey, "")
			if number < gone {
				got.Want(t, fmt.Sprintf("%s reveal of secret %d on the thief's machine", d.Name(), number), apitest.OutcomeUnknown)
			} else { // the copy is a good one, and this is what it can do
				got.WantValue(t, "reveal of what still waited", fmt.Sprintf("stolen goods, number %d of many", number))
			}
		}
	}
}

// wantSharesGone compares the shares before and after: where they were
// overwritten, the old bytes must not be found anywhere any more.
func wantSharesGone(t *testing.T, before, after map[string][]byte, gone int) {
	t.Helper()
	old, now := before["shares"], after["shares"]
	found := 0
	for i := 0; i < min(len(old), len(now)); i++ {
		if old[i] == now[i] {
			continue
		}
		end := i
		for same := 0; end < min(len(old), len(now)) && same < 4; end++ {
			if same++; old[end] != now[end] {
				same = 0
			}
		}
		if run := old[i : end-4]; len(run) >= 16 {
			found++
			for name, content := range after {
				if bytes.Contains(content, run[:16]) {
					t.Errorf("%s: got a share that was overwritten, want it nowhere", name)
				}
			}
		}
		i = end
	}
	if found < gone {
		t.Errorf("shares: got %d overwritten, want %d", found, gone)
	}
}

// copyOf reads the files of a data folder while its server runs, until two
// readings in a row agree, as a patient thief would.
func copyOf(t *testing.T, data string) map[string][]byte {
	t.Helper()
	read := func() map[string][]byte {
		files := map[string][]byte{}
		for _, name := range []string{"hush.db", "shares", "root.key"} {
			content, err := os.ReadFile(filepath.Join(data, name))
			if err != nil {
				t.Fatal(err)
			}
			files[name] = content
		}
		return files
	}
	last := read()
	servertest.WaitUntil(t, "the data folder to come to rest", func() bool {
		next := read()
		same := bytes.Equal(last["hush.db"], next["hush.db"]) && bytes.Equal(last["shares"], next["shares"])
		last = next
		return same
	})
	return last
}

// unpack writes a copy into a folder of its own.
func unpack(t *testing.T, files map[string][]byte) string {
	t.Helper()
	data := filepath.Join(t.TempDir(), "stolen")
	err := os.Mkdir(data, 0o700)
	for name, content := range files {
		err = errors.Join(err, os.WriteFile(filepath.Join(data, name), content, 0o400|0o200))
	}
	if err != nil {
		t.Fatal(err)
	}
	return data
}
