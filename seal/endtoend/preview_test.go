package endtoend_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"hush/seal/chunked"
	"hush/seal/endtoend"
)

func samplePreview() endtoend.Preview {
	return endtoend.Preview{
		Kind: endtoend.KindFile, FileName: "backup 🔑.zip", Size: 21_474_836_481, Count: 12, Note: "As asked.\n\nThe newest is last.",
	}
}

func mustSealPreview(t testing.TB, secret endtoend.LinkSecret, p endtoend.Preview) []byte {
	t.Helper()
	sealed, err := endtoend.SealPreview(secret, p)
	if err != nil {
		t.Fatalf("SealPreview(%+v): got %v, want nil", p, err)
	}
	return sealed
}

func TestPreviewRoundTrip(t *testing.T) {
	secret := endtoend.NewLinkSecret()
	for _, test := range []struct {
		preview endtoend.Preview
		size    int
	}{
		{endtoend.Preview{Kind: endtoend.KindText}, 328},
		{samplePreview(), 328},
		{endtoend.Preview{Kind: endtoend.KindFile, Note: strings.Repeat("\n", endtoend.NoteMax)}, 584},
		{endtoend.Preview{
			Kind: endtoend.KindFile, FileName: strings.Repeat("😀", 255), Size: 1<<51 - 1, Count: 1<<32 - 1,
			Note: strings.Repeat("😀", endtoend.NoteMax),
		}, 3144},
	} {
		sealed := mustSealPreview(t, secret, test.preview)
		if len(sealed) != test.size {
			t.Errorf("SealPreview(%+v): got %d bytes, want %d", test.preview, len(sealed), test.size)
		}
		if got, err := endtoend.OpenPreview(secret, sealed); err != nil || got != test.preview {
			t.Errorf("OpenPreview: got %+v, %v, want %+v", got, err, test.preview)
		}
	}
}

func TestPreviewsThatNoDeviceWrites(t *testing.T) {
	for name, change := range map[string]func(*endtoend.Preview){
		"no kind":              func(p *endtoend.Preview) { p.Kind = 0 },
		"unknown kind":         func(p *endtoend.Preview) { p.Kind = 3 },
		"folder":               func(p *endtoend.Preview) { p.FileName = "a/b" },
		"parent":               func(p *endtoend.Preview) { p.FileName = ".." },
		"line in a name":       func(p *endtoend.Preview) { p.FileName = "a\nb" },
		"long name":            func(p *endtoend.Preview) { p.FileName = strings.Repeat("x", 256) },
		"huge":                 func(p *endtoend.Preview) { p.Size = 1 << 51 },
		"long note":            func(p *endtoend.Preview) { p.Note = strings.Repeat("x", endtoend.NoteMax+1) },
		"long note in lines":   func(p *endtoend.Preview) { p.Note = strings.Repeat("x\n", endtoend.NoteMax/2+1) },
		"control in a note":    func(p *endtoend.Preview) { p.Note = "a\x1b[31m" },
		"tab in a note":        func(p *endtoend.Preview) { p.Note = "a\tb" },
		"carriage return":      func(p *endtoend.Preview) { p.Note = "a\r\nb" },
		"direction of text":    func(p *endtoend.Preview) { p.Note = "gpj.\u202eexe" },
		"separator of lines":   func(p *endtoend.Preview) { p.Note = "a\u2028b" },
		"note that is no text": func(p *endtoend.Preview) { p.Note = "\xff" },
	} {
		p := samplePreview()
		change(&p)
		if sealed, err := endtoend.SealPreview(endtoend.NewLinkSecret(), p); !errors.Is(err, endtoend.ErrHeader) || sealed != nil {
			t.Errorf("SealPreview with %s: got %d bytes, %v, want none, %v", name, len(sealed), err, endtoend.ErrHeader)
		}
	}
}

