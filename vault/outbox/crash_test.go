package outbox_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"hush/storage"
	"hush/vault/outbox"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// The attack: crash the server after a mail was sent and before that is noted.
// The mail is sent again, under the id that it had, so that mail programs know
// it for the same one.
func TestCrashAfterSending(t *testing.T) {
	t.Parallel()
	var crashed string
	var first outbox.Mail
	var k *mailKit
	k = newMailKit(t, vaulttest.Options{Folder: true, Send: func(_ context.Context, m outbox.Mail) error {
		first, crashed = m, k.CopyDir(t)
		return nil
	}})
	k.mustShare(t)
	vaulttest.MustPost(t, k.Kit)

	second := newMailKit(t, vaulttest.Options{Dir: crashed, RootKey: &k.RootKey})
	vaulttest.Want(t, "PostDue(at once)", vaulttest.MustPost(t, second.Kit), 0)
	second.Clock.Advance(2 * time.Minute)
	vaulttest.Want(t, "PostDue(later)", vaulttest.MustPost(t, second.Kit), 1)
	again := second.post.mails()
	vaulttest.Want(t, "mails sent after the crash", len(again), 1)
	vaulttest.Want(t, "Mail sent after the crash", again[0], first)
}

// The attack: crash the server after a mail was sent and recorded, and before
// its share is overwritten. The next start overwrites it before it serves
// requests.
func TestCrashBeforeMailIsShredded(t *testing.T) {
	t.Parallel()
	var shares *vaulttest.FaultyShares
	k := newMailKit(t, vaulttest.Options{Folder: true, WrapShares: func(s storage.Shares) storage.Shares {
		shares = &vaulttest.FaultyShares{Shares: s}
		return shares
	}})
	k.mustShare(t)
	mails := queuedMails(t, k.Store)
	shares.DestroyErr.Store(new(errors.New("input/output error")))
	_, err := k.Vault.Outbox.PostDue(t.Context())
	vaulttest.Want(t, "PostDue(shares fail) is an error", err != nil, true)
	vaulttest.Want(t, "link before the start", openedBy(t, k.Kit, mails[0], k.CopyDir(t)) != "", true)
	k.Reopen(t)
	vaulttest.Want(t, "link after the start", openedBy(t, k.Kit, mails[0], k.CopyDir(t)), "")
	vaulttest.Want(t, "PostDue(after the start)", vaulttest.MustPost(t, k.Kit), 0)
	vaulttest.Want(t, "mails sent", len(k.post.mails()), 1)
}

// A secret that was not kept leaves no mail, and its mail's share is gone.
func TestMailOfASecretThatWasNotKept(t *testing.T) {
	t.Parallel()
	var store *vaulttest.FaultyStore
	var drawn [][storage.ShareSize]byte
	k := newMailKit(t, vaulttest.Options{
		WrapStore: func(s storage.Store) storage.Store { store = &vaulttest.FaultyStore{Store: s}; return store },
		WrapShares: func(s storage.Shares) storage.Shares {
			return &notedShares{Shares: s, drawn: &drawn}
		},
	})
	k.mustShare(t) // brings what later mails of this hour have in common
	vaulttest.MustPost(t, k.Kit)
	drawn = nil
	store.Before.Store(new(storage.ErrFull))
	_, err := k.Vault.Secrets.ConcealSecret(t.Context(), k.sender, vaulttest.Plaintext, secret.Terms{Recipients: []string{friend, "b@example.com"}})
	vaulttest.WantErr(t, "ConcealSecret(full disk)", err, refusal.ErrUnavailable)
	store.Before.Store(nil)
	vaulttest.Want(t, "shares drawn", len(drawn), 3)
	for _, share := range drawn {
		vaulttest.WantShareGone(t, k.Kit, share)
	}
	k.wantCounts(t, 0, 1, 1)
}

// notedShares notes each share that is put, and the number of each slot that
// is reported as used.
type notedShares struct {
	storage.Shares
	drawn *[][storage.ShareSize]byte
	used  map[uint64]bool
}

