package vault

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hush/seal"
	"hush/storage"
)

func sampleQueuedMail() *mailRecord {
	id := AccountID([]byte("account of mail!"))
	key := newDeliveryKey(sampleRow("m"), 3)
	return &mailRecord{
		kind: MailShare, attempts: 2, created: sampleMoment(5), until: sampleMoment(65),
		account: &id, delivery: &key, slot: &storage.Slot{Number: 7, Generation: 3}, sealed: []byte("sealed bytes"),
	}
}

func sampleQueuedNotice() *mailRecord {
	return &mailRecord{kind: MailOpened, created: sampleMoment(5), until: sampleMoment(65), sealed: []byte("sealed bytes")}
}

func sampleLetter() Mail {
	return Mail{
		Kind: MailShare, To: "bob@example.com", Locale: "pt_BR", Key: "2m9rpxhuzk4jzsw1vgqbt7ye30mk3wz",
		Domain: "secrets.example.com", Sender: "ada@example.com", Shortkey: "2m9rpx",
		Created: sampleMoment(5), Expires: sampleMoment(65), HasPassphrase: true,
		ID: "0123456789abcdef0123456789abcdef",
	}
}

func sampleDelivery() deliveryRecord {
	return deliveryRecord{state: DeliverySent, attempts: 2, updated: sampleMoment(7), recipient: "bo*****@e*****.com"}
}

// What was stored once is read for ever, and while a version is the current
// one, it is written the same.
func TestGoldenMails(t *testing.T) {
	t.Parallel()
	everything := cmp.AllowUnexported(mailRecord{}, deliveryRecord{})
	tests := []struct {
		name    string
		record  any
		encoded []byte
		decode  func([]byte) (any, error)
	}{
		{"mail-v1", sampleQueuedMail(), sampleQueuedMail().encode(), func(b []byte) (any, error) { return decodeMail(b) }},
		{"mail-notice-v1", sampleQueuedNotice(), sampleQueuedNotice().encode(), func(b []byte) (any, error) { return decodeMail(b) }},
		{"letter-v1", sampleLetter(), encodeLetter(sampleLetter()), func(b []byte) (any, error) { return decodeLetter(b) }},
		{"delivery-v1", sampleDelivery(), sampleDelivery().encode(), func(b []byte) (any, error) { return decodeDelivery(b) }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			stored := golden(t, test.name)
			if !bytes.Equal(test.encoded, stored) {
				t.Errorf("encode(record): got %x, want %x", test.encoded, stored)
			}
			got, err := test.decode(stored)
			if err != nil {
				t.Fatalf("decode(%s): got %v, want nil", test.name, err)
			}
			if diff := cmp.Diff(test.record, got, everything, cmp.Comparer(sameEmpty)); diff != "" {
				t.Errorf("decode(%s): -want +got\n%s", test.name, diff)
			}
			wantDamaged(t, stored, test.decode)
		})
	}
}

// Whatever a record holds, it holds after it was stored and read.

func TestQueuedMailRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := &mailRecord{
			kind: MailKind(rapid.Byte().Draw(t, "kind")), attempts: rapid.Uint32().Draw(t, "attempts"),
			created: moments().Draw(t, "created"), until: moments().Draw(t, "until"),
			sealed: rapid.SliceOf(rapid.Byte()).Draw(t, "sealed"),
		}
		if rapid.Bool().Draw(t, "with account") {
			r.account = new(AccountID(bytesOf(16).Draw(t, "account")))
		}
		if rapid.Bool().Draw(t, "with delivery") {
			key := newDeliveryKey(seal.RowKey(bytesOf(22).Draw(t, "metadata")), int(rapid.Byte().Draw(t, "number")))
			r.delivery = &key
		}
		if rapid.Bool().Draw(t, "with slot") {
			r.slot = &storage.Slot{Number: rapid.Uint64().Draw(t, "slot"), Generation: rapid.Uint64().Draw(t, "generation")}
		}
		got, err := decodeMail(r.encode())
		if diff := cmp.Diff(r, got, cmp.AllowUnexported(mailRecord{}), cmp.Comparer(sameEmpty)); diff != "" || err != nil {
			t.Errorf("decodeMail(encode(r)): got %v, -want +got\n%s", err, diff)
		}
	})
}

func TestLetterRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := func(name string) string { return rapid.String().Draw(t, name) }
		m := Mail{
			Kind: MailKind(rapid.Byte().Draw(t, "kind")), To: Text(text("to")), Locale: text("locale"), Key: Text(text("key")),
			Domain: text("domain"), Sender: Text(text("sender")), Shortkey: text("shortkey"), ID: text("id"),
			Created: moments().Draw(t, "created"), Expires: moments().Draw(t, "expires"),
			HasPassphrase: rapid.Bool().Draw(t, "passphrase"),
		}
		if got, err := decodeLetter(encodeLetter(m)); got != m || err != nil {
			t.Errorf("decodeLetter(encodeLetter(m)): got another mail, %v, want the same", err)
		}
	})
}

func TestDeliveryRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := deliveryRecord{
			state: DeliveryState(rapid.Byte().Draw(t, "state")), attempts: rapid.Uint32().Draw(t, "attempts"),
			updated: moments().Draw(t, "updated"), recipient: rapid.String().Draw(t, "recipient"),
		}
		if got, err := decodeDelivery(r.encode()); got != r || err != nil {
			t.Errorf("decodeDelivery(encode(r)): got %v, %v, want %v", got, err, r)
		}
	})
}

func TestPostponed(t *testing.T) {
	t.Parallel()
	for attempts, want := range map[uint32]time.Duration{
		1: time.Minute, 2: 5 * time.Minute, 3: 15 * time.Minute, 4: time.Hour, 5: 4 * time.Hour, 6: 4 * time.Hour,
		1 << 31: 4 * time.Hour,
	} {
		if got := postponed(attempts); got != want {
			t.Errorf("postponed(%d): got %v, want %v", attempts, got, want)
		}
	}
}
