package restoration_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"hush/storage"
	"hush/storage/bolt"
	"hush/storage/sharefile"
	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/claim"
	"hush/vault/counter"
	"hush/vault/credential"
	"hush/vault/outbox"
	"hush/vault/quota"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/restoration"
	"hush/vault/secret"
	"hush/vault/shares"
	"hush/vault/spent"
	"hush/vault/ticket"
	"hush/vault/vaulttest"
)

// mails keeps what is sent.
type mails []outbox.Mail

func (m *mails) send(_ context.Context, mail outbox.Mail) error {
	*m = append(*m, mail)
	return nil
}

// Nothing would ever overwrite a share that no row of the restored store names, such as
// those of queued mails and claims, which are dropped.
func TestOnlySharesOfSecretsAreKept(t *testing.T) {
	t.Parallel()
	var sent mails
	k := vaulttest.New(t, vaulttest.Options{Folder: true, Manual: true, Send: sent.send})
	m := &vaulttest.Member{Kit: k}
	m.ID = m.AddAccount(t, vaulttest.MemberAddress, vaulttest.Password)
	member := m.MustAuthenticate(t, vaulttest.BySession(m.SignIn(t, true).Cookie))
	k.MustConceal(t, member, vaulttest.Plaintext, secret.Terms{Recipients: []string{"friend@example.com"}})
	claimed := k.MustConceal(t, caller.Caller{}, vaulttest.Plaintext, secret.Terms{})
	k.MustRevealClaimed(t, claimed.Secret.Key, vaulttest.Claim(1))
	opened := k.MustConceal(t, caller.Caller{}, vaulttest.Plaintext, secret.Terms{})
	for _, bucket := range []string{outbox.BucketOutbox, claim.BucketClaim} {
		vaulttest.Want(t, "rows of "+bucket+" before", len(vaulttest.RowsIn(t, k.Store, bucket)) > 0, true)
	}

	r := restoration.New(restoration.Options{Keys: k.Keys, Now: k.Clock.Now, Log: slog.New(slog.DiscardHandler)})
	err := k.Store.(*bolt.Store).Snapshot(t.Context(), func(s *bolt.Snapshot) error {
		return s.Rows(t.Context(), func(bucket string, key, value []byte) error {
			r.KeepsRow(bucket, key, value)
			return nil
		})
	})
	vaulttest.Want(t, "Snapshot()", err, nil)
	freed := slotOf(t, k.Store, opened)
	k.MustReveal(t, caller.Caller{}, opened.Secret.Key, "")
	vaulttest.AwaitShred(t, k)
	for reused := false; !reused; { // a younger secret takes the slot, with another generation
		reused = slotOf(t, k.Store, k.MustConceal(t, caller.Caller{}, vaulttest.Plaintext, secret.Terms{})).Number == freed.Number
	}
	all, kept := 0, 0
	_, err = k.Shares.(*sharefile.File).Live(t.Context(), func(slot storage.Slot, _ [storage.ShareSize]byte) error {
		if all++; r.KeepsShare(slot) {
			kept++
		}
		return nil
	})
	vaulttest.Want(t, "Live()", err, nil)
	vaulttest.Want(t, "shares kept", kept, 1)
	vaulttest.Want(t, "shares in the folder, of a secret, mails and a claim at least", all > 2, true)
}

