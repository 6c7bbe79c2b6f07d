package seal_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"hush/seal"
)

func TestNewPasswordParams(t *testing.T) {
	got, next := seal.NewPasswordParams(), seal.NewPasswordParams()
	if got.Salt == next.Salt {
		t.Errorf("NewPasswordParams(): got salt %x twice, want two", got.Salt)
	}
	want := seal.PasswordParams{MemoryKiB: 65536, Time: 3, Threads: 1, Salt: got.Salt}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("NewPasswordParams(): (-want +got)\n%s", diff)
	}
}

func TestPasswordParamsRenewed(t *testing.T) {
	old := seal.PasswordParams{MemoryKiB: 128, Time: 2, Threads: 4, Salt: [16]byte{1}}
	kept := old
	got := old.Renewed()
	if got.Salt == kept.Salt || old != kept {
		t.Errorf("Renewed(): got salt %x from %x, want a fresh one in a copy", got.Salt, kept.Salt)
	}
	got.Salt = kept.Salt
	if diff := cmp.Diff(kept, got); diff != "" {
		t.Errorf("Renewed(): (-want +got)\n%s", diff)
	}
}

func TestPasswordParamsWeaker(t *testing.T) {
	now := seal.PasswordParams{MemoryKiB: 64, Time: 3, Threads: 1}
	for name, c := range map[string]struct {
		change func(*seal.PasswordParams)
		want   bool
	}{
		"same":        {func(*seal.PasswordParams) {}, false},
		"less memory": {func(p *seal.PasswordParams) { p.MemoryKiB-- }, true},
		"fewer times": {func(p *seal.PasswordParams) { p.Time-- }, true},
		"trade":       {func(p *seal.PasswordParams) { p.Time--; p.MemoryKiB *= 2 }, true},
		"more memory": {func(p *seal.PasswordParams) { p.MemoryKiB++ }, false},
		"more times":  {func(p *seal.PasswordParams) { p.Time++ }, false},
		"more lanes":  {func(p *seal.PasswordParams) { p.Threads++ }, false},
		"other salt":  {func(p *seal.PasswordParams) { p.Salt[0]++ }, false},
	} {
		p := now
		c.change(&p)
		if got := p.Weaker(now); got != c.want {
			t.Errorf("Weaker(%s): got %v, want %v", name, got, c.want)
		}
	}
}

func TestPasswordHashDependsOnEverything(t *testing.T) {
	memory, time, threads, salt := cheapPassword, cheapPassword, cheapPassword, cheapPassword
	memory.MemoryKiB, time.Time, threads.Threads, salt.Salt[15] = 128, 2, 2, 1
	seen := map[[32]byte]bool{
		cheapPassword.Hash("pass").Verifier(): true,
		cheapPassword.Hash("Pass").Verifier(): true,
		cheapPassword.Hash("").Verifier():     true,
	}
	for _, p := range []seal.PasswordParams{memory, time, threads, salt} {
		seen[p.Hash("pass").Verifier()] = true
	}
	if got, want := len(seen), 7; got != want {
		t.Errorf("Hash: got %d different verifiers, want %d", got, want)
	}
	if !seen[cheapPassword.Hash("pass").Verifier()] {
		t.Error("Hash(pass): got another verifier the second time, want the same")
	}
}

// A damaged record costs a wrong hash, not the process.
func TestPasswordHashBearsDamagedParams(t *testing.T) {
	zero, least := seal.PasswordParams{}, seal.PasswordParams{Time: 1, Threads: 1}
	if got, want := zero.Hash("pass").Verifier(), least.Hash("pass").Verifier(); got != want {
		t.Errorf("Hash(zero parameters): got %x, want %x", got, want)
	}
	huge := seal.PasswordParams{MemoryKiB: 8, Time: 1<<32 - 1, Threads: 1}
	most := seal.PasswordParams{MemoryKiB: 8, Time: 16, Threads: 1}
	if got, want := huge.Hash("pass").Verifier(), most.Hash("pass").Verifier(); got != want {
		t.Errorf("Hash(endless passes): got %x, want %x", got, want)
	}
}

func TestPasswordHashMatches(t *testing.T) {
	hash := cheapPassword.Hash("pass")
	stored := hash.Verifier()
	if !hash.Matches(stored) || !cheapPassword.Hash("pass").Matches(stored) {
		t.Error("Matches(own verifier): got false, want true")
	}
	if cheapPassword.Hash("Pass").Matches(stored) {
		t.Error("Matches(verifier of another password): got true, want false")
	}
	for i := range stored {
		if hash.Matches([32]byte(flipped(stored[:], i))) {
			t.Errorf("Matches(byte %d changed): got true, want false", i)
		}
	}
}
