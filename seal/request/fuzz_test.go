package request_test

import (
	"bytes"
	"testing"

	"hush/seal/endtoend"
	"hush/seal/request"
)

// FuzzOpen opens cards of any bytes behind those of a good one's head, as a requester who
// follows no document could write them. One that is accepted is a card that a device
// would write, and answers can be sealed to it.
func FuzzOpen(f *testing.F) {
	c := request.NewCollector(endtoend.NewLinkSecret())
	asked, err := c.Ask(newCard())
	if err != nil {
		f.Fatal(err)
	}
	raw := request.Raw(asked)
	head, message := raw[:request.HeadSize], raw[request.HeadSize:]
	f.Add(message, uint16(0), byte(0))
	f.Add(message[:len(message)-1], uint16(0), byte(0))
	f.Add(message, uint16(0), byte(1))
	f.Add(message, uint16(request.HeadSize-1), byte(0x80))
	f.Add(append(bytes.Clone(message), 0x30, 1), uint16(0), byte(0)) // a field of later
	f.Fuzz(func(t *testing.T, message []byte, at uint16, change byte) {
		raw := append(bytes.Clone(head), message...)
		raw[int(at)%request.HeadSize] ^= change
		r := request.Hash(raw)
		got, err := request.Open(r, request.SealRaw(r, raw))
		if err != nil {
			return
		}
		if !bytes.Equal(request.Raw(got), raw) || got.Secret().Expose() != r.Expose() {
			t.Error("Open: got other bytes than those of the card")
		}
		if _, err := c.Ask(got.Card); err != nil {
			t.Errorf("Ask with the card that Open took: got %v, want nil", err)
		}
		if _, err := got.SealAnswer(request.NewNumber(), request.Answer{Secret: r}); err != nil {
			t.Errorf("SealAnswer to the card that Open took: got %v, want nil", err)
		}
	})
}

// FuzzOpenAnswer opens what anyone who has the link may seal. A name that is accepted is
// safe to show and to save under, and is sealed and opened as the same one again.
func FuzzOpenAnswer(f *testing.F) {
	c := request.NewCollector(endtoend.NewLinkSecret())
	asked, err := c.Ask(newCard())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(plainOf("id_ed25519"), uint16(0), byte(0))
	f.Add(plainOf(""), uint16(1647), byte(1))
	f.Add(plainOf("a/b"), uint16(0), byte(0))
	f.Add(plainOf("")[:511], uint16(0), byte(0))
	f.Add(append(plainOf(""), 0), uint16(0), byte(0))
	f.Fuzz(func(t *testing.T, plain []byte, at uint16, change byte) {
		number := request.NewNumber()
		sealed := request.SealPlain(asked, number, plain)
		sealed[int(at)%len(sealed)] ^= change
		got, err := c.OpenAnswer(asked, number, sealed)
		if err != nil {
			return
		}
		secret := got.Secret.Expose()
		if change != 0 || len(plain) != len(plainOf("")) || !bytes.Contains(plain, append(secret[:], got.Name...)) {
			t.Fatalf("OpenAnswer: accepted %d bytes, of which one was changed by %#x", len(plain), change)
		}
		sealed, err = asked.SealAnswer(number, got)
		if err != nil {
			t.Fatalf("SealAnswer with the name that OpenAnswer took: got %v, want nil", err)
		}
		if again, err := c.OpenAnswer(asked, number, sealed); err != nil || again.Name != got.Name || again.Secret.Expose() != secret {
			t.Errorf("OpenAnswer: got the name %q, %v, want %q", again.Name, err, got.Name)
		}
	})
}

// plainOf returns what is sealed for an answer of that name.
func plainOf(name string) []byte {
	plain := make([]byte, 512)
	plain[3] = byte(32 + len(name))
	copy(plain[36:], name)
	return plain
}
