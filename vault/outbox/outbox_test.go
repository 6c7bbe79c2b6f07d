package outbox_test

import (
	"context"
	"errors"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hush/storage"
	"hush/vault/caller"
	"hush/vault/outbox"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

var errRelay = errors.New("relay is asleep")

func TestMailsToRecipients(t *testing.T) {
	t.Parallel()
	k := newMailKit(t, vaulttest.Options{WrapStore: func(s storage.Store) storage.Store { return vaulttest.TwiceStore{Store: s} }})
	kept := k.MustConceal(t, k.sender, vaulttest.Plaintext, secret.Terms{
		Passphrase: vaulttest.Passphrase, TTL: new(time.Hour), Recipients: []string{friend + ", Bob@Example.COM"},
	})
	start := k.Clock.Now()
	bob := outbox.Delivery{Recipient: "Bo*****@e*****.com", State: outbox.DeliveryQueued, Updated: start}
	wantDeliveries(t, k.Kit, k.sender, kept, delivery(outbox.DeliveryQueued, start, 0), bob)
	k.wantCounts(t, 2, 0, 0)

	k.Clock.Advance(time.Second)
	vaulttest.Want(t, "PostDue()", vaulttest.MustPost(t, k.Kit), 2)
	sent := k.Clock.Now()
	bob.State, bob.Updated, bob.Attempts = outbox.DeliverySent, sent, 1
	wantDeliveries(t, k.Kit, k.sender, kept, delivery(outbox.DeliverySent, sent, 1), bob)
	k.wantCounts(t, 0, 2, 2)
	vaulttest.Want(t, "PostDue(again)", vaulttest.MustPost(t, k.Kit), 0)

	mail := outbox.Mail{
		Kind: outbox.MailShare, To: "Bob@example.com", Locale: "pt_BR", Key: caller.Text(kept.Secret.Key.Expose()),
		Sender: mailer, Created: start, Expires: kept.Secret.Expires, HasPassphrase: true,
	}
	other := mail
	other.To = friend
	got := k.post.mails()
	for i := range got {
		vaulttest.Want(t, "Mail.ID is 32 hex digits", regexp.MustCompile(`^[0-9a-f]{32}$`).MatchString(got[i].ID), true)
	}
	if diff := cmp.Diff([]outbox.Mail{mail, other}, got, cmp.FilterPath(isID, cmp.Ignore())); diff != "" {
		t.Errorf("mails sent: -want +got\n%s", diff)
	}
	vaulttest.Want(t, "mails share an id", got[0].ID == got[1].ID, false)
}

func isID(p cmp.Path) bool { return p.Last().String() == ".ID" }

func TestMailNotConfigured(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	_, err := k.Vault.Secrets.ConcealSecret(t.Context(), putMailer(t, k), vaulttest.Plaintext, secret.Terms{Recipients: []string{friend}})
	vaulttest.WantErr(t, "ConcealSecret(recipient)", err, refusal.ErrNoMail)
	vaulttest.Want(t, "secrets kept", len(vaulttest.RowsIn(t, k.Store, secret.BucketSecret)), 0)
	vaulttest.Want(t, "QueueMail()", k.Vault.Outbox.QueueMail(t.Context(), outbox.Mail{Kind: outbox.MailReset, To: friend, Key: "k"}), nil)
	vaulttest.Want(t, "QueueNotice()", k.Vault.Outbox.QueueNotice(t.Context(), outbox.Mail{Kind: outbox.MailTaken, To: friend}), nil)
	vaulttest.Want(t, "rows of the queue", len(vaulttest.RowsIn(t, k.Store, outbox.BucketOutbox)), 0)
	vaulttest.Want(t, "PostDue()", vaulttest.MustPost(t, k), 0)
}

func TestMailIsTriedAgain(t *testing.T) {
	t.Parallel()
	k := newMailKit(t, vaulttest.Options{})
	k.post.fail(errRelay)
	kept := k.mustShare(t)
	pauses := []time.Duration{
		0, time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour,
		4 * time.Hour, 4 * time.Hour, 4 * time.Hour, 4 * time.Hour, 4 * time.Hour,
	}
	for i, pause := range pauses {
		if pause > 0 {
			k.Clock.Advance(pause - time.Millisecond)
			vaulttest.Want(t, "PostDue(too early)", vaulttest.MustPost(t, k.Kit), 0)
			k.Clock.Advance(time.Millisecond)
		}
		vaulttest.Want(t, "PostDue()", vaulttest.MustPost(t, k.Kit), 1)
		state := outbox.DeliveryQueued
		if i == len(pauses)-1 {
			state = outbox.DeliveryFailed // the next attempt would be after a day
		}
		wantDeliveries(t, k.Kit, k.sender, kept, delivery(state, k.Clock.Now(), i+1))
	}
	k.wantCounts(t, 0, 0, 0)
	tried := k.post.mails()
	vaulttest.Want(t, "attempts", len(tried), len(pauses))
	for _, m := range tried {
		vaulttest.Want(t, "Mail.ID of a later attempt", m.ID, tried[0].ID)
	}
}

func TestMailArrivesLate(t *testing.T) {
	t.Parallel()
	k := newMailKit(t, vaulttest.Options{})
	k.post.fail(errRelay)
	kept := k.mustShare(t)
	vaulttest.MustPost(t, k.Kit)
	k.post.fail(nil)
	k.Clock.Advance(time.Minute)
	vaulttest.Want(t, "PostDue()", vaulttest.MustPost(t, k.Kit), 1)
	wantDeliveries(t, k.Kit, k.sender, kept, delivery(outbox.DeliverySent, k.Clock.Now(), 2))
	k.wantCounts(t, 0, 1, 1)
}

func TestMailEndsUnsent(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		answer   error
		ttl      time.Duration
		before   func(t *testing.T, k *mailKit, kept secret.Concealed)
		state    outbox.DeliveryState
		attempts int
	}{
		{
			name: "undeliverable", answer: errors.Join(errRelay, refusal.ErrUndeliverable), ttl: time.Hour,
			state: outbox.DeliveryFailed, attempts: 1,
		},
		{
			name: "an address that the mail server does not take", ttl: time.Hour,
			answer: errors.Join(errRelay, refusal.ErrUndeliverable, refusal.ErrUnsupportedAddress),
			state:  outbox.DeliveryUnsupported, attempts: 1,
		},
		{
			name: "burned first", ttl: time.Hour,
			before: func(t *testing.T, k *mailKit, kept secret.Concealed) {
				t.Helper()
				k.MustBurn(t, k.sender, kept.Metadata.Key, "")
			},
			state: outbox.DeliveryDropped,
		},
		{
			name: "opened first", ttl: time.Hour,
			before: func(t *testing.T, k *mailKit, kept secret.Concealed) {
				t.Helper()
				k.MustReveal(t, caller.Caller{}, kept.Secret.Key, "")
			},
			state: outbox.DeliveryDropped,
		},
		{
			name: "expired first", ttl: time.Hour,
			before: func(t *testing.T, k *mailKit, _ secret.Concealed) { t.Helper(); k.Clock.Advance(time.Hour) },
			state:  outbox.DeliveryFailed,
		},
		{
			name: "expired and swept first", ttl: time.Hour,
			before: func(t *testing.T, k *mailKit, _ secret.Concealed) {
				t.Helper()
				k.Clock.Advance(time.Hour)
				k.MustSweep(t)
			},
			state: outbox.DeliveryFailed,
		},
		{
			name: "a day late", ttl: 72 * time.Hour,
			before: func(t *testing.T, k *mailKit, _ secret.Concealed) { t.Helper(); k.Clock.Advance(24 * time.Hour) },
			state:  outbox.DeliveryFailed,
		},
		{
			name: "expires before the next attempt", answer: errRelay, ttl: time.Minute,
			state: outbox.DeliveryFailed, attempts: 1,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			k := newMailKit(t, vaulttest.Options{})
			k.post.fail(test.answer)
			kept := k.MustConceal(t, k.sender, vaulttest.Plaintext, secret.Terms{TTL: &test.ttl, Recipients: []string{friend}})
			if test.before != nil {
				test.before(t, k, kept)
			}
			vaulttest.Want(t, "PostDue()", vaulttest.MustPost(t, k.Kit), 1)
			vaulttest.Want(t, "attempts", len(k.post.mails()), test.attempts)
			wantDeliveries(t, k.Kit, k.sender, kept, delivery(test.state, k.Clock.Now(), test.attempts))
			k.wantCounts(t, 0, 0, 0)
		})
	}
}

