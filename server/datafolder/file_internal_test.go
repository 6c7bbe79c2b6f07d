package datafolder

import (
	"encoding/hex"
	"errors"
	"testing"

	"hush/seal"
)

// sealedFile is a result of SealFile under sealedRoot, by the first release that
// sealed files.
const (
	sealedRoot = "a07bbe9e77bc8533c08c76dfa943c919aade31f9c32b5e6b3daaf10bc64f46d5"
	sealedFile = "c2860e08e1104fd8f5194de89769b5346c5d7ee58a504baf4a6e889c0974be28b05c55e5b767da3be9feb4ec7783f15fd8ec5cc5a8e22898ae78d0c5"
)

// What an earlier release sealed opens, under its own name only.
func TestOpenFileOfBefore(t *testing.T) {
	t.Parallel()
	root, err := seal.ParseRootKey([]byte(sealedRoot))
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := hex.DecodeString(sealedFile)
	if err != nil {
		t.Fatal(err)
	}
	d := &Data{keys: seal.NewKeys(root)}
	got, err := d.OpenFile("accounts/acme.example-dir.json", sealed)
	if want := `{"account":{}}`; err != nil || string(got) != want {
		t.Errorf("OpenFile(recorded): got %q and %v, want %q", got, err, want)
	}
	if got, err := d.OpenFile("accounts/other.json", sealed); !errors.Is(err, seal.ErrSealBroken) {
		t.Errorf("OpenFile(under another name): got %q and %v, want %v", got, err, seal.ErrSealBroken)
	}
}
