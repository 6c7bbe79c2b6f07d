package request_test

import (
	"bytes"
	"crypto/hpke"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"hush/seal/endtoend"
	"hush/seal/request"
)

var update = flag.Bool("update", false, "write testdata/go.json anew, and print another example")

// vector is a request and one of its answers, which one implementation wrote and the
// other one reads. testdata/go.json is from this package, testdata/browser.json from
// web/src/requests.
type vector struct {
	Name         string          `json:"name"`
	C            []byte          `json:"c"`
	Title        string          `json:"title"`
	Note         string          `json:"note"`
	Kinds        []endtoend.Kind `json:"kinds"`
	Latest       int64           `json:"latest"`
	Answers      int             `json:"answers"`
	Seed         []byte          `json:"seed"`
	CollectProof []byte          `json:"collectProof"`
	Card         []byte          `json:"card"`
	R            []byte          `json:"r"`
	LinkProof    []byte          `json:"linkProof"`
	Message      []byte          `json:"message"`
	LinkBox      []byte          `json:"linkBox"`
	A            []byte          `json:"a"`
	K            []byte          `json:"k"`
	FileName     string          `json:"fileName"`
	Sealed       []byte          `json:"sealed"`
}

func (v vector) card() request.Card {
	return request.Card{Title: v.Title, Note: v.Note, Kinds: v.Kinds, Latest: time.Unix(v.Latest, 0), Answers: v.Answers}
}

// cases are requests of every awkward kind.
func cases() []vector {
	text, file := []endtoend.Kind{endtoend.KindText}, []endtoend.Kind{endtoend.KindFile}
	fileFirst := []endtoend.Kind{endtoend.KindFile, endtoend.KindText}
	return []vector{
		{Name: "text", Title: "Deploy key for staging", Kinds: text, Answers: 1},
		{Name: "file", Title: "AWS keys", Note: "As the console exports them.", Kinds: file, Answers: 3, FileName: "credentials.csv"},
		{Name: "both, the file first", Title: ".env", Note: "\nfirst\n\nlast\n", Kinds: fileFirst, Answers: 100, FileName: ".env"},
		{Name: "shortest", Title: "?", Kinds: text, Latest: 1, Answers: 1},
		{Name: "last second", Title: "In the year 9999", Kinds: text, Latest: lastTime.Unix(), Answers: 1},
		{Name: "many scripts", Title: "Schlüssel, ключ, κλειδί, מפתח, مفتاح", Note: "鍵 열쇠 चाबी กุญแจ\n🔑👩‍👩‍👧 cafe\u0301", Kinds: text, Answers: 2, FileName: "ключ מפתח 鍵 🔑.pem"}, //nolint:gosmopolitan // texts of all scripts
		{Name: "characters that mean something elsewhere", Title: "\ufeff<b>https://hush.example</b> \u200b", Note: "\ufeff<script>alert(1)</script>\n[a](javascript:1) %s \\n \"", Kinds: text, Answers: 1, FileName: "\ufeff<img src=x>%2e"},
		{Name: "longest in one byte a character", Title: strings.Repeat("t", request.TitleMax), Note: strings.Repeat("n", request.NoteMax), Kinds: text, Answers: 1, FileName: strings.Repeat("f", 255)},
		{Name: "longest in four bytes a character", Title: strings.Repeat("😀", request.TitleMax), Note: strings.Repeat("🔑", request.NoteMax), Kinds: fileFirst, Answers: 100, FileName: strings.Repeat("😀", request.NameMax/4)},
		{Name: "name that is shortened within a character", Title: "A long name", Kinds: file, Answers: 1, FileName: "a" + strings.Repeat("é", 237)},
	}
}

// sent are the names that devices give to answers, where they are not those that arrive.
func sent(v vector) string {
	if strings.HasPrefix(v.Name, "name that is shortened") {
		return v.FileName + "é.pem"
	}
	return v.FileName
}