// What a restore ends is of no use afterwards, and the rest works.
func TestSettle(t *testing.T) {
	t.Parallel()
	var sent mails
	k := vaulttest.New(t, vaulttest.Options{Folder: true, Manual: true, Send: sent.send})
	ctx, stranger := t.Context(), vaulttest.Caller(7)
	m := &vaulttest.Member{Kit: k}
	m.ID = m.AddAccount(t, vaulttest.MemberAddress, vaulttest.Password)
	in := m.SignIn(t, true)
	member := m.MustAuthenticate(t, vaulttest.BySession(in.Cookie))
	token := m.MustToken(t, member, credential.NewToken{Name: "stays"})
	shared := k.MustConceal(t, member, vaulttest.Plaintext, secret.Terms{Recipients: []string{"friend@example.com"}})
	claimed := k.MustConceal(t, stranger, vaulttest.Plaintext, secret.Terms{})
	k.MustRevealClaimed(t, claimed.Secret.Key, vaulttest.Claim(1))
	vaulttest.Want(t, "RequestPasswordReset()", k.Vault.SignUps.RequestPasswordReset(ctx, stranger, vaulttest.MemberAddress), nil)
	vaulttest.Want(t, "RequestAddressChange()", k.Vault.SignUps.RequestAddressChange(ctx, member, "next@example.com", vaulttest.Password), nil)
	k.Close(t)
	k = vaulttest.New(t, vaulttest.Options{After: k, Manual: true, Send: sent.send})
	before := counts(t, k)

	ended := settle(t, k)
	want := restoration.Dropped{Sessions: int(before[counter.Sessions]), Tickets: 2, Mails: int(before[counter.Queued]), Claims: 1}
	vaulttest.Want(t, "Settle()", ended, want)
	vaulttest.Want(t, "sessions and mails before", want.Sessions > 0 && want.Mails > 2, true)
	after := counts(t, k)
	vaulttest.Want(t, "counter of sessions", after[counter.Sessions], 0)
	vaulttest.Want(t, "counter of queued mails", after[counter.Queued], 0)
	for _, bucket := range []string{credential.BucketSession, credential.BucketSessions, ticket.BucketTicket, outbox.BucketOutbox, claim.BucketClaim, claim.BucketDeadline} {
		vaulttest.Want(t, "rows of "+bucket, len(vaulttest.RowsIn(t, k.Store, bucket)), 0)
	}
	k.WantNotRevealed(t, "restored claim", claimed.Secret.Key, vaulttest.Claim(1))
	vaulttest.Want(t, "Outcome", k.MustMetadata(t, stranger, claimed.Metadata.Key).Outcome, receipt.OutcomeLapsed)
	vaulttest.Want(t, "Settle(again)", settle(t, k), restoration.Dropped{})

	_, err := k.Vault.Sessions.Authenticate(ctx, stranger.Network, vaulttest.BySession(in.Cookie))
	vaulttest.WantErr(t, "Authenticate(session)", err, refusal.ErrUnauthenticated)
	vaulttest.Want(t, "PostDue()", vaulttest.MustPost(t, k), 0)
	vaulttest.Want(t, "mails sent", len(sent), 0)
	m = &vaulttest.Member{Kit: k, ID: m.ID}
	m.MustAuthenticate(t, vaulttest.ByToken(token))
	back := m.MustAuthenticate(t, vaulttest.BySession(m.SignIn(t, true).Cookie))
	vaulttest.Want(t, "pending address", mustAccount(t, k, back).PendingAddress, "")
	metadata := k.MustMetadata(t, back, shared.Metadata.Key)
	for _, d := range metadata.Deliveries {
		vaulttest.Want(t, "state of a delivery", d.State, outbox.DeliveryDropped)
	}
	vaulttest.Want(t, "deliveries", len(metadata.Deliveries), 1)
	vaulttest.Want(t, "RevealSecret()", k.MustReveal(t, stranger, shared.Secret.Key, ""), vaulttest.Plaintext)
}

// A row that cannot be read is no reason to keep it, or to keep the others.
func TestSettleDamagedRows(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Folder: true, Manual: true})
	m := &vaulttest.Member{Kit: k}
	m.ID = m.AddAccount(t, vaulttest.MemberAddress, vaulttest.Password)
	m.SignIn(t, true)
	for _, bucket := range []string{credential.BucketSession, ticket.BucketTicket, outbox.BucketOutbox, claim.BucketClaim, claim.BucketDeadline} {
		vaulttest.Put(t, k.Store, bucket, []byte("short"), []byte("damaged"))
		vaulttest.Put(t, k.Store, bucket, make([]byte, 32), []byte("damaged"))
	}
	settle(t, k)
	for _, bucket := range []string{credential.BucketSession, ticket.BucketTicket, outbox.BucketOutbox, claim.BucketClaim, claim.BucketDeadline} {
		vaulttest.Want(t, "rows of "+bucket, len(vaulttest.RowsIn(t, k.Store, bucket)), 0)
	}
}

// settle settles the store of a kit as a restore does that goes by no log.
func settle(t *testing.T, k *vaulttest.Kit) restoration.Dropped {
	t.Helper()
	r := restoration.New(restoration.Options{Keys: k.Keys, Now: k.Clock.Now, Log: slog.New(slog.DiscardHandler)})
	report, err := r.Settle(t.Context(), k.Store, k.Shares)
	vaulttest.Want(t, "Settle()", err, nil)
	return report.Dropped
}

func counts(t *testing.T, k *vaulttest.Kit) (all counter.Counts) {
	t.Helper()
	vaulttest.Want(t, "View()", k.Store.View(t.Context(), func(tx storage.Tx) (err error) {
		all, err = counter.Get(tx)
		return err
	}), nil)
	return all
}

func mustAccount(t *testing.T, k *vaulttest.Kit, c caller.Caller) account.Account {
	t.Helper()
	a, err := k.Vault.Accounts.GetAccount(t.Context(), c)
	vaulttest.Want(t, "GetAccount()", err, nil)
	return a
}

// What a list of the old store names is no business of the new one, which would destroy
// slots of others by it or log what it did not end.
func TestListsOfTheOldStoreAreLeftOut(t *testing.T) {
	t.Parallel()
	r := restoration.New(restoration.Options{Keys: vaulttest.New(t, vaulttest.Options{}).Keys, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	for _, bucket := range []string{shares.BucketShred, shares.BucketEpoch, spent.BucketPending, quota.BucketUsage} {
		vaulttest.Want(t, "KeepsRow("+bucket+")", r.KeepsRow(bucket, []byte("key"), []byte("value")), false)
	}
	vaulttest.Want(t, "KeepsRow("+account.BucketAccount+")", r.KeepsRow(account.BucketAccount, []byte("key"), []byte("value")), true)
}
