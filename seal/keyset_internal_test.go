package seal

import (
	"errors"
	"testing"
)

// A value of the first root key has no name in front. One in 2^32 begins like the name of
// another root key, and opens too.
func TestFirstValueThatBeginsLikeAName(t *testing.T) {
	t.Parallel()
	keys := NewKeySet([]RootKey{NewRootKey(), NewRootKey()}, make([]byte, KeySetSize(2)))
	sealed := keys.SealField("label", []byte("row"), []byte("text"))
	keys.state.set.Load().all[1].kid = [kidSize]byte(sealed)
	if got, err := keys.OpenField("label", []byte("row"), sealed); err != nil || string(got) != "text" {
		t.Errorf("OpenField(value that begins like a name): got %q, %v, want text", got, err)
	}
	sealed[len(sealed)-1] ^= 1
	if got, err := keys.OpenField("label", []byte("row"), sealed); !errors.Is(err, ErrSealBroken) {
		t.Errorf("OpenField(such a value, changed): got %q, %v, want %v", got, err, ErrSealBroken)
	}
}