// writeVectors writes testdata/go.json anew.
func writeVectors(t *testing.T) {
	t.Helper()
	vectors := cases()
	for i := range vectors {
		v := &vectors[i]
		if v.Latest == 0 {
			v.Latest = latest.Unix()
		}
		secret, k := endtoend.NewLinkSecret(), endtoend.NewLinkSecret()
		v.C, v.K = bytesOf(secret), bytesOf(k)
		c := request.NewCollector(secret)
		asked, err := c.Ask(v.card())
		if err != nil {
			t.Fatalf("%s: Ask: got %v, want nil", v.Name, err)
		}
		collectProof, linkProof := c.Proof(), request.LinkProof(asked.Secret())
		v.Seed, v.CollectProof = request.Seed(c), collectProof[:]
		v.Card, v.R, v.LinkProof = request.Raw(asked), bytesOf(asked.Secret()), linkProof[:]
		number := request.NewNumber()
		v.A = number[:]
		var errs [3]error
		v.Message, errs[0] = asked.Seal()
		v.LinkBox, errs[1] = c.SealLink(asked.Secret())
		v.Sealed, errs[2] = asked.SealAnswer(number, request.Answer{Secret: k, Name: sent(*v)})
		if err := errors.Join(errs[:]...); err != nil {
			t.Fatalf("%s: got %v, want nil", v.Name, err)
		}
	}
	text, err := json.MarshalIndent(vectors, "", " ")
	if err = errors.Join(err, os.MkdirAll("testdata", 0o755), os.WriteFile("testdata/go.json", append(text, '\n'), 0o644)); err != nil {
		t.Fatal(err)
	}
}

func bytesOf(secret endtoend.LinkSecret) []byte {
	bytes := secret.Expose()
	return bytes[:]
}

func TestVectors(t *testing.T) {
	if *update {
		writeVectors(t)
	}
	for _, file := range []string{"testdata/go.json", "testdata/browser.json"} {
		text, err := os.ReadFile(file)
		var vectors []vector
		if err = errors.Join(err, json.Unmarshal(text, &vectors)); err != nil {
			t.Fatal(err)
		}
		if len(vectors) < len(cases()) {
			t.Errorf("%s: got %d vectors, want %d", file, len(vectors), len(cases()))
		}
		for _, v := range vectors {
			t.Run(file+"/"+v.Name, v.want)
		}
	}
}

// want opens all of a vector.
func (v vector) want(t *testing.T) {
	r, c := endtoend.SecretOf([32]byte(v.R)), request.NewCollector(endtoend.SecretOf([32]byte(v.C)))
	collectProof, linkProof := c.Proof(), request.LinkProof(r)
	if !bytes.Equal(request.Seed(c), v.Seed) || !bytes.Equal(collectProof[:], v.CollectProof) || !bytes.Equal(linkProof[:], v.LinkProof) {
		t.Error("keys: got others, want those of the vector")
	}
	shown, err := request.Open(r, v.Message)
	if err != nil {
		t.Fatalf("Open: got %v, want nil", err)
	}
	wantCard(t, shown.Card, v.card())
	collected, err := c.Open(v.LinkBox, v.Message)
	if err != nil {
		t.Fatalf("Collector.Open: got %v, want nil", err)
	}
	if !bytes.Equal(request.Raw(collected), v.Card) {
		t.Error("Collector.Open: got another card, want that of the vector")
	}
	answer, err := c.OpenAnswer(collected, request.Number(v.A), v.Sealed)
	if err != nil || !bytes.Equal(bytesOf(answer.Secret), v.K) || answer.Name != v.FileName {
		t.Errorf("OpenAnswer: got the name %q, %v, want the secret and the name %q", answer.Name, err, v.FileName)
	}
}

// The seed is the private key of X-Wing itself, as in the vector of draft-ietf-hpke-pq
// that testdata/xwing.json has. DeriveKeyPair makes another key of it.
func TestSeedIsThePrivateKey(t *testing.T) {
	text, err := os.ReadFile("testdata/xwing.json")
	var v struct {
		Seed   string `json:"skRm"`
		Public string `json:"pkRm"`
	}
	if err = errors.Join(err, json.Unmarshal(text, &v)); err != nil {
		t.Fatal(err)
	}
	seed, err := hex.DecodeString(v.Seed)
	if err != nil {
		t.Fatal(err)
	}
	private, err := hpke.MLKEM768X25519().NewPrivateKey(seed)
	if err != nil {
		t.Fatal(err)
	}
	if got := hex.EncodeToString(private.PublicKey().Bytes()); got != v.Public {
		t.Errorf("NewPrivateKey: got the public key %.16s…, want %.16s…", got, v.Public)
	}
	other, err := hpke.MLKEM768X25519().DeriveKeyPair(seed)
	if err != nil {
		t.Fatal(err)
	}
	if hex.EncodeToString(other.PublicKey().Bytes()) == v.Public {
		t.Error("DeriveKeyPair: got the key of the seed, want another one")
	}
}