func (s *notedShares) Recycler() storage.Recycler {
	if inner := s.Shares.Recycler(); inner != nil && s.used != nil {
		return notedRecycler{inner, s.used}
	}
	return s.Shares.Recycler()
}

type notedRecycler struct {
	storage.Recycler
	used map[uint64]bool
}

func (r notedRecycler) Used(slot storage.Slot) {
	r.used[slot.Number] = true
	r.Recycler.Used(slot)
}

func (s *notedShares) Put(ctx context.Context, share [storage.ShareSize]byte) (storage.Slot, error) {
	*s.drawn = append(*s.drawn, share)
	return s.Shares.Put(ctx, share)
}

func (s *notedShares) PutMany(ctx context.Context, shares [][storage.ShareSize]byte) ([]storage.Slot, error) {
	return storage.PutEach(ctx, s, shares)
}

// Mails that wait keep their slots over a restart: no new share comes to lie
// where theirs is.
func TestRestartKeepsMails(t *testing.T) {
	t.Parallel()
	used := map[uint64]bool{}
	k := newMailKit(t, vaulttest.Options{Folder: true, WrapShares: func(s storage.Shares) storage.Shares {
		return &notedShares{Shares: s, drawn: new([][storage.ShareSize]byte), used: used}
	}})
	kept := k.mustShare(t)
	slots, err := k.Vault.Outbox.Slots(t.Context())
	vaulttest.Want(t, "OutboxSlots()", err, nil)
	vaulttest.Want(t, "slots of mails", len(slots), 1)
	vaulttest.Want(t, "slot of the mail", slots[0], *queuedMails(t, k.Store)[0].Slot)
	k.Reopen(t)
	k.MustReclaim(t)
	vaulttest.Want(t, "slot of the mail is reported as used", used[slots[0].Number], true)
	vaulttest.Want(t, "PostDue()", vaulttest.MustPost(t, k.Kit), 1)
	tried := k.post.mails()
	vaulttest.Want(t, "mails sent", len(tried), 1)
	vaulttest.Want(t, "Mail.Key", string(tried[0].Key), kept.Secret.Key.Expose())
	wantDeliveries(t, k.Kit, k.sender, kept, delivery(outbox.DeliverySent, k.Clock.Now(), 1))
}

// After a restart without mail the queue is kept for a while and then given up.
func TestRestartWithoutMail(t *testing.T) {
	t.Parallel()
	k := newMailKit(t, vaulttest.Options{})
	kept := k.mustShare(t)
	k.Close(t)
	mute := vaulttest.New(t, vaulttest.Options{Manual: true, After: k.Kit})
	vaulttest.Want(t, "PostDue()", vaulttest.MustPost(t, mute), 1)
	wantDeliveries(t, mute, k.sender, kept, delivery(outbox.DeliveryQueued, mute.Clock.Now(), 1))
	mute.Clock.Advance(24 * time.Hour)
	vaulttest.Want(t, "PostDue(a day later)", vaulttest.MustPost(t, mute), 1)
	wantDeliveries(t, mute, k.sender, kept, delivery(outbox.DeliveryFailed, mute.Clock.Now(), 1))
}

// A shutdown interrupts what is being sent, and the mail is not lost.
func TestShutdownWhileSending(t *testing.T) {
	t.Parallel()
	sending := make(chan struct{})
	k := vaulttest.New(t, vaulttest.Options{Send: func(ctx context.Context, _ outbox.Mail) error {
		sending <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	}})
	sender := putMailer(t, k)
	kept := k.MustConceal(t, sender, vaulttest.Plaintext, secret.Terms{Recipients: []string{friend}})
	<-sending
	k.Close(t)

	after := newMailKit(t, vaulttest.Options{After: k})
	wantDeliveries(t, after.Kit, sender, kept, delivery(outbox.DeliveryQueued, k.Clock.Now(), 1))
	after.Clock.Advance(time.Minute)
	vaulttest.Want(t, "PostDue()", vaulttest.MustPost(t, after.Kit), 1)
	vaulttest.Want(t, "mails sent", len(after.post.mails()), 1)
}
