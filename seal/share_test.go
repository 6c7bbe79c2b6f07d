package seal_test

import (
	"bytes"
	"testing"

	"hush/seal"
)

func TestNewShare(t *testing.T) {
	if first, second := seal.NewShare(), seal.NewShare(); first == second {
		t.Error("NewShare(): got the same share twice, want two")
	}
}

// The name of the root key is what its verifier begins with.
func TestKID(t *testing.T) {
	keys := sampleParts().keys()
	got, want := keys.KID(), keys.Verifier()[:4]
	if !bytes.Equal(got[:], want) {
		t.Errorf("KID(): got %x, want %x", got, want)
	}
}
