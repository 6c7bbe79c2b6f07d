package request_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"hush/seal/chunked"
	"hush/seal/endtoend"
	"hush/seal/request"
)

// lastTime is the last one that a card can have.
var lastTime = time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)

var latest = time.Date(2026, 12, 24, 18, 0, 0, 0, time.UTC)

func newCard() request.Card {
	return request.Card{
		Title: "Deploy key for staging", Note: "The one of the build machine.\nRead only.",
		Kinds: []endtoend.Kind{endtoend.KindText, endtoend.KindFile}, Latest: latest, Answers: 3,
	}
}

// requested makes a request, and returns what its devices and its server have.
func requested(t *testing.T, card request.Card) (c request.Collector, asked *request.Asked, message, box []byte) {
	t.Helper()
	c = request.NewCollector(endtoend.NewLinkSecret())
	asked, err := c.Ask(card)
	if err != nil {
		t.Fatalf("Ask: got %v, want nil", err)
	}
	message, err = asked.Seal()
	if err != nil {
		t.Fatalf("Seal: got %v, want nil", err)
	}
	box, err = c.SealLink(asked.Secret())
	if err != nil {
		t.Fatalf("SealLink: got %v, want nil", err)
	}
	return c, asked, message, box
}

func TestRequestIsAskedAnsweredAndCollected(t *testing.T) {
	c, asked, message, box := requested(t, newCard())
	shown, err := request.Open(asked.Secret(), message)
	if err != nil {
		t.Fatalf("Open: got %v, want nil", err)
	}
	wantCard(t, shown.Card, newCard())
	number, answer := request.NewNumber(), request.Answer{Secret: endtoend.NewLinkSecret(), Name: "id_ed25519"}
	sealed, err := shown.SealAnswer(number, answer)
	if err != nil || len(sealed) != request.SealedSize {
		t.Fatalf("SealAnswer: got %d bytes, %v, want %d", len(sealed), err, request.SealedSize)
	}
	collected, err := c.Open(box, message)
	if err != nil {
		t.Fatalf("Collector.Open: got %v, want nil", err)
	}
	wantCard(t, collected.Card, newCard())
	got, err := c.OpenAnswer(collected, number, sealed)
	if err != nil || got.Secret.Expose() != answer.Secret.Expose() || got.Name != answer.Name {
		t.Errorf("OpenAnswer: got the name %q, %v, want the secret and the name %q", got.Name, err, answer.Name)
	}
}

func wantCard(t *testing.T, got, want request.Card) {
	t.Helper()
	if got.Title != want.Title || got.Note != want.Note || !slices.Equal(got.Kinds, want.Kinds) || !got.Latest.Equal(want.Latest) || got.Answers != want.Answers {
		t.Errorf("card: got %+v, want %+v", got, want)
	}
}

func TestEachRequestHasAnotherLink(t *testing.T) {
	c := request.NewCollector(endtoend.NewLinkSecret())
	one, err := c.Ask(newCard())
	if err != nil {
		t.Fatal(err)
	}
	other, err := c.Ask(newCard())
	if err != nil {
		t.Fatal(err)
	}
	if one.Secret().Expose() == other.Secret().Expose() {
		t.Error("Ask: got the same link for the same card, want another salt")
	}
}

