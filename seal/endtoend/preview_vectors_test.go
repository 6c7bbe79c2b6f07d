package endtoend_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"hush/seal"
	"hush/seal/endtoend"
)

// previewVector is a preview that one implementation wrote and the other one reads.
// testdata/preview-go.json is from this package, testdata/preview-browser.json from
// web/src/endtoend.
type previewVector struct {
	Name       string `json:"name"`
	Link       string `json:"link"`
	PreviewKey []byte `json:"previewKey"`
	File       bool   `json:"file"`
	FileName   string `json:"fileName"`
	Size       uint64 `json:"size"`
	Count      uint32 `json:"count"`
	Note       string `json:"note"`
	Preview    []byte `json:"preview"`
}

func (v previewVector) preview() endtoend.Preview {
	p := endtoend.Preview{Kind: endtoend.KindText, FileName: v.FileName, Size: v.Size, Count: v.Count, Note: v.Note}
	if v.File {
		p.Kind = endtoend.KindFile
	}
	return p
}

// previewCases are previews of every awkward kind.
func previewCases() []previewVector {
	return []previewVector{
		{Name: "empty text"},
		{Name: "file", File: true, FileName: "backup.tar", Size: 21_474_836_481},
		{Name: "archive with a note", File: true, FileName: "files.zip", Size: 12_345, Count: 7, Note: "As asked.\n\nThe newest is last.\n"},
		{Name: "many scripts", File: true, FileName: "ключ מפתח 鍵 🔑.pem", Size: 1, Note: "Schlüssel, κλειδί\nمفتاح 👩‍👩‍👧 cafe\u0301"}, //nolint:gosmopolitan // texts of all scripts
		{Name: "characters that mean something elsewhere", File: true, FileName: "\ufeff<img src=x>%2e", Note: "\ufeff<script>alert(1)</script>\n[a](javascript:1) \""},
		{Name: "longest", File: true, FileName: strings.Repeat("😀", 255), Size: 1<<51 - 1, Count: 1<<32 - 1, Note: strings.Repeat("🔑", endtoend.NoteMax)},
		{Name: "end of the first padding", File: true, Note: strings.Repeat("n", 247)},
		{Name: "one byte more", File: true, Note: strings.Repeat("n", 248)},
	}
}

// writePreviewVectors writes testdata/preview-go.json anew.
func writePreviewVectors(t *testing.T) {
	t.Helper()
	vectors := previewCases()
	for i := range vectors {
		v := &vectors[i]
		key, _ := seal.ParseToken(testKey)
		link := endtoend.Link{Key: key, Secret: endtoend.NewLinkSecret()}
		v.Link, v.PreviewKey = link.Expose(), endtoend.PreviewKey(link.Secret)
		v.Preview = mustSealPreview(t, link.Secret, v.preview())
	}
	text, err := json.MarshalIndent(vectors, "", " ")
	if err = errors.Join(err, os.WriteFile("testdata/preview-go.json", append(text, '\n'), 0o644)); err != nil {
		t.Fatal(err)
	}
}

func TestPreviewVectors(t *testing.T) {
	if *update {
		writePreviewVectors(t)
	}
	for _, file := range []string{"testdata/preview-go.json", "testdata/preview-browser.json"} {
		text, err := os.ReadFile(file)
		var vectors []previewVector
		if err = errors.Join(err, json.Unmarshal(text, &vectors)); err != nil {
			t.Fatal(err)
		}
		if len(vectors) < len(previewCases()) {
			t.Errorf("%s: got %d vectors, want %d", file, len(vectors), len(previewCases()))
		}
		for _, v := range vectors {
			link, err := endtoend.ParseLink(v.Link)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(endtoend.PreviewKey(link.Secret), v.PreviewKey) {
				t.Errorf("%s: %s: got another key, want that of the vector", file, v.Name)
			}
			if got, err := endtoend.OpenPreview(link.Secret, v.Preview); err != nil || got != v.preview() {
				t.Errorf("%s: %s: got %+v, %v, want %+v", file, v.Name, got, err, v.preview())
			}
		}
	}
}