func TestDeliveriesEndWithTheReceipt(t *testing.T) {
	t.Parallel()
	k := newMailKit(t, vaulttest.Options{})
	k.MustConceal(t, k.sender, vaulttest.Plaintext, secret.Terms{TTL: new(10 * time.Minute), Recipients: []string{friend, "b@example.com"}})
	vaulttest.MustPost(t, k.Kit)
	vaulttest.Want(t, "deliveries kept", len(vaulttest.RowsIn(t, k.Store, outbox.BucketDelivery)), 2)
	k.Clock.Advance(20*time.Minute - time.Millisecond)
	k.MustSweep(t)
	vaulttest.Want(t, "deliveries kept", len(vaulttest.RowsIn(t, k.Store, outbox.BucketDelivery)), 2)
	k.Clock.Advance(time.Millisecond)
	k.MustSweep(t)
	vaulttest.Want(t, "deliveries kept", len(vaulttest.RowsIn(t, k.Store, outbox.BucketDelivery)), 0)
}

func TestRecipientsThatAreNone(t *testing.T) {
	t.Parallel()
	k := newMailKit(t, vaulttest.Options{})
	_, err := k.Vault.Secrets.ConcealSecret(t.Context(), k.sender, vaulttest.Plaintext, secret.Terms{Recipients: []string{"b@example.com", "nobody"}})
	vaulttest.WantErr(t, "ConcealSecret(recipient nobody)", err, refusal.ErrInvalid)
	vaulttest.Want(t, "error's text", err.Error(), "Undeliverable email address: nobody")
	_, err = k.Vault.Secrets.ConcealSecret(t.Context(), caller.Caller{}, vaulttest.Plaintext, secret.Terms{Recipients: []string{"b@example.com"}})
	vaulttest.WantErr(t, "ConcealSecret(anonymous)", err, refusal.ErrAccountRequired)
	k.wantCounts(t, 0, 0, 0)
}

