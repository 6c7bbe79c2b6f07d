package seal_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"math/big"
	"strings"
	"testing"

	"hush/seal"
)

func TestNewSessionID(t *testing.T) {
	first, second := seal.NewSessionID().Expose(), seal.NewSessionID().Expose()
	if first == second {
		t.Error("NewSessionID(): got the same id twice, want two")
	}
	if _, ok := seal.ParseSessionID(first); !ok {
		t.Errorf("ParseSessionID(NewSessionID()): got false for %d characters, want true", len(first))
	}
}

func TestParseSessionID(t *testing.T) {
	good := sampleSession
	for text, want := range map[string]bool{
		good:                           true,
		strings.Repeat("A", 43):        true,
		"":                             false,
		good[1:]:                       false,
		good + "A":                     false,
		good + "=":                     false,
		good + "\n":                    false,
		good[:42] + "\n":               false,
		strings.Repeat("A", 42) + "\n": false, // 31 bytes and no spare bits set
		"\n" + good[:42]:               false,
		good[:20] + "\r\n" + good[:21]: false,
		good[:42] + "=":                false,
		good[:42] + "9":                false, // spare bits set
		"+" + good[1:]:                 false,
		"/" + good[1:]:                 false,
		good[:20] + "\x00" + good[21:]: false,
	} {
		id, got := seal.ParseSessionID(text)
		if got != want {
			t.Errorf("ParseSessionID(%q): got %v, want %v", text, got, want)
		}
		if got && id.Expose() != text {
			t.Errorf("ParseSessionID(%q).Expose(): got %q, want the same", text, id.Expose())
		}
	}
}

// flippedSession returns the sample with one bit of byte i changed.
func flippedSession(i int) seal.SessionID {
	id, _ := base64.RawURLEncoding.DecodeString(sampleSession)
	return mustSession(base64.RawURLEncoding.EncodeToString(flipped(id, i)))
}

func TestSessionRowAndShrimpDependOnEachByte(t *testing.T) {
	keys := sampleParts().keys()
	rows := map[[32]byte]bool{mustSession(sampleSession).Row(): true}
	shrimps := map[string]bool{
		keys.Shrimp(mustSession(sampleSession)):        true,
		otherRoot().Shrimp(mustSession(sampleSession)): true,
	}
	for i := range 32 {
		rows[flippedSession(i).Row()] = true
		shrimps[keys.Shrimp(flippedSession(i))] = true
	}
	if len(rows) != 33 {
		t.Errorf("Row: got %d different rows, want 33", len(rows))
	}
	if len(shrimps) != 34 {
		t.Errorf("Shrimp: got %d different shrimps, want 34", len(shrimps))
	}
}

// Each of the 49 characters takes each of the 36 values alike.
func TestShrimpIsUniform(t *testing.T) {
	const sessions = 5000
	keys := sampleParts().keys()
	counts, expected := make([]float64, 49*36), make([]float64, 49*36)
	for range sessions {
		shrimp := keys.Shrimp(seal.NewSessionID())
		if len(shrimp) != 49 {
			t.Fatalf("Shrimp(session): got %d characters, want 49", len(shrimp))
		}
		for i, c := range shrimp {
			counts[i*36+strings.IndexRune(alphabet36, c)]++
		}
	}
	for i := range expected {
		expected[i] = sessions / 36.0
	}
	wantEvenly(t, "Shrimp(session)", counts, expected)
}

// A shrimp is the last 49 digits in base 36 of the session's HMAC.
func TestShrimpIsANumber(t *testing.T) {
	t.Parallel()
	p := sampleParts()
	keys, key := p.keys(), subkey(p, "hush/v1 shrimp")
	for range 1000 {
		session := seal.NewSessionID()
		id, err := base64.RawURLEncoding.DecodeString(session.Expose())
		if err != nil {
			t.Fatal(err)
		}
		library := hmac.New(sha256.New, key)
		library.Write(id)
		digits := new(big.Int).SetBytes(library.Sum(nil)).Text(36)
		want := strings.Repeat("0", 49) + digits
		if got, want := keys.Shrimp(session), want[len(want)-49:]; got != want {
			t.Fatalf("Shrimp(session): got %q, want %q", got, want)
		}
	}
}

func TestShrimpIsStable(t *testing.T) {
	session := seal.NewSessionID()
	first := sampleParts().keys().Shrimp(session)
	if again := sampleParts().keys().Shrimp(mustSession(session.Expose())); again != first {
		t.Errorf("Shrimp(same session): got %q, want %q", again, first)
	}
}
