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
	keys := seal.NewKeys(seal.NewRootKey())
	memory, time, threads, salt := cheapPassword, cheapPassword, cheapPassword, cheapPassword
	memory.MemoryKiB, time.Time, threads.Threads, salt.Salt[15] = 128, 2, 2, 1
	seen := map[[32]byte]bool{
		verifierOf(keys, cheapPassword.Hash("pass")): true,
		verifierOf(keys, cheapPassword.Hash("Pass")): true,
		verifierOf(keys, cheapPassword.Hash("")):     true,
	}
	for _, p := range []seal.PasswordParams{memory, time, threads, salt} {
		seen[verifierOf(keys, p.Hash("pass"))] = true
	}
	if got, want := len(seen), 7; got != want {
		t.Errorf("Hash: got %d different verifiers, want %d", got, want)
	}
	if !seen[verifierOf(keys, cheapPassword.Hash("pass"))] {
		t.Error("Hash(pass): got another verifier the second time, want the same")
	}
}

// A damaged record costs a wrong hash, not the process.
func TestPasswordHashBearsDamagedParams(t *testing.T) {
	keys := seal.NewKeys(seal.NewRootKey())
	zero, least := seal.PasswordParams{}, seal.PasswordParams{Time: 1, Threads: 1}
	if got, want := verifierOf(keys, zero.Hash("pass")), verifierOf(keys, least.Hash("pass")); got != want {
		t.Errorf("Hash(zero parameters): got %x, want %x", got, want)
	}
	huge := seal.PasswordParams{MemoryKiB: 8, Time: 1<<32 - 1, Threads: 1}
	most := seal.PasswordParams{MemoryKiB: 8, Time: 16, Threads: 1}
	if got, want := verifierOf(keys, huge.Hash("pass")), verifierOf(keys, most.Hash("pass")); got != want {
		t.Errorf("Hash(endless passes): got %x, want %x", got, want)
	}
}

func TestPasswordMatches(t *testing.T) {
	keys := seal.NewKeys(seal.NewRootKey())
	hash := cheapPassword.Hash("pass")
	stored := verifierOf(keys, hash)
	if !keys.PasswordMatches(hash, stored, keys.KID()) || !keys.PasswordMatches(cheapPassword.Hash("pass"), stored, keys.KID()) {
		t.Error("PasswordMatches(own verifier): got false, want true")
	}
	if keys.PasswordMatches(cheapPassword.Hash("Pass"), stored, keys.KID()) {
		t.Error("PasswordMatches(verifier of another password): got true, want false")
	}
	for i := range stored {
		if keys.PasswordMatches(hash, [32]byte(flipped(stored[:], i)), keys.KID()) {
			t.Errorf("PasswordMatches(byte %d changed): got true, want false", i)
		}
	}
}

// The attack: a thief of the data folder, without the root key, hashes guesses
// and compares. Neither another root key nor none tells the right one.
func TestPasswordVerifierTakesTheRootKey(t *testing.T) {
	own, other := seal.NewKeys(seal.NewRootKey()), seal.NewKeys(seal.NewRootKey())
	hash := cheapPassword.Hash("pass")
	stored := verifierOf(own, hash)
	if other.PasswordMatches(hash, stored, other.KID()) || other.PasswordMatches(hash, stored, own.KID()) {
		t.Error("PasswordMatches(right password, another root key): got true, want false")
	}
	if hash.MatchesUnkeyed(stored) {
		t.Error("MatchesUnkeyed(keyed verifier): got true, want false")
	}
}

func verifierOf(k *seal.Keys, h seal.PasswordHash) [32]byte {
	verifier, _ := k.PasswordVerifier(h)
	return verifier
}
