package endtoend_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"hush/seal/chunked"
	"hush/seal/endtoend"
)

func derive(t testing.TB, passphrase string) endtoend.Keys {
	t.Helper()
	keys, err := endtoend.Derive(endtoend.NewLinkSecret(), passphrase)
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

func sealed(t testing.TB, keys endtoend.Keys, h endtoend.Header, body []byte) []byte {
	t.Helper()
	var content bytes.Buffer
	if err := keys.Seal(&content, h, bytes.NewReader(body)); err != nil {
		t.Fatalf("Seal(%d bytes): got %v, want nil", len(body), err)
	}
	return content.Bytes()
}

func opened(keys endtoend.Keys, content []byte) (endtoend.Header, []byte, error) {
	c, err := keys.Open(iotest.HalfReader(bytes.NewReader(content)))
	if err != nil {
		return endtoend.Header{}, nil, err
	}
	body, err := io.ReadAll(c)
	return c.Header, body, err
}

func text(size int) endtoend.Header {
	return endtoend.Header{Kind: endtoend.KindText, Size: uint64(size)}
}

func TestContentRoundTrip(t *testing.T) {
	keys := derive(t, "")
	for _, size := range []int{0, 1, 200, 245, 246, 247, 248, 1000, 16380, 102_400, 1 << 20} {
		for _, h := range []endtoend.Header{
			text(size),
			{Kind: endtoend.KindFile, FileName: "Schlüssel 🔑.env", MediaType: "text/plain; charset=utf-8", Size: uint64(size)},
			{Kind: endtoend.KindFile, FileName: strings.Repeat("😀", 255), MediaType: strings.Repeat("x", 127), Size: uint64(size)},
		} {
			body := bytes.Repeat([]byte("x"), size)
			content := sealed(t, keys, h, body)
			if want, err := endtoend.SealedSize(h); want != int64(len(content)) || err != nil {
				t.Errorf("SealedSize(%d bytes): got %d, %v, want %d", size, want, err, len(content))
			}
			if gotHeader, got, err := opened(keys, content); err != nil || gotHeader != h || !bytes.Equal(got, body) {
				t.Errorf("Open of %d bytes: got %d bytes, %v, want the same content", size, len(got), err)
			}
		}
	}
}

// The sizes that the limits of a server are made of.
func TestSizesOfTexts(t *testing.T) {
	for size, want := range map[int]int64{0: 328, 1: 328, 246: 328, 102_400: 104_616, 1 << 20: 1_082_472} {
		if got, err := endtoend.SealedSize(text(size)); got != want || err != nil {
			t.Errorf("SealedSize(text of %d bytes): got %d, %v, want %d", size, got, err, want)
		}
	}
}

func TestOtherKeysOpenNothing(t *testing.T) {
	secret := endtoend.NewLinkSecret()
	with := func(passphrase string) endtoend.Keys {
		keys, err := endtoend.Derive(secret, passphrase)
		if err != nil {
			t.Fatal(err)
		}
		return keys
	}
	content := sealed(t, with("otter"), text(5), []byte("value"))
	for _, other := range []endtoend.Keys{with(""), with("otter "), with("Otter"), derive(t, "otter")} {
		if _, _, err := opened(other, content); !errors.Is(err, endtoend.ErrContent) {
			t.Errorf("Open with other keys: got %v, want %v", err, endtoend.ErrContent)
		}
	}
	if with("").LinkProof() != with("otter").LinkProof() || with("").LinkProof() != endtoend.LinkProof(secret) {
		t.Error("LinkProof: got others for one link, want the same")
	}
	if with("").Proof() == with("otter").Proof() {
		t.Error("Proof: got the same without and with a passphrase, want others")
	}
}

// "é" is one character or two, by the keyboard that it was typed on.
func TestComposedPassphrases(t *testing.T) {
	secret := endtoend.NewLinkSecret()
	composed, err := endtoend.Derive(secret, "caf\u00e9")
	decomposed, again := endtoend.Derive(secret, "cafe\u0301")
	if err = errors.Join(err, again); err != nil || composed.Proof() != decomposed.Proof() {
		t.Errorf("Derive: got other proofs for one text, or %v, want the same", err)
	}
	if _, err := endtoend.Derive(secret, "caf\xe9"); !errors.Is(err, endtoend.ErrPassphrase) {
		t.Errorf("Derive of invalid UTF-8: got %v, want %v", err, endtoend.ErrPassphrase)
	}
}

func TestHeadersThatNoDeviceWrites(t *testing.T) {
	keys := derive(t, "")
	for name, h := range map[string]endtoend.Header{
		"no kind":       {},
		"unknown kind":  {Kind: 3},
		"folder":        {Kind: endtoend.KindFile, FileName: "a/b"},
		"backslash":     {Kind: endtoend.KindFile, FileName: `a\b`},
		"parent":        {Kind: endtoend.KindFile, FileName: ".."},
		"control":       {Kind: endtoend.KindFile, FileName: "a\x1b[31m"},
		"direction":     {Kind: endtoend.KindFile, FileName: "gpj.\u202eexe"},
		"line":          {Kind: endtoend.KindFile, FileName: "a\u2028b"},
		"invalid UTF-8": {Kind: endtoend.KindFile, FileName: "\xff"},
		"long name":     {Kind: endtoend.KindFile, FileName: strings.Repeat("x", 256)},
		"long type":     {Kind: endtoend.KindFile, MediaType: strings.Repeat("x", 128)},
		"huge":          {Kind: endtoend.KindFile, Size: 1 << 62},
	} {
		if err := keys.Seal(io.Discard, h, strings.NewReader("")); !errors.Is(err, endtoend.ErrHeader) {
			t.Errorf("Seal with %s: got %v, want %v", name, err, endtoend.ErrHeader)
		}
		if _, err := endtoend.SealedSize(h); !errors.Is(err, endtoend.ErrHeader) {
			t.Errorf("SealedSize with %s: got %v, want %v", name, err, endtoend.ErrHeader)
		}
	}
}

func TestBodyOfAnotherSize(t *testing.T) {
	keys := derive(t, "")
	for _, body := range []string{"", "1234", "123456"} {
		if err := keys.Seal(io.Discard, text(5), strings.NewReader(body)); !errors.Is(err, endtoend.ErrSize) {
			t.Errorf("Seal of %d bytes as 5: got %v, want %v", len(body), err, endtoend.ErrSize)
		}
	}
}

// A device that writes something else than this one is not believed, although the
// keys fit.
func TestForgedContents(t *testing.T) {
	keys := derive(t, "")
	good := []byte{0, 0, 0, 4, 0x08, 1, 0x20, 5, 'v', 'a', 'l', 'u', 'e'}
	pad := func(bytes []byte, size int) []byte {
		return append(slices.Clip(bytes), make([]byte, size-len(bytes))...)
	}
	spoil := func(at int, value byte) []byte {
		spoiled := pad(good, 256)
		spoiled[at] = value
		return spoiled
	}
	for name, forged := range map[string]struct {
		content []byte
		want    error
	}{
		"good":             {pad(good, 256), nil},
		"no padding":       {good, endtoend.ErrSize},
		"short padding":    {pad(good, 255), endtoend.ErrSize},
		"long padding":     {pad(good, 257), endtoend.ErrSize},
		"padding":          {spoil(13, 1), endtoend.ErrSize},
		"last byte":        {spoil(255, 1), endtoend.ErrSize},
		"longer body":      {spoil(7, 6), nil}, // a zero of the padding
		"body beyond":      {spoil(7, 0x7f), nil},
		"header beyond":    {spoil(1, 1), endtoend.ErrHeader},
		"other kind":       {spoil(5, 9), endtoend.ErrHeader},
		"no protobuf":      {spoil(4, 0xff), endtoend.ErrHeader},
		"nothing":          {nil, endtoend.ErrSize},
		"length alone":     {good[:4], endtoend.ErrSize},
		"half a header":    {good[:6], endtoend.ErrSize},
		"body is cut":      {good[:10], endtoend.ErrSize},
		"without a header": {make([]byte, 256), endtoend.ErrHeader},
	} {
		content, err := chunked.Seal(endtoend.ContentKey(keys), []byte("hush.v1 content"), forged.content)
		if err != nil {
			t.Fatal(err)
		}
		if _, body, err := opened(keys, content); !errors.Is(err, forged.want) {
			t.Errorf("Open with %s: got %q, %v, want %v", name, body, err, forged.want)
		}
	}
}

func FuzzContent(f *testing.F) {
	f.Add([]byte("otter"), "name", uint32(100), byte(1))
	f.Add([]byte{}, "", uint32(0), byte(0))
	f.Fuzz(func(t *testing.T, body []byte, name string, at uint32, change byte) {
		keys := derive(t, "")
		h := endtoend.Header{Kind: endtoend.KindFile, FileName: name, Size: uint64(len(body))}
		var content bytes.Buffer
		if err := keys.Seal(&content, h, bytes.NewReader(body)); errors.Is(err, endtoend.ErrHeader) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		if gotHeader, got, err := opened(keys, content.Bytes()); err != nil || gotHeader != h || !bytes.Equal(got, body) {
			t.Fatalf("Open: got %d bytes, %v, want the same content", len(got), err)
		}
		spoiled, place := content.Bytes(), int(at)%content.Len()
		if change == 0 {
			spoiled = spoiled[:place]
		} else {
			spoiled[place] ^= change
		}
		if _, _, err := opened(keys, spoiled); err == nil {
			t.Errorf("Open with byte %d changed by %#x: got nil, want an error", place, change)
		}
	})
}