// The secret of the link opens a preview, and nothing else does: no other link, and no key
// of the content, whose passphrase the recipient has not typed yet.
func TestOtherSecretsOpenNoPreview(t *testing.T) {
	secret := endtoend.NewLinkSecret()
	sealed := mustSealPreview(t, secret, samplePreview())
	if _, err := endtoend.OpenPreview(endtoend.NewLinkSecret(), sealed); !errors.Is(err, endtoend.ErrContent) {
		t.Errorf("OpenPreview with another link: got %v, want %v", err, endtoend.ErrContent)
	}
	keys, err := endtoend.Derive(secret, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := opened(keys, sealed); !errors.Is(err, endtoend.ErrContent) {
		t.Errorf("Open of a preview: got %v, want %v", err, endtoend.ErrContent)
	}
	content, err := chunked.Seal(endtoend.PreviewKey(secret), []byte("hush.v1 content"), make([]byte, 256))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := endtoend.OpenPreview(secret, content); !errors.Is(err, endtoend.ErrContent) {
		t.Errorf("OpenPreview under the context of contents: got %v, want %v", err, endtoend.ErrContent)
	}
}

func TestAlteredPreviews(t *testing.T) {
	secret := endtoend.NewLinkSecret()
	sealed := mustSealPreview(t, secret, samplePreview())
	for i := range sealed {
		spoiled := bytes.Clone(sealed)
		spoiled[i] ^= 1
		for _, spoiled := range [][]byte{spoiled, sealed[:i]} {
			if got, err := endtoend.OpenPreview(secret, spoiled); !errors.Is(err, endtoend.ErrContent) || got != (endtoend.Preview{}) {
				t.Errorf("OpenPreview, byte %d of %d altered: got %+v, %v, want none, %v", i, len(spoiled), got, err, endtoend.ErrContent)
			}
		}
	}
	if _, err := endtoend.OpenPreview(secret, append(bytes.Clone(sealed), 0)); !errors.Is(err, endtoend.ErrContent) {
		t.Errorf("OpenPreview with a byte more: got %v, want %v", err, endtoend.ErrContent)
	}
}

// What a device writes that follows other rules is not shown, although the key fits.
func TestForgedPreviews(t *testing.T) {
	secret := endtoend.NewLinkSecret()
	good := []byte{0, 0, 0, 7, 8, 2, 18, 1, 'a', 24, 5}
	padded := func(size int) []byte { return append(slices.Clip(good), make([]byte, size-len(good))...) }
	spoilt := func(at int, value byte) []byte {
		plain := padded(256)
		plain[at] = value
		return plain
	}
	for name, forged := range map[string]struct {
		plain []byte
		want  error
	}{
		"good":              {padded(256), nil},
		"field of later":    {append([]byte{0, 0, 0, 9, 8, 2, 18, 1, 'a', 24, 5, 48, 1}, make([]byte, 243)...), nil},
		"no padding":        {good, endtoend.ErrSize},
		"short padding":     {padded(255), endtoend.ErrSize},
		"long padding":      {padded(257), endtoend.ErrSize},
		"padding":           {spoilt(11, 1), endtoend.ErrSize},
		"last byte":         {spoilt(255, 1), endtoend.ErrSize},
		"nothing":           {nil, endtoend.ErrSize},
		"half a length":     {good[:3], endtoend.ErrSize},
		"cut":               {good[:9], endtoend.ErrSize},
		"beyond the end":    {spoilt(2, 1), endtoend.ErrSize},
		"beyond the limit":  {spoilt(1, 1), endtoend.ErrHeader},
		"no kind":           {make([]byte, 256), endtoend.ErrHeader},
		"other kind":        {spoilt(5, 9), endtoend.ErrHeader},
		"folder":            {spoilt(8, '/'), endtoend.ErrHeader},
		"name not in UTF-8": {spoilt(8, 0xff), endtoend.ErrHeader},
		"no protobuf":       {spoilt(4, 0xff), endtoend.ErrHeader},
		"too long":          {make([]byte, 4096), endtoend.ErrSize},
	} {
		sealed, err := chunked.Seal(endtoend.PreviewKey(secret), []byte("hush.v1 preview"), forged.plain)
		if err != nil {
			t.Fatal(err)
		}
		got, err := endtoend.OpenPreview(secret, sealed)
		if !errors.Is(err, forged.want) || err != nil && got != (endtoend.Preview{}) {
			t.Errorf("OpenPreview with %s: got %+v, %v, want %v", name, got, err, forged.want)
		}
	}
}

// FuzzPreview opens what anyone who has the link may seal. What is accepted is a preview
// that a device would write, and is sealed and opened as the same one again.
func FuzzPreview(f *testing.F) {
	f.Add([]byte{0, 0, 0, 7, 8, 2, 18, 1, 'a', 24, 5}, true)
	f.Add([]byte{0, 0, 0, 4, 8, 1, 42, 0}, true)
	f.Add([]byte{0, 0, 0, 5, 8, 1, 42, 1, '\n'}, true)
	f.Add(make([]byte, 256), false)
	secret := endtoend.NewLinkSecret()
	f.Fuzz(func(t *testing.T, plain []byte, pad bool) {
		if pad {
			plain = append(bytes.Clone(plain), make([]byte, int(endtoend.Padded(uint64(len(plain))))-len(plain))...)
		}
		sealed, err := chunked.Seal(endtoend.PreviewKey(secret), []byte("hush.v1 preview"), plain)
		if err != nil {
			t.Fatal(err)
		}
		got, err := endtoend.OpenPreview(secret, sealed)
		if err != nil {
			return
		}
		if again, err := endtoend.OpenPreview(secret, mustSealPreview(t, secret, got)); err != nil || again != got {
			t.Errorf("OpenPreview of the preview that was accepted: got %+v, %v, want %+v", again, err, got)
		}
	})
}
