package request

import (
	"bytes"
	"crypto/hpke"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/timestamppb"

	hushv1 "hush/gen/hush/v1"
	"hush/seal"
	"hush/seal/chunked"
	"hush/seal/endtoend"
)

// Limits of a card.
const (
	// TitleMax and NoteMax are numbers of characters.
	TitleMax = 200
	NoteMax  = 2000
	// AnswersMax is the largest number of answers.
	AnswersMax = 100

	// latestMax is the end of the year 9999, the last second of a protobuf timestamp.
	latestMax = 253_402_300_799

	cardMax    = 12 << 10 // bytes of a whole card
	lengthSize = 4
	saltSize   = 32
	publicSize = 1216 // bytes of a public key of X-Wing
)

// prefix is what each card of this version begins with: the version, then KEM, KDF and
// AEAD by their numbers of RFC 9180 and of draft-connolly-cfrg-xwing-kem.
var prefix = [...]byte{0x01, 0x64, 0x7a, 0x00, 0x01, 0x00, 0x02}

// headSize is what stands before the message of a card.
const headSize = len(prefix) + saltSize + publicSize

// Card says what is asked for.
type Card struct {
	// Title is one line of 1 to TitleMax characters, and Note at most NoteMax in lines
	// that end with a line feed. Nothing in them controls a terminal or turns the
	// direction of text. They are shown as quoted plain text, and never as links.
	Title, Note string
	// Kinds are the kinds of content that the requester accepts, each at most once.
	Kinds []endtoend.Kind
	// Latest is when the request ends, in whole seconds.
	Latest time.Time
	// Answers is how many answers the requester accepts, 1 to AnswersMax.
	Answers int
}

// check returns ErrText or ErrTerms for a card that no device writes.
func (c Card) check() error {
	if c.Title == "" || !endtoend.IsClean(c.Title, TitleMax) || !isCleanNote(c.Note) {
		return ErrText
	}
	seconds := c.Latest.Unix()
	ofTime := seconds > 0 && seconds <= latestMax && c.Latest.Nanosecond() == 0
	if !ofTime || c.Answers < 1 || c.Answers > AnswersMax || !areKinds(c.Kinds) {
		return ErrTerms
	}
	return nil
}

// isCleanNote reports whether a device may show the note line by line.
func isCleanNote(note string) bool {
	if utf8.RuneCountInString(note) > NoteMax {
		return false
	}
	for line := range strings.SplitSeq(note, "\n") {
		if !endtoend.IsClean(line, NoteMax) {
			return false
		}
	}
	return true
}

// areKinds reports whether kinds has each known kind at most once, and one at least.
func areKinds(kinds []endtoend.Kind) bool {
	for i, kind := range kinds {
		known := kind == endtoend.KindText || kind == endtoend.KindFile
		if !known || slices.Contains(kinds[:i], kind) {
			return false
		}
	}
	return len(kinds) > 0
}

// Asked is a card as it was made or opened: its bytes, and what they say. It prints as
// [redacted], since who has the bytes has the secret of the request's link.
type Asked struct {
	seal.Redacted
	Card
	raw    seal.Hidden[[]byte]
	public hpke.PublicKey
}

// ask writes a card for the public key. It returns ErrText or ErrTerms.
func ask(card Card, public hpke.PublicKey) (*Asked, error) {
	if err := card.check(); err != nil {
		return nil, err
	}
	message := &hushv1.RequestCard{
		Title: card.Title, Note: card.Note,
		LatestTime: timestamppb.New(card.Latest), Answers: uint32(card.Answers),
	}
	for _, kind := range card.Kinds {
		message.Kinds = append(message.Kinds, hushv1.ContentHeader_Kind(kind))
	}
	raw := append(make([]byte, 0, cardMax), prefix[:]...)
	raw = append(raw, make([]byte, saltSize)...)
	_, _ = rand.Read(raw[len(prefix):]) // never fails
	raw = append(raw, public.Bytes()...)
	raw, err := proto.MarshalOptions{Deterministic: true}.MarshalAppend(raw, message)
	if err != nil || len(raw) > cardMax {
		return nil, ErrText
	}
	return &Asked{Card: card, raw: seal.Hide(raw), public: public}, nil
}

