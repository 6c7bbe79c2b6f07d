package signup_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hush/storage"
	"hush/vault/caller"
	"hush/vault/outbox"
	"hush/vault/refusal"
	"hush/vault/signup"
	"hush/vault/vaulttest"
)

// work is what an answer could be told by, besides itself.
type work struct{ Views, Updates, Reads, Writes, Shares, Hashes int64 }

// workOf is what was done so far.
func workOf(k *vaulttest.AccountKit, s *vaulttest.WorkStore, shares *drawnShares) work {
	return work{
		s.Views.Load(), s.Updates.Load(), s.Reads.Load(), s.Writes.Load(), shares.drawn.Load(), hashes(k),
	}
}

// hashes returns how many passwords and passphrases were hashed.
func hashes(k *vaulttest.AccountKit) int64 { return k.Vault.Monitor.State().Hashed }

// since is the work after some other.
func (w work) since(o work) work {
	return work{w.Views - o.Views, w.Updates - o.Updates, w.Reads - o.Reads, w.Writes - o.Writes, w.Shares - o.Shares, w.Hashes - o.Hashes}
}

// drawnShares counts the shares that were asked for.
type drawnShares struct {
	storage.Shares
	drawn atomic.Int64
}

func (s *drawnShares) Put(ctx context.Context, share [storage.ShareSize]byte) (storage.Slot, error) {
	s.drawn.Add(1)
	return s.Shares.Put(ctx, share)
}

func (s *drawnShares) PutMany(ctx context.Context, shares [][storage.ShareSize]byte) ([]storage.Slot, error) {
	return storage.PutEach(ctx, s, shares)
}

// What there may be at an address.
const (
	atFree    = "free@example.com"
	atPending = "pending@example.com"
	atUsed    = "used@example.com"
	atLocked  = "locked@example.com"
	atBuried  = "buried@example.com"
)

// newStreet opens a vault where all of them are there.
func newStreet(t testing.TB, opts vaulttest.Options) *vaulttest.AccountKit {
	t.Helper()
	k := vaulttest.NewAccountKit(t, opts)
	for _, address := range []caller.Text{atUsed, atLocked, atBuried} {
		k.MustCreate(t, signup.OperatorAccount{Address: address, Password: vaulttest.Password})
	}
	_, err := k.Vault.Operator().Accounts.DisableAccount(t.Context(), atLocked, true)
	vaulttest.WantErr(t, "Operator.DisableAccount(address)", err, nil)
	_, err = k.Vault.Operator().Accounts.DestroyAccount(t.Context(), atBuried)
	vaulttest.WantErr(t, "Operator.DestroyAccount(address)", err, nil)
	vaulttest.WantErr(t, "CreateAccount(address)", k.SignUp(t, atPending, vaulttest.Password), nil)
	k.WantMails(t, outbox.MailVerify)
	k.Clock.Advance(5 * time.Minute)
	return k
}

