package endtoend_test

import (
	"bytes"
	"crypto/hkdf"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"golang.org/x/crypto/argon2"

	"hush/seal/endtoend"
)

// example has the values of the table in docs/end-to-end.md under that heading, by their
// names.
func example(t *testing.T, heading string) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../../docs/end-to-end.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(text), "# "+heading+"\n")
	if !ok {
		t.Fatalf("docs/end-to-end.md: got no section %s, want one", heading)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	values := map[string]string{}
	for line := range strings.Lines(section) {
		if cells := strings.Split(line, "|"); len(cells) == 4 {
			values[strings.TrimSpace(cells[1])] = strings.Trim(cells[2], " `")
		}
	}
	if _, request, ok := strings.Cut(section, "\n```json\n"); ok {
		values["request"], _, _ = strings.Cut(request, "\n```\n")
	}
	return values
}

// The example is computed here step by step from the document's formulas, and
// package endtoend reads its content.
func TestExampleOfTheDocument(t *testing.T) {
	if *update {
		printExample(t)
	}
	values := example(t, "An example")
	want := func(name string, got []byte) {
		t.Helper()
		if values[name] != hex.EncodeToString(got) {
			t.Errorf("%s: got %q in the document, want %x", name, values[name], got)
		}
	}
	value := func(name string) []byte {
		t.Helper()
		bytes, err := hex.DecodeString(values[name])
		if err != nil || len(bytes) == 0 {
			t.Fatalf("%s: got %q in the document, want hexadecimal digits", name, values[name])
		}
		return bytes
	}
	extract := func(salt string, ikm []byte) []byte {
		prk, err := hkdf.Extract(sha512.New, ikm, []byte(salt))
		if err != nil {
			t.Fatal(err)
		}
		return prk
	}
	expand := func(prk []byte, info string, size int) []byte {
		okm, err := hkdf.Expand(sha512.New, prk, info, size)
		if err != nil {
			t.Fatal(err)
		}
		return okm
	}
	k := value("K")
	base := extract("hush e2e v1", k)
	salt := expand(base, "passphrase salt", 16)
	p := argon2.IDKey([]byte(values["passphrase"]), salt, 2, 19456, 1, 32)
	full := extract("hush e2e v1 full", append(bytes.Clone(k), p...))
	linkProof, proof, contentKey := expand(base, "link proof", 32), expand(full, "proof", 32), expand(full, "content", 32)
	hashes := [2][sha256.Size]byte{sha256.Sum256(linkProof), sha256.Sum256(proof)}
	want("base", base)
	want("link proof", linkProof)
	want("salt", salt)
	want("P", p)
	want("full", full)
	want("content key", contentKey)
	want("proof", proof)
	want("SHA-256 of the link proof", hashes[0][:])
	want("SHA-256 of the proof", hashes[1][:])
	messageSalt := value("salt of the message")
	material := expand(contentKey, "c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\x00"+string(messageSalt)+"hush.v1 content", 76)
	want("key of the message", material[:32])
	want("base nonce", material[32:44])
	want("commitment", material[44:])

	link, err := endtoend.ParseLink(values["fragment"])
	if err != nil || link.Key.Expose() != values["KEY"] || values["fragment"] != values["KEY"]+values["SECRET"] {
		t.Fatalf("fragment: got %v, want KEY and SECRET", err)
	}
	keys, err := endtoend.Derive(link.Secret, values["passphrase"])
	if got := keys.Proof(); err != nil || !bytes.Equal(got[:], proof) {
		t.Fatalf("Derive: got another proof or %v, want that of the document", err)
	}
	wantRequest(t, values["request"], map[string][]byte{"linkProof": linkProof, "proof": proof, "claim": value("claim")}, values["KEY"])
	content := value("content")
	h, body, err := opened(keys, content)
	if err != nil || h.Kind != endtoend.KindText || string(body) != values["body"] {
		t.Errorf("content: got %q, %v, want %q", body, err, values["body"])
	}
	if !bytes.HasPrefix(content, append(bytes.Clone(messageSalt), material[44:]...)) {
		t.Error("content: got another beginning, want salt and commitment")
	}
	marshalled := value("header")
	if !bytes.Equal(marshalled, []byte{8, 1, 32, byte(len(body))}) {
		t.Errorf("header: got %x in the document, want that of a text of %d bytes", marshalled, len(body))
	}
}