func TestCardsThatNoDeviceWritesAreRefused(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*request.Card)
		want   error
	}{
		"no title":           {func(c *request.Card) { c.Title = "" }, request.ErrText},
		"long title":         {func(c *request.Card) { c.Title = strings.Repeat("é", 201) }, request.ErrText},
		"title of two lines": {func(c *request.Card) { c.Title = "a\nb" }, request.ErrText},
		"turned title":       {func(c *request.Card) { c.Title = "a\u202eb" }, request.ErrText},
		"title of no text":   {func(c *request.Card) { c.Title = "\xff" }, request.ErrText},
		"long note":          {func(c *request.Card) { c.Note = strings.Repeat("é", 2001) }, request.ErrText},
		"many short lines":   {func(c *request.Card) { c.Note = strings.Repeat("\n", 2001) }, request.ErrText},
		"note with a return": {func(c *request.Card) { c.Note = "a\r\nb" }, request.ErrText},
		"terminal's note":    {func(c *request.Card) { c.Note = "a\x1b[2Jb" }, request.ErrText},
		"no kinds":           {func(c *request.Card) { c.Kinds = nil }, request.ErrTerms},
		"a kind twice":       {func(c *request.Card) { c.Kinds = []endtoend.Kind{1, 1} }, request.ErrTerms},
		"another kind":       {func(c *request.Card) { c.Kinds = []endtoend.Kind{3} }, request.ErrTerms},
		"no time":            {func(c *request.Card) { c.Latest = time.Time{} }, request.ErrTerms},
		"time before all":    {func(c *request.Card) { c.Latest = time.Unix(0, 0) }, request.ErrTerms},
		"year 10000":         {func(c *request.Card) { c.Latest = lastTime.Add(time.Second) }, request.ErrTerms},
		"parts of a second":  {func(c *request.Card) { c.Latest = latest.Add(1) }, request.ErrTerms},
		"no answers":         {func(c *request.Card) { c.Answers = 0 }, request.ErrTerms},
		"too many answers":   {func(c *request.Card) { c.Answers = 101 }, request.ErrTerms},
	} {
		card := newCard()
		test.change(&card)
		if _, err := request.NewCollector(endtoend.NewLinkSecret()).Ask(card); !errors.Is(err, test.want) {
			t.Errorf("%s: got %v, want %v", name, err, test.want)
		}
	}
}

// The longest card of four bytes a character fits.
func TestLongestCard(t *testing.T) {
	card := newCard()
	card.Latest = lastTime
	card.Title, card.Note, card.Answers = strings.Repeat("🔑", request.TitleMax), strings.Repeat("🔑", request.NoteMax), request.AnswersMax
	c, _, message, box := requested(t, card)
	got, err := c.Open(box, message)
	if err != nil {
		t.Fatalf("Open: got %v, want nil", err)
	}
	wantCard(t, got.Card, card)
}

// A server that puts its own key into the card makes another card, and the link names
// the first one.
func TestServersOwnKeyIsRefused(t *testing.T) {
	_, asked, _, box := requested(t, newCard())
	thief := request.NewCollector(endtoend.NewLinkSecret())
	forged, err := thief.Ask(newCard())
	if err != nil {
		t.Fatal(err)
	}
	// Even a server that has the link can encrypt under the card's key.
	raw := bytes.Clone(request.Raw(asked))
	copy(request.PublicOf(raw), request.PublicOf(request.Raw(forged)))
	if _, err := request.Open(asked.Secret(), request.SealRaw(asked.Secret(), raw)); !errors.Is(err, request.ErrCard) {
		t.Errorf("Open: got %v for a card with another key, want ErrCard", err)
	}
	message, err := forged.Seal()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := request.Open(asked.Secret(), message); !errors.Is(err, request.ErrCard) {
		t.Errorf("Open: got %v for another request's card, want ErrCard", err)
	}
	if _, err := thief.Open(box, message); !errors.Is(err, request.ErrCard) {
		t.Errorf("Collector.Open: got %v for another device's box, want ErrCard", err)
	}
	ownBox, err := thief.SealLink(asked.Secret())
	if err != nil {
		t.Fatal(err)
	}
	own, err := asked.Seal()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := thief.Open(ownBox, own); !errors.Is(err, request.ErrKey) {
		t.Errorf("Collector.Open: got %v for a card of another device, want ErrKey", err)
	}
}

// Each byte of what a server stores is altered, cut off or added to.
func TestAlteredMessagesAreRefused(t *testing.T) {
	c, asked, message, box := requested(t, newCard())
	number := request.NewNumber()
	sealed, err := asked.SealAnswer(number, request.Answer{Secret: endtoend.NewLinkSecret()})
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		bytes []byte
		open  func([]byte) error
		want  error
	}{
		"card":        {message, func(b []byte) error { _, err := request.Open(asked.Secret(), b); return err }, request.ErrCard},
		"link box":    {box, func(b []byte) error { _, err := c.Open(b, message); return err }, request.ErrCard},
		"sealed link": {sealed, func(b []byte) error { _, err := c.OpenAnswer(asked, number, b); return err }, request.ErrAnswer},
	} {
		if err := test.open(test.bytes); err != nil {
			t.Fatalf("%s: got %v, want nil", name, err)
		}
		for i := range test.bytes {
			altered := bytes.Clone(test.bytes)
			altered[i] ^= 1
			if err := test.open(altered); !errors.Is(err, test.want) {
				t.Fatalf("%s: got %v with byte %d altered, want %v", name, err, i, test.want)
			}
		}
		for _, cut := range [][]byte{nil, test.bytes[:1], test.bytes[:len(test.bytes)-1], append(bytes.Clone(test.bytes), 0), bytes.Repeat([]byte{1}, 1<<20)} {
			if err := test.open(cut); !errors.Is(err, test.want) {
				t.Errorf("%s: got %v for %d bytes, want %v", name, err, len(cut), test.want)
			}
		}
	}
}

