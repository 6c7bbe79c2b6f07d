package endtoend_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"strings"
	"testing"

	"hush/seal"
	"hush/seal/endtoend"
)

var update = flag.Bool("update", false, "write testdata/go.json anew")

// vector is a content that one implementation wrote and the other one reads.
// testdata/go.json is from this package, testdata/browser.json from
// web/src/endtoend.
type vector struct {
	Name       string `json:"name"`
	Link       string `json:"link"`
	Passphrase string `json:"passphrase"`
	LinkProof  []byte `json:"linkProof"`
	Proof      []byte `json:"proof"`
	ContentKey []byte `json:"contentKey"`
	File       bool   `json:"file"`
	FileName   string `json:"fileName"`
	MediaType  string `json:"mediaType"`
	Body       []byte `json:"body"`
	Content    []byte `json:"content"`
}

func (v vector) header() endtoend.Header {
	h := endtoend.Header{Kind: endtoend.KindText, FileName: v.FileName, MediaType: v.MediaType, Size: uint64(len(v.Body))}
	if v.File {
		h.Kind = endtoend.KindFile
	}
	return h
}

func (v vector) keys(t *testing.T) endtoend.Keys {
	t.Helper()
	link, err := endtoend.ParseLink(v.Link)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := endtoend.Derive(link.Secret, v.Passphrase)
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// cases are texts of every awkward kind, and files.
func cases() []vector {
	return []vector{
		{Name: "empty"},
		{Name: "text", Body: []byte("value")},
		{Name: "text with a passphrase", Passphrase: "otter", Body: []byte("value")},
		{Name: "passphrase in decomposed Unicode", Passphrase: "cafe\u0301 \U0001f511", Body: []byte("value")},
		{Name: "passphrase of spaces", Passphrase: "  ", Body: []byte("value")},
		{Name: "bytes that mean something elsewhere", Body: []byte("\x00\r\n\x1b[31m\ufeff\u202e<script>alert(1)</script>\u2028")},
		{Name: "many scripts", Body: []byte("Schlüssel, ключ, κλειδί, מפתח, 🔑👩‍👩‍👧")},
		{Name: "not UTF-8", File: true, FileName: "key.der", MediaType: "application/octet-stream", Body: []byte{0xff, 0xfe, 0}},
		{Name: "file", File: true, FileName: ".env", MediaType: "text/plain", Passphrase: "otter", Body: []byte("A=1\nB=2\n")},
		{Name: "long file name", File: true, FileName: strings.Repeat("😀", 255), Body: []byte("x")},
		{Name: "end of the first padding", Body: bytes.Repeat([]byte("x"), 247)},
		{Name: "a chunk", Body: bytes.Repeat([]byte("otter "), 2728)},
		{Name: "several chunks", File: true, FileName: "otters.txt", Body: bytes.Repeat([]byte("otter "), 7000)},
	}
}

// writeVectors writes testdata/go.json anew.
func writeVectors(t *testing.T) {
	t.Helper()
	vectors := cases()
	for i := range vectors {
		v := &vectors[i]
		key, _ := seal.ParseToken(testKey)
		v.Link = endtoend.Link{Key: key, Secret: endtoend.NewLinkSecret()}.Expose()
		keys := v.keys(t)
		linkProof, proof := keys.LinkProof(), keys.Proof()
		v.LinkProof, v.Proof, v.ContentKey = linkProof[:], proof[:], bytes.Clone(endtoend.ContentKey(keys))
		v.Content = sealed(t, keys, v.header(), v.Body)
	}
	text, err := json.MarshalIndent(vectors, "", " ")
	if err = errors.Join(err, os.WriteFile("testdata/go.json", append(text, '\n'), 0o644)); err != nil {
		t.Fatal(err)
	}
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
			keys := v.keys(t)
			linkProof, proof := keys.LinkProof(), keys.Proof()
			if !bytes.Equal(linkProof[:], v.LinkProof) || !bytes.Equal(proof[:], v.Proof) || !bytes.Equal(endtoend.ContentKey(keys), v.ContentKey) {
				t.Errorf("%s: %s: got other keys, want those of the vector", file, v.Name)
			}
			if h, body, err := opened(keys, v.Content); err != nil || h != v.header() || !bytes.Equal(body, v.Body) {
				t.Errorf("%s: %s: got %d bytes under %+v, %v, want %d bytes", file, v.Name, len(body), h, err, len(v.Body))
			}
		}
	}
}
