package request_test

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/mlkem"
	"crypto/sha256"
	"crypto/sha3"
	"crypto/sha512"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"hush/seal"
	"hush/seal/endtoend"
	"hush/seal/request"
)

const exampleKey, exampleCollectKey = "0123456789abcdefghijklmnopqrstu", "utsrqponmlkjihgfedcba9876543210"

// document has the values of the table in docs/requests.md, by their names, and the long
// ones below it.
type document map[string]string

func readExample(t *testing.T) document {
	t.Helper()
	text, err := os.ReadFile("../../docs/requests.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(text), "\n## An example\n")
	if !ok {
		t.Fatal("docs/requests.md: got no example, want one")
	}
	values := document{}
	for line := range strings.Lines(section) {
		if cells := strings.Split(line, "|"); len(cells) == 4 {
			values[strings.TrimSpace(cells[1])] = strings.Trim(cells[2], " `")
		}
	}
	for _, name := range []string{"card message", "sealed link"} {
		_, after, _ := strings.Cut(section, "\nThe "+name+":\n\n```text\n")
		digits, _, _ := strings.Cut(after, "\n```\n")
		values[name] = strings.ReplaceAll(digits, "\n", "")
	}
	return values
}

// bytes returns the value of a name.
func (d document) bytes(t *testing.T, name string) []byte {
	t.Helper()
	bytes, err := hex.DecodeString(d[name])
	if err != nil || len(bytes) == 0 {
		t.Fatalf("%s: got %q in the document, want hexadecimal digits", name, d[name])
	}
	return bytes
}

// want checks the value of a name.
func (d document) want(t *testing.T, name string, got []byte) {
	t.Helper()
	if d[name] != hex.EncodeToString(got) {
		t.Errorf("%s: got %q in the document, want %x", name, d[name], got)
	}
}

func derivedBase(salt string, ikm []byte) []byte {
	prk, err := hkdf.Extract(sha512.New, ikm, []byte(salt))
	return must(prk, err)
}

func derived(prk []byte, info string, size int) []byte {
	okm, err := hkdf.Expand(sha512.New, prk, info, size)
	return must(okm, err)
}

// must is for what fails only if this file is wrong.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func sum(parts ...[]byte) []byte {
	sum := sha256.Sum256(slices.Concat(parts...))
	return sum[:]
}

// The example is computed here step by step from the document's formulas, without the
// package, which then reads all of it.
func TestExampleOfTheDocument(t *testing.T) {
	if *update {
		printExample(t)
	}
	d := readExample(t)
	collect := derivedBase("hush collect v1", d.bytes(t, "C"))
	seed := derived(collect, "key pair", 32)
	private := xwingOf(seed)
	public := private.public()
	d.want(t, "base of C", collect)
	d.want(t, "seed", seed)
	d.want(t, "first 32 bytes of the public key", public[:32])
	d.want(t, "last 32 bytes of the public key", public[len(public)-32:])
	d.want(t, "SHA-256 of the public key", sum(public))
	d.want(t, "collect proof", derived(collect, "collect proof", 32))
	d.want(t, "SHA-256 of the collect proof", sum(derived(collect, "collect proof", 32)))
	d.want(t, "link box key", derived(collect, "request link", 32))
	message := d.wantMessage(t)
	card := slices.Concat(unhexed("01647a00010002"), d.bytes(t, "salt of the card"), public, message)
	r := sum([]byte("hush request v1\x00"), card)
	base := derivedBase("hush request v1", r)
	d.want(t, "length of the card", unhexed(fmt.Sprintf("%08x", len(card))))
	d.want(t, "SHA-256 of the card", sum(card))
	d.want(t, "R", r)
	d.want(t, "base of R", base)
	d.want(t, "card key", derived(base, "card", 32))
	d.want(t, "link proof", derived(base, "link proof", 32))
	d.want(t, "SHA-256 of the link proof", sum(derived(base, "link proof", 32)))
	d.wantChunk(t, "card message", derived(base, "card", 32), "hush.v1 request", padded(card))
	d.wantChunk(t, "link box", derived(collect, "request link", 32), "hush.v1 request link", r)
	d.wantAnswer(t, private, r)
	d.wantLinks(t, r)
	d.wantRead(t, card)
}

