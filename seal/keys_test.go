package seal_test

import (
	"errors"
	"testing"

	"hush/seal"
)

func TestVerify(t *testing.T) {
	p := sampleParts()
	stored := p.keys().Verifier()
	if len(stored) != 36 {
		t.Fatalf("Verifier(): got %d bytes, want 36", len(stored))
	}
	if err := p.keys().Verify(stored); err != nil {
		t.Errorf("Verify(own verifier): got %v, want nil", err)
	}
	for i := range stored {
		if err := p.keys().Verify(flipped(stored, i)); !errors.Is(err, seal.ErrWrongRootKey) {
			t.Errorf("Verify(byte %d changed): got %v, want %v", i, err, seal.ErrWrongRootKey)
		}
	}
	for _, bad := range [][]byte{nil, {}, stored[:4], stored[:35], append(stored, 0)} {
		if err := p.keys().Verify(bad); !errors.Is(err, seal.ErrWrongRootKey) {
			t.Errorf("Verify(%d bytes): got %v, want %v", len(bad), err, seal.ErrWrongRootKey)
		}
	}
}

func TestVerifyOfOtherRoots(t *testing.T) {
	p := sampleParts()
	stored := p.keys().Verifier()
	for i := range p.root {
		other := p
		other.root[i] ^= 1
		if err := other.keys().Verify(stored); !errors.Is(err, seal.ErrWrongRootKey) {
			t.Errorf("Verify(root with byte %d changed): got %v, want %v", i, err, seal.ErrWrongRootKey)
		}
	}
}

// A caller that writes into its copy must not change the keys.
func TestVerifierIsACopy(t *testing.T) {
	keys := sampleParts().keys()
	clear(keys.Verifier())
	if err := keys.Verify(sampleParts().keys().Verifier()); err != nil {
		t.Errorf("Verify(after clearing a verifier): got %v, want nil", err)
	}
}

func TestNetworkID(t *testing.T) {
	p := sampleParts()
	other := p
	other.root[0] ^= 1
	id := p.keys().NetworkID([]byte{192, 0, 2, 1})
	if again := p.keys().NetworkID([]byte{192, 0, 2, 1}); again != id {
		t.Errorf("NetworkID(same network): got %x, want %x", again, id)
	}
	if next := p.keys().NetworkID([]byte{192, 0, 2, 2}); next == id {
		t.Errorf("NetworkID(next network): got %x again, want another", next)
	}
	if foreign := other.keys().NetworkID([]byte{192, 0, 2, 1}); foreign == id {
		t.Errorf("NetworkID(other root): got %x again, want another", foreign)
	}
}
