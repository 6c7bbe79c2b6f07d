package v1

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"hush/routes/version"
)

// mixtures returns one text from each piece and from random mixtures of them.
func mixtures(random *rand.Rand) []string {
	pieces := []string{
		"", "a", "secret", `"`, `\`, "/", "<script>&", "\x7f", "é", "😀", "\u2028", "\u2029", "\ufffd", "\ufeff",
		"\xff", "\xe2\x80", "\xed\xa0\x80", "\xc0\x80", "\xf5",
	}
	for c := range byte(' ') {
		pieces = append(pieces, string(rune(c)))
	}
	mixed := pieces
	for range 20_000 {
		text := ""
		for range random.IntN(8) {
			text += pieces[random.IntN(len(pieces))]
		}
		mixed = append(mixed, text)
	}
	return mixed
}

// plainReveal and plainReceipt have the fields of the answers, and not the
// method that appends them.
type (
	plainReveal  revealAnswer
	plainReceipt receiptAnswer
)

// What appends itself is what encoding/json writes, byte for byte.
func TestAnswersAppendThemselvesAsJSON(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	texts := mixtures(random)
	text := func() string { return texts[random.IntN(len(texts))] }
	number := func() int64 { return []int64{0, 1, -1, 3600, math.MaxInt64, math.MinInt64}[random.IntN(6)] }
	maybe := func() *int64 {
		if n := number(); n != 1 {
			return &n
		}
		return nil
	}
	for _, one := range texts {
		sameJSON(t, revealAnswer{Value: one}, plainReveal{Value: one})
	}
	for range 5000 {
		reveal := revealAnswer{Value: text(), SecretKey: text(), ShareDomain: text()}
		sameJSON(t, reveal, plainReveal(reveal))
		receipt := receiptAnswer{
			Custid: text(), MetadataKey: text(), SecretKey: text(), TTL: number(), MetadataTTL: number(), SecretTTL: maybe(),
			State: text(), Updated: number(), Created: number(), Received: maybe(), ShareDomain: text(),
			Recipient:   [][]string{nil, {}, {text()}, {text(), text()}}[random.IntN(4)],
			MetadataURL: text(), ReceiptURL: text(), Identifier: text(), SecretIdentifier: text(), ReceiptTTL: number(),
			Recipients: [][]string{nil, {}, {text()}, {text(), text()}}[random.IntN(4)],
		}
		if random.IntN(2) == 0 {
			receipt.Value, receipt.PassphraseRequired = new(text()), new(random.IntN(2) == 0)
			receipt.SecretValue, receipt.HasPassphrase = new(text()), new(random.IntN(2) == 0)
		}
		sameJSON(t, receipt, plainReceipt(receipt))
	}
}

func sameJSON(t *testing.T, answer version.Appender, plain any) {
	t.Helper()
	var want bytes.Buffer
	encoder := json.NewEncoder(&want)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(plain); err != nil {
		t.Fatal(err)
	}
	if got := answer.AppendJSON(nil); !bytes.Equal(append(got, '\n'), want.Bytes()) {
		t.Errorf("AppendJSON(%+v): got %s, want %s", plain, got, want.Bytes())
	}
}