// wantMessage returns the protobuf of the card, encoded by hand.
func (d document) wantMessage(t *testing.T) []byte {
	t.Helper()
	seconds := uint64(must(time.Parse(time.RFC3339, d["latest time"])).Unix())
	time := []byte{0x08, byte(seconds) | 0x80, byte(seconds>>7) | 0x80, byte(seconds>>14) | 0x80, byte(seconds>>21) | 0x80, byte(seconds >> 28)}
	message := slices.Concat(
		[]byte{0x0a, byte(len(d["title"]))}, []byte(d["title"]),
		[]byte{0x12, byte(len(d["note"]))}, []byte(d["note"]),
		[]byte{0x1a, 2, 1, 2, 0x22, byte(len(time))}, time, []byte{0x28, 3},
	)
	d.want(t, "protobuf", message)
	return message
}

// padded returns the length of the card, the card, and zeros. Padmé rounds from 1,024 to
// 2,047 bytes up to a multiple of 2^(10-4).
func padded(card []byte) []byte {
	plain := slices.Concat(unhexed(fmt.Sprintf("%08x", len(card))), card)
	return append(plain, make([]byte, (64-len(plain)%64)%64)...)
}

// wantChunk checks a message of one chunk, whose key is of the salt it begins with.
func (d document) wantChunk(t *testing.T, name string, key []byte, context string, plain []byte) {
	t.Helper()
	message := d.bytes(t, name)
	salt := message[:24]
	material := derived(key, "c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\x00"+string(salt)+context, 76)
	aead := must(cipher.NewGCM(must(aes.NewCipher(material[:32]))))
	d.want(t, "salt of the "+name, salt)
	d.want(t, "commitment of the "+name, material[44:])
	d.want(t, name, slices.Concat(salt, material[44:], aead.Seal(nil, material[32:44], plain, nil)))
}

// wantAnswer opens the sealed link by the formulas of X-Wing and of HPKE.
func (d document) wantAnswer(t *testing.T, private xwing, r []byte) {
	t.Helper()
	k, a, sealed := d.bytes(t, "K"), d.bytes(t, "A"), d.bytes(t, "sealed link")
	if len(sealed) != request.SealedSize {
		t.Fatalf("sealed link: got %d bytes, want %d", len(sealed), request.SealedSize)
	}
	info := slices.Concat([]byte("hush answer v1\x00"), r, a)
	shared := private.decapsulate(sealed[:1120])
	key, nonce := scheduled(shared, info)
	d.want(t, "info", info)
	d.want(t, "shared secret", shared)
	d.want(t, "key of HPKE", key)
	d.want(t, "nonce of HPKE", nonce)
	aead := must(cipher.NewGCM(must(aes.NewCipher(key))))
	plain, err := aead.Open(nil, nonce, sealed[1120:], nil)
	if err != nil {
		t.Fatalf("sealed link: got %v, want nil", err)
	}
	used := slices.Concat(k, []byte(d["name"]))
	want := make([]byte, 512)
	copy(want, slices.Concat([]byte{0, 0, 0, byte(len(used))}, used))
	if !bytes.Equal(plain, want) {
		t.Errorf("sealed link: got %x, want %x", plain, want)
	}
	d.want(t, "what is sealed, without the zeros", bytes.TrimRight(want, "\x00"))
}

// xwing is a private key of X-Wing.
type xwing struct {
	mlkem *mlkem.DecapsulationKey768
	x     *ecdh.PrivateKey
}

func xwingOf(seed []byte) xwing {
	expanded := sha3.SumSHAKE256(seed, 96)
	return xwing{
		mlkem: must(mlkem.NewDecapsulationKey768(expanded[:64])),
		x:     must(ecdh.X25519().NewPrivateKey(expanded[64:])),
	}
}