// The attack: a stranger requests accounts for a list of addresses and compares
// the responses and their times. Whatever is at an address, error and counted
// work are the same. Only the mail differs, which its reader alone sees.
func TestAnswersTellNoAddress(t *testing.T) {
	t.Parallel()
	anybody := vaulttest.Caller(1)
	tests := []struct {
		name  string
		call  func(ctx context.Context, k *vaulttest.AccountKit, address caller.Text) error
		want  error
		mails map[caller.Text]outbox.MailKind
	}{
		{"sign up", func(ctx context.Context, k *vaulttest.AccountKit, address caller.Text) error {
			_, err := k.Vault.SignUps.CreateAccount(ctx, k.Host, signup.NewAccount{Address: address, Password: vaulttest.OtherPassword})
			return err
		}, nil, map[caller.Text]outbox.MailKind{
			atFree: outbox.MailVerify, atPending: outbox.MailVerify, atUsed: outbox.MailTaken, atLocked: outbox.MailTaken,
		}},
		{"resend", func(ctx context.Context, k *vaulttest.AccountKit, address caller.Text) error {
			return k.Vault.SignUps.ResendVerification(ctx, anybody, address)
		}, nil, map[caller.Text]outbox.MailKind{atPending: outbox.MailVerify}},
		{"reset", func(ctx context.Context, k *vaulttest.AccountKit, address caller.Text) error {
			return k.Vault.SignUps.RequestPasswordReset(ctx, anybody, address)
		}, nil, map[caller.Text]outbox.MailKind{atPending: outbox.MailReset, atUsed: outbox.MailReset}},
		{"sign in", func(ctx context.Context, k *vaulttest.AccountKit, address caller.Text) error {
			_, err := k.Vault.Sessions.CreateSession(ctx, anybody, address, "not the password", false)
			return err
		}, refusal.ErrCredentials, nil},
		{"change the address", func(ctx context.Context, k *vaulttest.AccountKit, address caller.Text) error {
			return k.Vault.SignUps.RequestAddressChange(ctx, k.Host, address, vaulttest.Password)
		}, nil, map[caller.Text]outbox.MailKind{atFree: outbox.MailAddress, atPending: outbox.MailAddress}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var store *vaulttest.WorkStore
			var shares *drawnShares
			k := newStreet(t, vaulttest.Options{
				WrapStore: func(s storage.Store) storage.Store {
					store = &vaulttest.WorkStore{Store: s}
					return store
				},
				WrapShares: func(s storage.Shares) storage.Shares {
					shares = &drawnShares{Shares: s}
					return shares
				},
			})
			// What the first mail of an hour brings says nothing of an address.
			err := k.Vault.SignUps.RequestPasswordReset(t.Context(), anybody, "another@example.com")
			vaulttest.Want(t, "RequestPasswordReset(another)", err, nil)
			did := map[caller.Text]work{}
			for _, address := range []caller.Text{atFree, atPending, atUsed, atLocked, atBuried} {
				before := workOf(k, store, shares)
				vaulttest.WantErr(t, test.name+": "+string(address), test.call(vaulttest.Counted(t.Context()), k, address), test.want)
				did[address] = workOf(k, store, shares).since(before)
				kinds := []outbox.MailKind{}
				if kind, ok := test.mails[address]; ok {
					kinds = append(kinds, kind)
				}
				k.WantMails(t, kinds...)
			}
			for address, work := range did {
				if diff := cmp.Diff(did[atFree], work); diff != "" {
					t.Errorf("work at %s: -at a free address +got\n%s", address, diff)
				}
			}
			if did[atFree].Updates == 0 {
				t.Error("counted work: got no updates, want some")
			}
			wantOneAnswer(t, k, test.name, test.call)
		})
	}
}

// wantOneAnswer fails the test unless there is one answer about all addresses
// when no further mail may wait.
func wantOneAnswer(t *testing.T, k *vaulttest.AccountKit, name string, call func(context.Context, *vaulttest.AccountKit, caller.Text) error) {
	t.Helper()
	k.Clock.Advance(time.Hour)
	vaulttest.Want(t, "FillQueue()", k.Store.Update(t.Context(), vaulttest.FillQueue), nil)
	answer := call(t.Context(), k, atFree)
	if answer == nil {
		t.Errorf("%s with a full queue: got nil, want an error", name)
	}
	for _, address := range []caller.Text{atPending, atUsed, atLocked, atBuried} {
		vaulttest.Want(t, name+" with a full queue: "+string(address), call(t.Context(), k, address), answer)
	}
}

// Links that open nothing are refused before anything is written or hashed.
func TestUnknownLinksDoNotReachTheWriter(t *testing.T) {
	t.Parallel()
	var store *vaulttest.WorkStore
	k := vaulttest.NewAccountKit(t, vaulttest.Options{WrapStore: func(s storage.Store) storage.Store {
		store = &vaulttest.WorkStore{Store: s}
		return store
	}})
	ctx, nobody := vaulttest.Counted(t.Context()), caller.Caller{}
	for _, token := range []caller.Text{"", "wrong", "0123456789abcdefghijklmnopqrstu"} {
		_, resetErr := k.Vault.ResetPassword(ctx, nobody, token, vaulttest.OtherPassword)
		err := errors.Join(
			unlessTicket(k.Vault.SignUps.VerifyAccount(ctx, nobody, token, vaulttest.Password)), unlessTicket(resetErr),
			unlessTicket(k.Vault.SignUps.ConfirmAddressChange(ctx, k.Host, token)),
		)
		vaulttest.WantErr(t, "links that open nothing", err, nil)
	}
	vaulttest.Want(t, "updates", store.Updates.Load(), 0)
}

// unlessTicket turns ErrTicket into nil, and nil into an error.
func unlessTicket(err error) error {
	if errors.Is(err, refusal.ErrTicket) {
		return nil
	}
	return errors.Join(err, errors.New("a token that opens nothing did"))
}