// An operator who moves a sealed link to another answer, or to another request of the
// same device, shows nothing that opens.
func TestSealedLinksOpenForTheirAnswerAlone(t *testing.T) {
	c := request.NewCollector(endtoend.NewLinkSecret())
	one, err := c.Ask(newCard())
	if err != nil {
		t.Fatal(err)
	}
	other, err := c.Ask(newCard())
	if err != nil {
		t.Fatal(err)
	}
	number := request.NewNumber()
	sealed, err := one.SealAnswer(number, request.Answer{Secret: endtoend.NewLinkSecret()})
	if err != nil {
		t.Fatal(err)
	}
	for name, open := range map[string]func() (request.Answer, error){
		"another number":  func() (request.Answer, error) { return c.OpenAnswer(one, request.NewNumber(), sealed) },
		"another request": func() (request.Answer, error) { return c.OpenAnswer(other, number, sealed) },
		"another device": func() (request.Answer, error) {
			return request.NewCollector(endtoend.NewLinkSecret()).OpenAnswer(one, number, sealed)
		},
	} {
		if _, err := open(); !errors.Is(err, request.ErrAnswer) {
			t.Errorf("%s: got %v, want ErrAnswer", name, err)
		}
	}
}

// askedFor returns a card as a requester's device makes it.
func askedFor(t *testing.T, card request.Card) *request.Asked {
	t.Helper()
	_, asked, _, _ := requested(t, card) //nolint:dogsled // the others are of other tests
	return asked
}

// What a server with the link can encrypt, a device must still refuse.
func TestCardsOfOtherVersionsAreRefused(t *testing.T) {
	asked := askedFor(t, newCard())
	for name, test := range map[string]struct {
		change func([]byte) []byte
		want   error
	}{
		"version":             {func(b []byte) []byte { b[0] = 2; return b }, request.ErrVersion},
		"key encapsulation":   {func(b []byte) []byte { b[2] = 0x7b; return b }, request.ErrVersion},
		"key derivation":      {func(b []byte) []byte { b[4] = 3; return b }, request.ErrVersion},
		"cipher":              {func(b []byte) []byte { b[6] = 3; return b }, request.ErrVersion},
		"cut in the key":      {func(b []byte) []byte { return b[:1000] }, request.ErrCard},
		"cut in the suite":    {func(b []byte) []byte { return b[:6] }, request.ErrVersion},
		"empty":               {func([]byte) []byte { return nil }, request.ErrVersion},
		"key of zeros":        {func(b []byte) []byte { clear(request.PublicOf(b)); return b }, request.ErrCard},
		"half of X25519 zero": {func(b []byte) []byte { clear(request.PublicOf(b)[1184:]); return b }, request.ErrCard},
		"no message":          {func(b []byte) []byte { return b[:request.HeadSize] }, request.ErrCard},
		"damaged message":     {func(b []byte) []byte { return append(b[:request.HeadSize], 0xff) }, request.ErrCard},
		"title as a number":   {func(b []byte) []byte { return append(b, 0x08, 1) }, request.ErrCard},
		"kinds as a fixed32":  {func(b []byte) []byte { return append(b, 0x1d, 1, 0, 0, 0) }, request.ErrCard},
		"answers as text":     {func(b []byte) []byte { return append(b, 0x2a, 1, '1') }, request.ErrCard},
		"seconds as text":     {func(b []byte) []byte { return append(b, 0x22, 3, 0x0a, 1, '1') }, request.ErrCard},
		"nanoseconds as text": {func(b []byte) []byte { return append(b, 0x22, 3, 0x12, 1, '1') }, request.ErrCard},
		"title of two lines":  {func(b []byte) []byte { return bytes.Replace(b, []byte("Deploy key"), []byte("Deploy\nkey"), 1) }, request.ErrCard},
	} {
		raw := test.change(bytes.Clone(request.Raw(asked)))
		r := request.Hash(raw)
		if _, err := request.Open(r, request.SealRaw(r, raw)); !errors.Is(err, test.want) {
			t.Errorf("%s: got %v, want %v", name, err, test.want)
		}
	}
}

