package seal_test

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hush/seal"
)

// hexBytes is written in testdata as hexadecimal digits.
type hexBytes []byte

func (h *hexBytes) UnmarshalText(text []byte) (err error) {
	*h, err = hex.DecodeString(string(text))
	return err
}

type sealedVector struct{ Verifier, Sealed hexBytes }

// vectors pin version 1 of every format. They were computed by another
// implementation; a change here means that stored secrets no longer open.
type vectors struct {
	Token          string
	CreatedMS      int64 `json:"created_ms"`
	Root           hexBytes
	Share          hexBytes
	Passphrase     string
	Salt           hexBytes
	Header         hexBytes
	Plaintext      string
	Label          string
	RootVerifier   hexBytes `json:"root_verifier"`
	Network        hexBytes
	NetworkID      hexBytes     `json:"network_id"`
	SecretRow      hexBytes     `json:"secret_row"`
	MetadataRow    hexBytes     `json:"metadata_row"`
	PassphraseHash hexBytes     `json:"passphrase_hash"`
	Open           sealedVector `json:"open"`
	WithPassphrase sealedVector `json:"with_passphrase"`
	MetadataSealed hexBytes     `json:"metadata_sealed"`
}

func readVectors(t *testing.T) vectors {
	t.Helper()
	text, err := os.ReadFile("testdata/v1.json")
	if err != nil {
		t.Fatal(err)
	}
	var v vectors
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func (v vectors) keys() *seal.Keys { return seal.NewKeys(seal.RootKeyOf([32]byte(v.Root))) }

func TestGoldenDerivations(t *testing.T) {
	v := readVectors(t)
	token, keys := mustToken(v.Token), v.keys()
	secretRow, metadataRow := token.RowKey(seal.KindSecret), token.RowKey(seal.KindMetadata)
	network := keys.NetworkID(v.Network)
	params := seal.NewPassphraseParams()
	params.Salt = [16]byte(v.Salt)
	hash := params.Hash(v.Passphrase)
	for call, c := range map[string]struct{ got, want []byte }{
		"Verifier()":         {keys.Verifier(), v.RootVerifier},
		"NetworkID(network)": {network[:], v.NetworkID},
		"RowKey(secret)":     {secretRow[:], v.SecretRow},
		"RowKey(metadata)":   {metadataRow[:], v.MetadataRow},
		"Hash(passphrase)":   {hash[:], v.PassphraseHash},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s: got %x, want %x", call, c.got, c.want)
		}
	}
}

func TestGoldenSecrets(t *testing.T) {
	v := readVectors(t)
	token := mustToken(v.Token)
	for name, c := range map[string]struct {
		passphrase hexBytes
		want       sealedVector
	}{
		"none": {make([]byte, 32), v.Open},
		"set":  {v.PassphraseHash, v.WithPassphrase},
	} {
		key := mustKey(v.keys(), token, seal.RowKey(v.SecretRow), [32]byte(v.Share), [32]byte(c.passphrase))
		if got := key.Verifier(); got != [32]byte(c.want.Verifier) {
			t.Errorf("Verifier(passphrase %s): got %x, want %x", name, got, c.want.Verifier)
		}
		got, err := key.Open(v.Header, c.want.Sealed)
		if err != nil || string(got) != v.Plaintext {
			t.Errorf("Open(passphrase %s): got %q, %v, want %q", name, got, err, v.Plaintext)
		}
	}
}

func TestGoldenMetadata(t *testing.T) {
	v := readVectors(t)
	got, err := v.keys().OpenMetadata(mustToken(v.Token), seal.RowKey(v.MetadataRow), v.Label, v.MetadataSealed)
	if err != nil || string(got) != v.Plaintext {
		t.Errorf("OpenMetadata(vector): got %q, %v, want %q", got, err, v.Plaintext)
	}
}

func TestGoldenTokenTime(t *testing.T) {
	v := readVectors(t)
	got := seal.NewToken(sampleTime).Expose()
	if want := v.Token[25:]; v.CreatedMS != sampleTime.UnixMilli() || !strings.HasSuffix(got, want) {
		t.Errorf("NewToken(%d): got ...%s, want ...%s", v.CreatedMS, got[25:], want)
	}
}