func (x xwing) public() []byte {
	return slices.Concat(x.mlkem.EncapsulationKey().Bytes(), x.x.PublicKey().Bytes())
}

func (x xwing) decapsulate(encapsulated []byte) []byte {
	ct := encapsulated[1088:]
	shared := sha3.Sum256(slices.Concat(
		must(x.mlkem.Decapsulate(encapsulated[:1088])),
		must(x.x.ECDH(must(ecdh.X25519().NewPublicKey(ct)))),
		ct, x.x.PublicKey().Bytes(), []byte(`\.//^\`),
	))
	return shared[:]
}

// scheduled is the key schedule of HPKE's base mode.
func scheduled(shared, info []byte) (key, nonce []byte) {
	labeled := func(label string, input []byte) []byte {
		return slices.Concat([]byte("HPKE-v1HPKE\x64\x7a\x00\x01\x00\x02"+label), input)
	}
	extract := func(salt []byte, label string, input []byte) []byte {
		return must(hkdf.Extract(sha256.New, labeled(label, input), salt))
	}
	context := slices.Concat([]byte{0}, extract(nil, "psk_id_hash", nil), extract(nil, "info_hash", info))
	secret := extract(shared, "secret", nil)
	expand := func(label string, size int) []byte {
		return must(hkdf.Expand(sha256.New, secret, string([]byte{0, byte(size)})+string(labeled(label, context)), size))
	}
	return expand("key", 32), expand("base_nonce", 12)
}

// wantLinks checks the fragments.
func (d document) wantLinks(t *testing.T, r []byte) {
	t.Helper()
	for name, secret := range map[string][]byte{"KEYR": r, "KEYC": d.bytes(t, "C")} {
		link, err := endtoend.ParseLink(d[name])
		if err != nil || link.Key.Expose() != d["KEY of "+name] || !bytes.Equal(bytesOf(link.Secret), secret) {
			t.Errorf("%s: got %v or another link, want KEY and secret", name, err)
		}
	}
}

// wantRead opens all of the example with the package.
func (d document) wantRead(t *testing.T, raw []byte) {
	t.Helper()
	link, err := endtoend.ParseLink(d["KEYC"])
	if err != nil {
		t.Fatal(err)
	}
	c := request.NewCollector(link.Secret)
	asked, err := c.Open(d.bytes(t, "link box"), d.bytes(t, "card message"))
	if err != nil {
		t.Fatalf("Collector.Open: got %v, want nil", err)
	}
	if !bytes.Equal(request.Raw(asked), raw) {
		t.Error("Collector.Open: got another card, want that of the document")
	}
	if asked.Title != d["title"] || asked.Note != d["note"] || asked.Latest.Format(time.RFC3339) != d["latest time"] {
		t.Errorf("card: got %+v, want the texts and the time of the document", asked.Card)
	}
	answer, err := c.OpenAnswer(asked, request.Number(d.bytes(t, "A")), d.bytes(t, "sealed link"))
	if err != nil || answer.Name != d["name"] || !bytes.Equal(bytesOf(answer.Secret), d.bytes(t, "K")) {
		t.Errorf("OpenAnswer: got the name %q, %v, want %q", answer.Name, err, d["name"])
	}
	collectProof, linkProof := c.Proof(), request.LinkProof(asked.Secret())
	d.want(t, "collect proof", collectProof[:])
	d.want(t, "link proof", linkProof[:])
}

func unhexed(digits string) []byte { return must(hex.DecodeString(digits)) }

// printExample prints the table of the document with another request and answer, and
// the long values.
func printExample(t *testing.T) {
	t.Helper()
	secret := endtoend.SecretOf([32]byte(sum([]byte("the collect link of docs/requests.md"))))
	k := endtoend.SecretOf([32]byte(sum([]byte("the answer of docs/requests.md"))))
	c := request.NewCollector(secret)
	card := request.Card{
		Title: "Deploy key for staging", Note: "The read-only one.",
		Kinds: []endtoend.Kind{endtoend.KindText, endtoend.KindFile}, Latest: latest, Answers: 3,
	}
	asked, err := c.Ask(card)
	if err != nil {
		t.Fatal(err)
	}
	number, name := request.NewNumber(), "id_ed25519"
	message, messageErr := asked.Seal()
	box, boxErr := c.SealLink(asked.Secret())
	sealed, sealedErr := asked.SealAnswer(number, request.Answer{Secret: k, Name: name})
	if err := errors.Join(messageErr, boxErr, sealedErr); err != nil {
		t.Fatal(err)
	}
	raw, r := request.Raw(asked), bytesOf(asked.Secret())
	collect, base := derivedBase("hush collect v1", bytesOf(secret)), derivedBase("hush request v1", r)
	collectProof, linkProof := derived(collect, "collect proof", 32), derived(base, "link proof", 32)
	public, used := request.PublicOf(raw), append(bytesOf(k), name...)
	info := slices.Concat([]byte("hush answer v1\x00"), r, number[:])
	shared := xwingOf(request.Seed(c)).decapsulate(sealed[:1120])
	key, nonce := scheduled(shared, info)
	chunkOf := func(key []byte, context string, sealed []byte) []byte {
		return derived(key, "c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\x00"+string(sealed[:24])+context, 76)
	}
	var out strings.Builder
	row := func(name string, value any) {
		if bytes, ok := value.([]byte); ok {
			value = hex.EncodeToString(bytes)
		}
		fmt.Fprintf(&out, "| %s | `%s` |\n", name, value)
	}
	row("C", bytesOf(secret))
	row("KEY of KEYC", exampleCollectKey)
	row("KEYC", linkOf(exampleCollectKey, secret))
	row("base of C", collect)
	row("seed", derived(collect, "key pair", 32))
	row("first 32 bytes of the public key", public[:32])
	row("last 32 bytes of the public key", public[len(public)-32:])
	row("SHA-256 of the public key", sum(public))
	row("collect proof", collectProof)
	row("SHA-256 of the collect proof", sum(collectProof))
	row("title", card.Title)
	row("note", card.Note)
	row("latest time", latest.Format(time.RFC3339))
	row("protobuf", raw[request.HeadSize:])
	row("salt of the card", raw[7:39])
	row("length of the card", unhexed(fmt.Sprintf("%08x", len(raw))))
	row("SHA-256 of the card", sum(raw))
	row("R", r)
	row("KEY of KEYR", exampleKey)
	row("KEYR", linkOf(exampleKey, asked.Secret()))
	row("base of R", base)
	row("card key", derived(base, "card", 32))
	row("link proof", linkProof)
	row("SHA-256 of the link proof", sum(linkProof))
	row("salt of the card message", message[:24])
	row("commitment of the card message", chunkOf(derived(base, "card", 32), "hush.v1 request", message)[44:])
	row("link box key", derived(collect, "request link", 32))
	row("salt of the link box", box[:24])
	row("commitment of the link box", chunkOf(derived(collect, "request link", 32), "hush.v1 request link", box)[44:])
	row("link box", box)
	row("A", number[:])
	row("K", bytesOf(k))
	row("name", name)
	row("info", info)
	row("what is sealed, without the zeros", slices.Concat([]byte{0, 0, 0, byte(len(used))}, used))
	row("shared secret", shared)
	row("key of HPKE", key)
	row("nonce of HPKE", nonce)
	for _, long := range []struct {
		name  string
		value []byte
	}{{"card message", message}, {"sealed link", sealed}} {
		fmt.Fprintf(&out, "\nThe %s:\n\n```text\n", long.name)
		for line := range slices.Chunk(long.value, 48) {
			fmt.Fprintf(&out, "%x\n", line)
		}
		out.WriteString("```\n")
	}
	t.Log("\n" + out.String())
}

// linkOf returns the fragment of a link.
func linkOf(key string, secret endtoend.LinkSecret) string {
	token, _ := seal.ParseToken(key)
	return endtoend.Link{Key: token, Secret: secret}.Expose()
}
