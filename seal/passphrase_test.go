package seal_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"hush/seal"
)

func TestNewPassphraseParams(t *testing.T) {
	got, next := seal.NewPassphraseParams(), seal.NewPassphraseParams()
	if got.Salt == next.Salt {
		t.Errorf("NewPassphraseParams(): got salt %x twice, want two", got.Salt)
	}
	want := seal.PassphraseParams{MemoryKiB: 19456, Time: 2, Threads: 1, Salt: got.Salt}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("NewPassphraseParams(): (-want +got)\n%s", diff)
	}
}

func TestHashDependsOnEverything(t *testing.T) {
	base := seal.PassphraseParams{MemoryKiB: 64, Time: 1, Threads: 1}
	memory, time, threads, salt := base, base, base, base
	memory.MemoryKiB, time.Time, threads.Threads, salt.Salt[15] = 128, 2, 2, 1
	seen := map[[32]byte]bool{base.Hash("pass"): true, base.Hash("Pass"): true, base.Hash(""): true}
	for _, p := range []seal.PassphraseParams{memory, time, threads, salt} {
		seen[p.Hash("pass")] = true
	}
	if got, want := len(seen), 7; got != want {
		t.Errorf("Hash: got %d different hashes, want %d", got, want)
	}
	if !seen[base.Hash("pass")] {
		t.Error("Hash(pass): got another hash the second time, want the same")
	}
}

// A damaged record costs a wrong hash, not the process.
func TestHashBearsDamagedParams(t *testing.T) {
	zero := seal.PassphraseParams{}
	least := seal.PassphraseParams{Time: 1, Threads: 1}
	if got, want := zero.Hash("pass"), least.Hash("pass"); got != want {
		t.Errorf("Hash(zero parameters): got %x, want %x", got, want)
	}
	huge := seal.PassphraseParams{MemoryKiB: 8, Time: 1<<32 - 1, Threads: 1}
	most := seal.PassphraseParams{MemoryKiB: 8, Time: 16, Threads: 1}
	if got, want := huge.Hash("pass"), most.Hash("pass"); got != want {
		t.Errorf("Hash(endless passes): got %x, want %x", got, want)
	}
}
