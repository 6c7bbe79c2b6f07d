package seal_test

import (
	"bytes"
	"strings"
	"testing"

	"hush/seal"
)

func isForeign(c rune) bool { return !strings.ContainsRune(alphabet36, c) }

// Exactly 31 characters of the alphabet are a token, and an accepted one is written the way it was read.
func FuzzParseToken(f *testing.F) {
	f.Add("k7d2m9x4q1w8e5r3t6y0u2i4oyw3v28")
	f.Add("K7d2m9x4q1w8e5r3t6y0u2i4oyw3v28")
	f.Add("")
	f.Fuzz(func(t *testing.T, s string) {
		token, ok := seal.ParseToken(s)
		if want := len(s) == 31 && !strings.ContainsFunc(s, isForeign); ok != want {
			t.Errorf("ParseToken(%q): got %v, want %v", s, ok, want)
		}
		if ok && token.Expose() != s {
			t.Errorf("ParseToken(%q): got %q, want the same", s, token.Expose())
		}
	})
}

// An accepted root key is written as its digits in lower case and a newline,
// which parse to the same key.
func FuzzParseRootKey(f *testing.F) {
	f.Add([]byte(goodRoot + "\n"))
	f.Add([]byte(strings.ToUpper(goodRoot)))
	f.Add([]byte(strings.Repeat("00", 32)))
	f.Fuzz(func(t *testing.T, text []byte) {
		root, err := seal.ParseRootKey(text)
		if err != nil {
			return
		}
		want := append(bytes.ToLower(bytes.TrimSpace(text)), '\n')
		if !bytes.Equal(root.Text(), want) {
			t.Errorf("ParseRootKey(%q): got %q, want %q", text, root.Text(), want)
		}
		if again, err := seal.ParseRootKey(root.Text()); err != nil || !bytes.Equal(again.Text(), want) {
			t.Errorf("ParseRootKey(Text()): got %v, want the same key", err)
		}
	})
}

// Bytes that were never sealed do not open, and sealed ones open to what they
// were, under their own header alone.
func FuzzOpen(f *testing.F) {
	key := sampleParts().secretKey()
	f.Add([]byte("header"), []byte("plaintext"))
	f.Add([]byte{}, make([]byte, 28))
	f.Add([]byte{}, make([]byte, 284))
	f.Fuzz(func(t *testing.T, header, data []byte) {
		got, err := key.Open(header, data)
		wantBroken(t, "Open(arbitrary bytes)", got, err)
		sealed := key.Seal(header, data)
		got, err = key.Open(header, sealed)
		if err != nil || !bytes.Equal(got, data) {
			t.Errorf("Open(Seal(%q)): got %q, %v, want the same", data, got, err)
		}
		got, err = key.Open(append(header, 0), sealed)
		wantBroken(t, "Open(longer header)", got, err)
	})
}

// An authentic box opens only if it is exactly what its plaintext pads to.
func FuzzOpenPadding(f *testing.F) {
	key := sampleParts().secretKey()
	f.Add(append([]byte{0, 0, 0, 1, 'a'}, make([]byte, 251)...))
	f.Add([]byte{0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, padded []byte) {
		plaintext, err := key.Open(nil, key.SealPadded(nil, padded))
		if err != nil {
			wantBroken(t, "Open(padded)", plaintext, err)
			return
		}
		want := make([]byte, seal.PaddedSize(len(plaintext))-28)
		want[0], want[1] = byte(len(plaintext)>>24), byte(len(plaintext)>>16)
		want[2], want[3] = byte(len(plaintext)>>8), byte(len(plaintext))
		copy(want[4:], plaintext)
		if !bytes.Equal(padded, want) {
			t.Errorf("Open(padded %x): got %q, want it refused", padded, plaintext)
		}
	})
}

// As FuzzOpen, with the label in the place of the header.
func FuzzOpenMetadata(f *testing.F) {
	p := sampleParts()
	token, keys := mustToken(p.token), p.keys()
	f.Add("label", []byte("plaintext"))
	f.Add("", make([]byte, 28))
	f.Fuzz(func(t *testing.T, label string, data []byte) {
		got, err := keys.OpenMetadata(token, p.row, label, data)
		wantBroken(t, "OpenMetadata(arbitrary bytes)", got, err)
		sealed := keys.SealMetadata(token, p.row, label, data)
		got, err = keys.OpenMetadata(token, p.row, label, sealed)
		if err != nil || !bytes.Equal(got, data) {
			t.Errorf("OpenMetadata(SealMetadata(%q)): got %q, %v, want the same", data, got, err)
		}
		got, err = keys.OpenMetadata(token, p.row, label+"\x00", sealed)
		wantBroken(t, "OpenMetadata(longer label)", got, err)
	})
}