func TestQueueIsFull(t *testing.T) {
	t.Parallel()
	k := newMailKit(t, vaulttest.Options{})
	vaulttest.Want(t, "FillQueue()", k.Store.Update(t.Context(), vaulttest.FillQueue), nil)
	_, err := k.Vault.Secrets.ConcealSecret(t.Context(), k.sender, vaulttest.Plaintext, secret.Terms{Recipients: []string{friend}})
	vaulttest.WantErr(t, "ConcealSecret(full queue)", err, refusal.ErrQuota)
	vaulttest.Want(t, "secrets kept", len(vaulttest.RowsIn(t, k.Store, secret.BucketSecret)), 0)
	vaulttest.WantErr(t, "QueueMail(full queue)", k.Vault.Outbox.QueueMail(t.Context(), outbox.Mail{Kind: outbox.MailReset, To: friend}), refusal.ErrQuota)
	vaulttest.Want(t, "QueueNotice(full queue)", k.Vault.Outbox.QueueNotice(t.Context(), outbox.Mail{Kind: outbox.MailTaken, To: friend}), nil)
	vaulttest.Want(t, "rows of the queue", len(vaulttest.RowsIn(t, k.Store, outbox.BucketOutbox)), 0)
	k.MustConceal(t, k.sender, vaulttest.Plaintext, secret.Terms{})
}

func TestNotices(t *testing.T) {
	t.Parallel()
	k := newMailKit(t, vaulttest.Options{})
	notice := outbox.Mail{Kind: outbox.MailOpened, To: mailer, Locale: "de", Shortkey: "abc123", Created: k.Clock.Now()}
	vaulttest.Want(t, "QueueNotice()", k.Vault.Outbox.QueueNotice(t.Context(), notice), nil)
	vaulttest.Want(t, "QueueNotice(to nobody)", k.Vault.Outbox.QueueNotice(t.Context(), outbox.Mail{Kind: outbox.MailOpened}), nil)
	withLink := notice
	withLink.Key = "link"
	vaulttest.WantErr(t, "QueueNotice(with a link)", k.Vault.Outbox.QueueNotice(t.Context(), withLink), rows.ErrInconsistent)
	slots, err := k.Vault.Outbox.Slots(t.Context())
	vaulttest.Want(t, "OutboxSlots()", err, nil)
	vaulttest.Want(t, "slots of notices", len(slots), 0)
	k.Reopen(t)
	vaulttest.Want(t, "PostDue()", vaulttest.MustPost(t, k.Kit), 1)
	if diff := cmp.Diff([]outbox.Mail{notice}, k.post.mails(), cmp.FilterPath(isID, cmp.Ignore())); diff != "" {
		t.Errorf("mails sent: -want +got\n%s", diff)
	}
	k.wantCounts(t, 0, 0, 0) // not one to a recipient
}

func TestEachMailIsSentOnce(t *testing.T) {
	t.Parallel()
	k := newMailKit(t, vaulttest.Options{})
	const mails, posters = 100, 4
	for range mails {
		vaulttest.Want(t, "QueueNotice()", k.Vault.Outbox.QueueNotice(t.Context(), outbox.Mail{Kind: outbox.MailTaken, To: friend}), nil)
	}
	var all sync.WaitGroup
	for range posters {
		all.Go(func() {
			if _, err := k.Vault.Outbox.PostDue(context.Background()); err != nil {
				t.Errorf("PostDue(): got %v, want nil", err)
			}
		})
	}
	all.Wait()
	ids := map[string]bool{}
	for _, m := range k.post.mails() {
		ids[m.ID] = true
	}
	vaulttest.Want(t, "mails sent", len(k.post.mails()), mails)
	vaulttest.Want(t, "different mails sent", len(ids), mails)
	k.wantCounts(t, 0, 0, 0)
}

// A vault that is not Manual sends by itself, and soon.
func TestMailIsSentByItself(t *testing.T) {
	t.Parallel()
	sent := make(chan outbox.Mail)
	k := vaulttest.New(t, vaulttest.Options{Send: func(_ context.Context, m outbox.Mail) error { sent <- m; return nil }})
	k.MustConceal(t, putMailer(t, k), vaulttest.Plaintext, secret.Terms{Recipients: []string{friend}})
	select {
	case m := <-sent:
		vaulttest.Want(t, "Mail.To", string(m.To), friend)
	case <-t.Context().Done():
		t.Error("mail: got none, want one before the test ends")
	}
}
