package outbox_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hush/vault/caller"
	"hush/vault/outbox"
	"hush/vault/rows"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

const (
	friend       = "friend-canary@example.com"
	friendHidden = "fr*****@e*****.com"
	mailer       = "mailer-canary@example.org"
)

// postOffice takes what a vault sends, or refuses it with an error.
type postOffice struct {
	mu    sync.Mutex
	tried []outbox.Mail
	err   error
}

func (p *postOffice) send(_ context.Context, m outbox.Mail) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tried = append(p.tried, m)
	return p.err
}

// fail sets the answer to further mails.
func (p *postOffice) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.err = err
}

// mails returns what was tried so far, in the order of addresses.
func (p *postOffice) mails() []outbox.Mail {
	p.mu.Lock()
	defer p.mu.Unlock()
	tried := slices.Clone(p.tried)
	slices.SortStableFunc(tried, func(a, b outbox.Mail) int { return strings.Compare(string(a.To), string(b.To)) })
	return tried
}

// mailKit is a vault with an account that shares, and a post office.
type mailKit struct {
	*vaulttest.Kit
	post   *postOffice
	sender caller.Caller
}

func newMailKit(t *testing.T, opts vaulttest.Options) *mailKit {
	t.Helper()
	k := &mailKit{post: &postOffice{}}
	opts.Manual = true
	if opts.Send == nil {
		opts.Send = k.post.send
	}
	k.Kit = vaulttest.New(t, opts)
	k.sender = putMailer(t, k.Kit)
	return k
}

// putMailer makes an account that shares secrets.
func putMailer(t *testing.T, k *vaulttest.Kit) (sender caller.Caller) {
	t.Helper()
	err := k.Store.Update(t.Context(), rows.Plain(func(tx *rows.Tx) (err error) {
		sender, err = storeMailer(tx, mailer, "pt_BR", k.Clock.Now())
		return err
	}))
	vaulttest.Want(t, "storeMailer()", err, nil)
	return sender
}

// mustShare conceals a secret and has its link sent to friend.
func (k *mailKit) mustShare(t *testing.T) secret.Concealed {
	t.Helper()
	return k.MustConceal(t, k.sender, vaulttest.Plaintext, secret.Terms{Recipients: []string{friend}})
}

// wantDeliveries compares what a receipt tells of its mails.
func wantDeliveries(t *testing.T, k *vaulttest.Kit, sender caller.Caller, kept secret.Concealed, deliveries ...outbox.Delivery) {
	t.Helper()
	got := k.MustMetadata(t, sender, kept.Metadata.Key).Deliveries
	if diff := cmp.Diff(deliveries, got); diff != "" {
		t.Errorf("GetMetadata(key).Deliveries: -want +got\n%s", diff)
	}
}

// delivery is what became of the mail to friend.
func delivery(state outbox.DeliveryState, updated time.Time, attempts int) outbox.Delivery {
	return outbox.Delivery{Recipient: friendHidden, State: state, Updated: updated, Attempts: attempts}
}

// wantCounts compares the mails that wait, that were sent, and that the
// account's tally knows of.
func (k *mailKit) wantCounts(t *testing.T, queued, emails int64, tally uint64) {
	t.Helper()
	err := k.Store.View(t.Context(), rows.Plain(func(tx *rows.Tx) error {
		gotQueued, gotEmails, gotTally, err := mailCounts(tx, k.sender)
		vaulttest.Want(t, "mails that wait", gotQueued, queued)
		vaulttest.Want(t, "mails sent", gotEmails, emails)
		vaulttest.Want(t, "mails sent for the account", gotTally, tally)
		return err
	}))
	vaulttest.Want(t, "MailCounts()", err, nil)
	vaulttest.Want(t, "rows of the queue", len(vaulttest.RowsIn(t, k.Store, outbox.BucketOutbox)), int(queued))
}
