package outbox

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hush/seal"
	"hush/storage"
	"hush/testtier/property"
	"hush/vault/caller"
	"hush/vault/recordtest"
)

func sampleQueuedMail() *MailRecord {
	id := caller.AccountID([]byte("account of mail!"))
	key := newDeliveryKey(recordtest.Row("m"), 3)
	return &MailRecord{
		kind: MailShare, attempts: 2, created: recordtest.Moment(5), until: recordtest.Moment(65),
		account: &id, delivery: &key, slot: &storage.Slot{Number: 7, Generation: 3}, sealed: []byte("sealed bytes"),
	}
}

func sampleQueuedNotice() *MailRecord {
	return &MailRecord{kind: MailOpened, created: recordtest.Moment(5), until: recordtest.Moment(65), sealed: []byte("sealed bytes")}
}

func sampleLetter() Mail {
	return Mail{
		Kind: MailShare, To: "bob@example.com", Locale: "pt_BR", Key: "2m9rpxhuzk4jzsw1vgqbt7ye30mk3wz",
		Domain: "secrets.example.com", Sender: "ada@example.com", Shortkey: "2m9rpx",
		Created: recordtest.Moment(5), Expires: recordtest.Moment(65), HasPassphrase: true,
		ID: "0123456789abcdef0123456789abcdef",
	}
}

func sampleDelivery() deliveryRecord {
	return deliveryRecord{state: DeliverySent, attempts: 2, updated: recordtest.Moment(7), recipient: "bo*****@e*****.com"}
}

// What was stored once is read for ever, and while a version is the current
// one, it is written the same.
func TestGoldenMails(t *testing.T) {
	t.Parallel()
	everything := cmp.AllowUnexported(MailRecord{}, deliveryRecord{})
	recordtest.Check(t, []recordtest.Case{
		{Name: "mail-v1", Record: sampleQueuedMail(), Encoded: sampleQueuedMail().encode(), Decode: func(b []byte) (any, error) { return decodeMail(b) }},
		{Name: "mail-notice-v1", Record: sampleQueuedNotice(), Encoded: sampleQueuedNotice().encode(), Decode: func(b []byte) (any, error) { return decodeMail(b) }},
		{Name: "letter-v1", Record: sampleLetter(), Encoded: encodeLetter(sampleLetter()), Decode: func(b []byte) (any, error) { return decodeLetter(b) }},
		{Name: "delivery-v1", Record: sampleDelivery(), Encoded: sampleDelivery().encode(), Decode: func(b []byte) (any, error) { return decodeDelivery(b) }},
	}, everything, cmp.Comparer(recordtest.SameEmpty))
}

// Whatever a record holds, it holds after it was stored and read.

func TestQueuedMailRoundTrip(t *testing.T) {
	t.Parallel()
	property.Check(t, func(t *rapid.T) {
		r := &MailRecord{
			kind: MailKind(rapid.Byte().Draw(t, "kind")), attempts: rapid.Uint32().Draw(t, "attempts"),
			created: recordtest.Moments().Draw(t, "created"), until: recordtest.Moments().Draw(t, "until"),
			sealed: rapid.SliceOf(rapid.Byte()).Draw(t, "sealed"),
		}
		if rapid.Bool().Draw(t, "with account") {
			r.account = new(caller.AccountID(recordtest.Bytes(16).Draw(t, "account")))
		}
		if rapid.Bool().Draw(t, "with delivery") {
			key := newDeliveryKey(seal.RowKey(recordtest.Bytes(22).Draw(t, "metadata")), int(rapid.Byte().Draw(t, "number")))
			r.delivery = &key
		}
		if rapid.Bool().Draw(t, "with slot") {
			r.slot = &storage.Slot{Number: rapid.Uint64().Draw(t, "slot"), Generation: rapid.Uint64().Draw(t, "generation")}
		}
		got, err := decodeMail(r.encode())
		if diff := cmp.Diff(r, got, cmp.AllowUnexported(MailRecord{}), cmp.Comparer(recordtest.SameEmpty)); diff != "" || err != nil {
			t.Errorf("decodeMail(encode(r)): got %v, -want +got\n%s", err, diff)
		}
	})
}

func TestLetterRoundTrip(t *testing.T) {
	t.Parallel()
	property.Check(t, func(t *rapid.T) {
		text := func(name string) string { return rapid.String().Draw(t, name) }
		m := Mail{
			Kind: MailKind(rapid.Byte().Draw(t, "kind")), To: caller.Text(text("to")), Locale: text("locale"), Key: caller.Text(text("key")),
			Domain: text("domain"), Sender: caller.Text(text("sender")), Shortkey: text("shortkey"), ID: text("id"),
			Created: recordtest.Moments().Draw(t, "created"), Expires: recordtest.Moments().Draw(t, "expires"),
			HasPassphrase: rapid.Bool().Draw(t, "passphrase"),
		}
		if got, err := decodeLetter(encodeLetter(m)); got != m || err != nil {
			t.Errorf("decodeLetter(encodeLetter(m)): got another mail, %v, want the same", err)
		}
	})
}

func TestDeliveryRoundTrip(t *testing.T) {
	t.Parallel()
	property.Check(t, func(t *rapid.T) {
		r := deliveryRecord{
			state: DeliveryState(rapid.Byte().Draw(t, "state")), attempts: rapid.Uint32().Draw(t, "attempts"),
			updated: recordtest.Moments().Draw(t, "updated"), recipient: rapid.String().Draw(t, "recipient"),
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
