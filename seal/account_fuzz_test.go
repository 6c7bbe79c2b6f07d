package seal_test

import (
	"bytes"
	"encoding/base64"
	"strings"
	"testing"

	"hush/seal"
)

// Exactly 40 lower-case hexadecimal digits are an API token, and an accepted
// one is written the way it was read.
func FuzzParseAPIToken(f *testing.F) {
	f.Add(sampleAPIToken)
	f.Add(strings.ToUpper("a" + sampleAPIToken[1:]))
	f.Add("")
	f.Fuzz(func(t *testing.T, s string) {
		token, ok := seal.ParseAPIToken(s)
		foreign := func(c rune) bool { return !strings.ContainsRune("0123456789abcdef", c) }
		if want := len(s) == 40 && !strings.ContainsFunc(s, foreign); ok != want {
			t.Errorf("ParseAPIToken(%q): got %v, want %v", s, ok, want)
		}
		if ok && token.Expose() != s {
			t.Errorf("ParseAPIToken(%q): got %q, want the same", s, token.Expose())
		}
	})
}

// A session's id has one spelling, that of 32 bytes, whichever bytes come in.
func FuzzParseSessionID(f *testing.F) {
	f.Add(sampleSession)
	f.Add(sampleSession[:42] + "9")
	f.Add(sampleSession + "=")
	f.Add(sampleSession[:42] + "\n")
	f.Fuzz(func(t *testing.T, s string) {
		id, ok := seal.ParseSessionID(s)
		raw, err := base64.RawURLEncoding.DecodeString(s)
		want := err == nil && len(raw) == 32 && base64.RawURLEncoding.EncodeToString(raw) == s
		if ok != want {
			t.Errorf("ParseSessionID(%q): got %v, want %v", s, ok, want)
		}
		if ok && id.Expose() != s {
			t.Errorf("ParseSessionID(%q): got %q, want the same", s, id.Expose())
		}
	})
}

// Bytes that were never sealed do not open, and sealed ones open to what they
// were, under their own label and row alone.
func FuzzOpenField(f *testing.F) {
	keys := sampleParts().keys()
	f.Add("label", []byte("row"), []byte("plaintext"))
	f.Add("", []byte{}, make([]byte, 28))
	f.Add("", []byte{}, make([]byte, 60))
	f.Fuzz(func(t *testing.T, label string, row, data []byte) {
		got, err := keys.OpenField(label, row, data)
		wantBroken(t, "OpenField(arbitrary bytes)", got, err)
		sealed := keys.SealField(label, row, data)
		got, err = keys.OpenField(label, row, sealed)
		if err != nil || !bytes.Equal(got, data) {
			t.Errorf("OpenField(SealField(%q)): got %q, %v, want the same", data, got, err)
		}
		got, err = keys.OpenField(label+"\x00", row, sealed)
		wantBroken(t, "OpenField(longer label)", got, err)
		got, err = keys.OpenField(label, append(bytes.Clone(row), 0), sealed)
		wantBroken(t, "OpenField(longer row)", got, err)
	})
}

// An authentic field opens only if it is exactly what its plaintext pads to.
func FuzzOpenFieldPadding(f *testing.F) {
	keys := sampleParts().keys()
	f.Add(append([]byte{0, 0, 0, 1, 'a'}, make([]byte, 27)...))
	f.Add([]byte{0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, padded []byte) {
		plaintext, err := keys.OpenField("", nil, keys.SealFieldPadded("", nil, padded))
		if err != nil {
			wantBroken(t, "OpenField(padded)", plaintext, err)
			return
		}
		n := len(plaintext)
		want := make([]byte, (4+n+31)/32*32)
		copy(want, []byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)})
		copy(want[4:], plaintext)
		if !bytes.Equal(padded, want) {
			t.Errorf("OpenField(padded %x): got %q, want it refused", padded, plaintext)
		}
	})
}

// An entry opens to a token only if it is an entry sealed to this key for this
// row, byte for byte.
func FuzzOpenEntry(f *testing.F) {
	v, key := readAccountVectors(f), sampleAccountKey()
	row, entry, token := seal.RowKey(v.EntryRow), []byte(v.EntrySealed), mustToken(v.Token)
	f.Add(entry)
	f.Add(entry[:32])
	f.Add(make([]byte, 79))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := key.OpenEntry(row, data)
		if bytes.Equal(data, entry) {
			if err != nil || got != token {
				t.Errorf("OpenEntry(entry): got the token: %v, %v, want it", got == token, err)
			}
			return
		}
		wantNoToken(t, "OpenEntry(arbitrary bytes)", got, err)
	})
}

// Bytes that were never wrapped are no key, and a wrapped key comes back under
// its own label alone.
func FuzzUnwrapAccountKey(f *testing.F) {
	keys, holder, key := sampleParts().keys(), mustSession(sampleSession).WrappingSecret(), sampleAccountKey()
	f.Add([]byte("label"), make([]byte, 60))
	f.Add([]byte{}, make([]byte, 28))
	f.Fuzz(func(t *testing.T, label, data []byte) {
		_, err := keys.UnwrapAccountKey(holder, label, data)
		wantNoKey(t, "UnwrapAccountKey(arbitrary bytes)", err)
		wrapped := keys.WrapAccountKey(holder, label, key)
		got, err := keys.UnwrapAccountKey(holder, label, wrapped)
		wantKey(t, "UnwrapAccountKey(wrapped)", got, err, key.Public())
		_, err = keys.UnwrapAccountKey(holder, append(bytes.Clone(label), 0), wrapped)
		wantNoKey(t, "UnwrapAccountKey(longer label)", err)
	})
}