// parse reads the bytes of a card. It returns ErrVersion for a card that another
// version wrote, and ErrCard for one that none did.
func parse(raw []byte) (*Asked, error) {
	if !bytes.HasPrefix(raw, prefix[:]) {
		return nil, ErrVersion
	}
	if len(raw) < headSize {
		return nil, ErrCard
	}
	public, err := publicKey(raw[headSize-publicSize : headSize])
	if err != nil {
		return nil, err
	}
	var message hushv1.RequestCard
	if err := proto.Unmarshal(raw[headSize:], &message); err != nil || !message.GetLatestTime().IsValid() {
		return nil, ErrCard
	}
	if hasOtherTypes(message.ProtoReflect()) || hasOtherTypes(message.GetLatestTime().ProtoReflect()) {
		return nil, ErrCard
	}
	card := Card{
		Title: message.GetTitle(), Note: message.GetNote(),
		Latest: message.GetLatestTime().AsTime(), Answers: int(message.GetAnswers()),
	}
	for _, kind := range message.GetKinds() {
		card.Kinds = append(card.Kinds, endtoend.Kind(kind))
	}
	if card.check() != nil {
		return nil, ErrCard
	}
	return &Asked{Card: card, raw: seal.Hide(raw), public: public}, nil
}

// hasOtherTypes reports whether a field that the message knows came with another wire
// type than its own. Some libraries ignore it then, as this one does, and others read it:
// one link would say different things.
func hasOtherTypes(message protoreflect.Message) bool {
	for unknown := message.GetUnknown(); len(unknown) > 0; {
		number, _, size := protowire.ConsumeField(unknown)
		if size < 0 || message.Descriptor().Fields().ByNumber(number) != nil {
			return true
		}
		unknown = unknown[size:]
	}
	return false
}

// publicKey parses a public key, and refuses one to which nothing can be sealed. The
// half of X25519 is checked only when something is.
func publicKey(raw []byte) (hpke.PublicKey, error) {
	public, err := suite().kem.NewPublicKey(raw)
	if err != nil {
		return nil, ErrCard
	}
	if _, _, err := hpke.NewSender(public, suite().kdf, suite().aead, nil); err != nil {
		return nil, ErrCard
	}
	return public, nil
}

// Secret returns the secret R of the request's link: the hash of the card.
//
//	R = SHA-256("hush request v1" ‖ 00 ‖ card)
func (a *Asked) Secret() endtoend.LinkSecret { return hash(a.raw()) }

func hash(raw []byte) endtoend.LinkSecret {
	h := sha256.New()
	h.Write([]byte(saltRequest + "\x00"))
	h.Write(raw)
	return endtoend.SecretOf([sha256.Size]byte(h.Sum(nil)))
}

// Seal returns the message of the card, which opens with the secret of the request's
// link alone:
//
//	Cobblestone-256(card key, "hush.v1 request", length (4) ‖ card ‖ zeros)
//
// It has the length padded(n) of docs/end-to-end.md for the length n of what comes
// before the zeros.
func (a *Asked) Seal() ([]byte, error) {
	raw := a.raw()
	plain := make([]byte, lengthSize, endtoend.Padded(lengthSize+cardMax))
	binary.BigEndian.PutUint32(plain, uint32(len(raw)))
	plain = append(plain, raw...)
	plain = plain[:endtoend.Padded(uint64(len(plain)))]
	return chunked.Seal(keysOf(a.Secret()).card, []byte(contextCard), plain)
}

// Open opens the message of a card with the secret R of the request's link, and checks
// that the card is the one whose hash R is. It returns ErrCard or ErrVersion.
func Open(r endtoend.LinkSecret, message []byte) (*Asked, error) {
	if len(message) > int(chunked.SealedSize(int64(endtoend.Padded(lengthSize+cardMax)))) {
		return nil, ErrCard
	}
	plain, err := chunked.Open(keysOf(r).card, []byte(contextCard), message)
	if err != nil {
		return nil, ErrCard
	}
	raw, ok := unpadded(plain, cardMax)
	if !ok || len(plain) != int(endtoend.Padded(uint64(lengthSize+len(raw)))) || hash(raw).Expose() != r.Expose() {
		return nil, ErrCard
	}
	return parse(raw)
}

// unpadded returns what stands between a length of 4 bytes and zeros to the end. It
// returns false for a length above the limit or beyond the end, and for other bytes
// than zeros.
func unpadded(plain []byte, limit int) ([]byte, bool) {
	if len(plain) < lengthSize {
		return nil, false
	}
	size, rest := binary.BigEndian.Uint32(plain), plain[lengthSize:]
	if size > uint32(limit) || int(size) > len(rest) || len(bytes.Trim(rest[size:], "\x00")) > 0 {
		return nil, false
	}
	return rest[:size:size], true
}
