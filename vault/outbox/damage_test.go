package outbox_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"hush/seal"
	"hush/vault/outbox"
	"hush/vault/refusal"
	"hush/vault/vaulttest"
)

// Rows that cannot be read do not keep the others from being sent, and are
// looked at again a day later.
func TestDamagedMails(t *testing.T) {
	t.Parallel()
	k := newMailKit(t, vaulttest.Options{})
	kept := k.mustShare(t)
	vaulttest.Put(t, k.Store, outbox.BucketOutbox, []byte{0}, []byte("no mail"))
	for i := range byte(5) {
		vaulttest.Put(t, k.Store, outbox.BucketOutbox, append(make([]byte, 15), i), []byte{i})
	}
	_, err := k.Vault.Outbox.Slots(t.Context())
	vaulttest.Want(t, "OutboxSlots() is an error", err != nil, true)
	vaulttest.Want(t, "PostDue()", vaulttest.MustPost(t, k.Kit), 7)
	wantDeliveries(t, k.Kit, k.sender, kept, delivery(outbox.DeliverySent, k.Clock.Now(), 1))
	vaulttest.Want(t, "rows of the queue", len(vaulttest.RowsIn(t, k.Store, outbox.BucketOutbox)), 6)
	vaulttest.Want(t, "PostDue(again)", vaulttest.MustPost(t, k.Kit), 0)
	k.Clock.Advance(24 * time.Hour)
	vaulttest.Want(t, "PostDue(a day later)", vaulttest.MustPost(t, k.Kit), 6)
}

// What was damaged beside a mail that could be sent does not send it again.
func TestDamageBesideAMail(t *testing.T) {
	t.Parallel()
	k := newMailKit(t, vaulttest.Options{})
	kept := k.mustShare(t)
	row := kept.Metadata.Key.RowKey(seal.KindMetadata)
	vaulttest.Put(t, k.Store, outbox.BucketDelivery, append(row[:], 0), []byte("damaged"))
	vaulttest.Want(t, "PostDue()", vaulttest.MustPost(t, k.Kit), 1)
	k.Clock.Advance(time.Hour)
	vaulttest.Want(t, "PostDue(later)", vaulttest.MustPost(t, k.Kit), 0)
	vaulttest.Want(t, "mails sent", len(k.post.mails()), 1)
}

// A mail whose share or seal is damaged cannot be sent, now or later.
func TestMailThatDoesNotOpen(t *testing.T) {
	t.Parallel()
	k := newMailKit(t, vaulttest.Options{})
	kept := k.mustShare(t)
	vaulttest.FlipShare(t, k.Kit, *queuedMails(t, k.Store)[0].Slot)
	vaulttest.Want(t, "PostDue()", vaulttest.MustPost(t, k.Kit), 1)
	vaulttest.Want(t, "mails sent", len(k.post.mails()), 0)
	wantDeliveries(t, k.Kit, k.sender, kept, delivery(outbox.DeliveryFailed, k.Clock.Now(), 1))
	k.wantCounts(t, 0, 0, 0)
}

// The attack: read the log at its most talkative, while mails are sent, put
// off and given up, and the mail server repeats whom they were for. Only what
// kind of mail it was and what became of it is there.
func TestMailLogsTellNothing(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	k := newMailKit(t, vaulttest.Options{
		Log: slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	canaries := []string{friend, mailer, "canary", vaulttest.Plaintext}
	share := func() {
		kept := k.mustShare(t)
		canaries = append(canaries, kept.Secret.Key.Expose(), kept.Metadata.Key.Expose())
	}
	answer := fmt.Errorf("550 5.1.1 <%s>: no such mailbox", friend)
	for _, err := range []error{nil, answer, errors.Join(refusal.ErrUndeliverable, answer)} {
		k.post.fail(err)
		share()
		vaulttest.Want(t, "QueueNotice()", k.Vault.Outbox.QueueNotice(t.Context(), outbox.Mail{Kind: outbox.MailTaken, To: friend}), nil)
		vaulttest.Want(t, "QueueMail()", k.Vault.Outbox.QueueMail(t.Context(), outbox.Mail{Kind: outbox.MailReset, To: friend, Key: "canary"}), nil)
		vaulttest.MustPost(t, k.Kit)
	}
	share()
	vaulttest.FlipShare(t, k.Kit, *queuedMails(t, k.Store)[0].Slot)
	vaulttest.Put(t, k.Store, outbox.BucketOutbox, bytes.Repeat([]byte{0}, 16), []byte(friend))
	vaulttest.MustPost(t, k.Kit)
	k.Clock.Advance(25 * time.Hour)
	vaulttest.MustPost(t, k.Kit)
	for _, m := range k.post.mails() {
		canaries = append(canaries, m.ID)
	}
	said := log.String()
	for _, words := range []string{`"kind":"share"`, `"kind":"reset"`, `"state":"sent"`, `"state":"queued"`, `"state":"failed"`} {
		vaulttest.Want(t, "the log says "+words, strings.Contains(said, words), true)
	}
	for _, canary := range canaries {
		for _, form := range vaulttest.Spellings(canary) {
			vaulttest.Want(t, "the log holds a canary", strings.Contains(said, form), false)
		}
	}
}
