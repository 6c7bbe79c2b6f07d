package endtoend_test

import (
	"bytes"
	"crypto/hkdf"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"testing"

	"google.golang.org/protobuf/proto"

	hushv1 "hush/gen/hush/v1"
	"hush/seal/endtoend"
)

// The example of a preview is computed step by step from the document's formulas, and
// package endtoend reads it.
func TestExampleOfAPreview(t *testing.T) {
	link, err := endtoend.ParseLink(example(t, "An example")["fragment"])
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		printPreviewExample(t)
	}
	values := example(t, "An example of a preview")
	secret, salt := link.Secret.Expose(), values["salt of the message"]
	for name, got := range previewSteps(t, secret[:], salt) {
		if values[name] != hex.EncodeToString(got) {
			t.Errorf("%s: got %q in the document, want %x", name, values[name], got)
		}
	}
	sealed, err := hex.DecodeString(values["preview"])
	if err != nil || !bytes.HasPrefix(sealed, mustHex(t, salt+values["commitment"])) {
		t.Errorf("preview: got another beginning or %v, want salt and commitment", err)
	}
	want := endtoend.Preview{
		Kind: endtoend.KindFile, FileName: values["file name"], Size: 21_474_836_481, Note: values["note"],
	}
	if got, err := endtoend.OpenPreview(link.Secret, sealed); err != nil || got != want || values["size"] != "21474836481" {
		t.Errorf("preview: got %+v, %v, want %+v", got, err, want)
	}
	var message hushv1.Preview
	if err := proto.Unmarshal(mustHex(t, values["message"]), &message); err != nil || message.GetFileName() != want.FileName || message.GetNote() != want.Note {
		t.Errorf("message: got %v, %v in the document, want that of %+v", &message, err, want)
	}
}

// previewSteps returns what the document derives for a preview, by the names of its table.
func previewSteps(t *testing.T, secret []byte, salt string) map[string][]byte {
	t.Helper()
	base, err := hkdf.Extract(sha512.New, secret, []byte("hush e2e v1"))
	if err != nil {
		t.Fatal(err)
	}
	key, err := hkdf.Expand(sha512.New, base, "preview", 32)
	if err != nil {
		t.Fatal(err)
	}
	material, err := hkdf.Expand(sha512.New, key, "c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\x00"+string(mustHex(t, salt))+"hush.v1 preview", 76)
	if err != nil {
		t.Fatal(err)
	}
	return map[string][]byte{
		"preview key": key, "key of the message": material[:32], "base nonce": material[32:44], "commitment": material[44:],
	}
}

func mustHex(t *testing.T, digits string) []byte {
	t.Helper()
	bytes, err := hex.DecodeString(digits)
	if err != nil {
		t.Fatalf("%q: got %v in the document, want hexadecimal digits", digits, err)
	}
	return bytes
}

// printPreviewExample prints the table of the document with another message.
func printPreviewExample(t *testing.T) {
	t.Helper()
	p := endtoend.Preview{
		Kind: endtoend.KindFile, FileName: "backup-2026-11.tar.gz", Size: 21_474_836_481, Note: "The password of the archive comes by phone.",
	}
	k := sha256.Sum256([]byte("the example of docs/end-to-end.md"))
	sealed := mustSealPreview(t, endtoend.SecretOf(k), p)
	message, err := proto.MarshalOptions{Deterministic: true}.Marshal(&hushv1.Preview{
		Kind: hushv1.ContentHeader_KIND_FILE, FileName: p.FileName, Size: p.Size, Note: p.Note,
	})
	if err != nil {
		t.Fatal(err)
	}
	salt := hex.EncodeToString(sealed[:24])
	steps := previewSteps(t, k[:], salt)
	for _, row := range [][2]string{
		{"preview key", hex.EncodeToString(steps["preview key"])}, {"file name", p.FileName}, {"size", "21474836481"}, {"note", p.Note},
		{"message", hex.EncodeToString(message)}, {"salt of the message", salt},
		{"key of the message", hex.EncodeToString(steps["key of the message"])}, {"base nonce", hex.EncodeToString(steps["base nonce"])},
		{"commitment", hex.EncodeToString(steps["commitment"])}, {"preview", hex.EncodeToString(sealed)},
	} {
		t.Logf("| %s | `%s` |", row[0], row[1])
	}
}