// Fields of a later version are ignored, and the hash has them.
func TestFieldsOfLaterVersionsAreIgnored(t *testing.T) {
	asked := askedFor(t, newCard())
	raw := append(bytes.Clone(request.Raw(asked)), 0x30, 1, 0x22, 3, 0x1a, 1, '1')
	r := request.Hash(raw)
	got, err := request.Open(r, request.SealRaw(r, raw))
	if err != nil {
		t.Fatalf("Open: got %v, want nil", err)
	}
	wantCard(t, got.Card, newCard())
	if got.Secret().Expose() != r.Expose() || r.Expose() == asked.Secret().Expose() {
		t.Error("Secret: got the link without the fields, want the hash of all bytes")
	}
}

// Zeros are all that may follow a card, and as many as the format says.
func TestPaddingOfCardsIsChecked(t *testing.T) {
	asked := askedFor(t, newCard())
	raw, r := request.Raw(asked), asked.Secret()
	plain := request.Plain(raw)
	for name, altered := range map[string][]byte{
		"no zero at the end": append(bytes.Clone(plain[:len(plain)-1]), 1),
		"one zero more":      append(bytes.Clone(plain), 0),
		"one zero less":      plain[:len(plain)-1],
		"no zeros":           plain[:4+len(raw)],
		"length beyond":      append([]byte{0, 0, 0xff, 0xff}, plain[4:]...),
		"length of all":      append([]byte{0xff, 0xff, 0xff, 0xff}, plain[4:]...),
		"three bytes":        plain[:3],
	} {
		message, err := chunked.Seal(request.CardKey(r), []byte("hush.v1 request"), altered)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := request.Open(r, message); !errors.Is(err, request.ErrCard) {
			t.Errorf("%s: got %v, want ErrCard", name, err)
		}
	}
}

func TestNamesOfAnswers(t *testing.T) {
	c, asked, _, _ := requested(t, newCard())
	for name, test := range map[string]struct {
		name, want string
		err        error
	}{
		"none":        {},
		"a file":      {name: ".env", want: ".env"},
		"long":        {name: strings.Repeat("🔑", 255), want: strings.Repeat("🔑", request.NameMax/4)},
		"too long":    {name: strings.Repeat("a", 256), err: request.ErrName},
		"folder":      {name: "a/b", err: request.ErrName},
		"turned":      {name: "a\u202eb", err: request.ErrName},
		"not of text": {name: "\xff", err: request.ErrName},
	} {
		number := request.NewNumber()
		sealed, err := asked.SealAnswer(number, request.Answer{Secret: endtoend.NewLinkSecret(), Name: test.name})
		if !errors.Is(err, test.err) {
			t.Errorf("%s: got %v, want %v", name, err, test.err)
		}
		if err != nil {
			continue
		}
		if got, err := c.OpenAnswer(asked, number, sealed); err != nil || got.Name != test.want {
			t.Errorf("%s: got %q, %v, want %q", name, got.Name, err, test.want)
		}
	}
}

// Nothing that opens a request can be printed by accident. The bytes of a card are such
// a thing, since the secret of its link is their hash.
func TestNothingPrintsKeys(t *testing.T) {
	c, asked, _, _ := requested(t, newCard())
	secret := asked.Secret()
	for _, value := range []any{c, &c, asked, *asked, secret} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%x", "%s", "%q"} {
			if got := fmt.Sprintf(verb, value); got != "[redacted]" {
				t.Errorf("printing %T with %s: got %q, want [redacted]", value, verb, got)
			}
		}
	}
}