// wantRequest checks the request of RevealSecret as JSON.
func wantRequest(t *testing.T, request string, want map[string][]byte, key string) {
	t.Helper()
	var got struct {
		SecretKey               string
		LinkProof, Proof, Claim []byte
	}
	in := json.NewDecoder(strings.NewReader(request))
	in.DisallowUnknownFields()
	if err := in.Decode(&got); err != nil {
		t.Fatalf("request: got %v in the document, want JSON", err)
	}
	if got.SecretKey != key {
		t.Errorf("request: got the key %q, want %q", got.SecretKey, key)
	}
	for name, value := range map[string][]byte{"linkProof": got.LinkProof, "proof": got.Proof, "claim": got.Claim} {
		if !bytes.Equal(value, want[name]) {
			t.Errorf("request: got %s %x, want %x", name, value, want[name])
		}
	}
}

// printExample prints the table of the document with another content.
func printExample(t *testing.T) {
	t.Helper()
	const passphrase, text = "quick otter", "DATABASE_URL=postgres://app:8Kq-vN2@db/app"
	k := sha256.Sum256([]byte("the example of docs/end-to-end.md"))
	link := endtoend.LinkOf(testKey, k)
	keys, err := endtoend.Derive(link.Secret, passphrase)
	if err != nil {
		t.Fatal(err)
	}
	var content bytes.Buffer
	h := endtoend.Header{Kind: endtoend.KindText, Size: uint64(len(text))}
	if err := keys.Seal(&content, h, strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	base, baseErr := hkdf.Extract(sha512.New, k[:], []byte("hush e2e v1"))
	salt, saltErr := hkdf.Expand(sha512.New, base, "passphrase salt", 16)
	p := argon2.IDKey([]byte(passphrase), salt, 2, 19456, 1, 32)
	full, fullErr := hkdf.Extract(sha512.New, append(k[:], p...), []byte("hush e2e v1 full"))
	if err := errors.Join(baseErr, saltErr, fullErr); err != nil {
		t.Fatal(err)
	}
	messageSalt := content.Bytes()[:24]
	material, err := hkdf.Expand(sha512.New, endtoend.ContentKey(keys), "c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\x00"+string(messageSalt)+"hush.v1 content", 76)
	if err != nil {
		t.Fatal(err)
	}
	linkProof, proof := keys.LinkProof(), keys.Proof()
	linkHash, hash := linkProof.Hash(), proof.Hash()
	for _, row := range [][2]string{
		{"KEY", testKey}, {"K", hex.EncodeToString(k[:])}, {"SECRET", link.Expose()[31:]}, {"fragment", link.Expose()},
		{"passphrase", passphrase}, {"base", hex.EncodeToString(base)}, {"link proof", hex.EncodeToString(linkProof[:])},
		{"salt", hex.EncodeToString(salt)}, {"P", hex.EncodeToString(p)}, {"full", hex.EncodeToString(full)},
		{"content key", hex.EncodeToString(endtoend.ContentKey(keys))}, {"proof", hex.EncodeToString(proof[:])},
		{"SHA-256 of the link proof", hex.EncodeToString(linkHash[:])}, {"SHA-256 of the proof", hex.EncodeToString(hash[:])},
		{"body", text}, {"header", hex.EncodeToString([]byte{8, 1, 32, byte(len(text))})},
		{"salt of the message", hex.EncodeToString(messageSalt)}, {"key of the message", hex.EncodeToString(material[:32])},
		{"base nonce", hex.EncodeToString(material[32:44])}, {"commitment", hex.EncodeToString(material[44:])},
		{"content", hex.EncodeToString(content.Bytes())},
	} {
		t.Logf("| %s | `%s` |", row[0], row[1])
	}
}
