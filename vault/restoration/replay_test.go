package restoration_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/storage/bolt"
	"hush/storage/spentlog"
	"hush/vault"
	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/request"
	"hush/vault/restoration"
	"hush/vault/secret"
	"hush/vault/session"
	"hush/vault/signup"
	"hush/vault/spent"
	"hush/vault/vaulttest"
)

// scene is a vault with a spent log and what may end in it.
type scene struct {
	*vaulttest.Member
	dir     string // of the log
	c       caller.Caller
	session session.Credential
	token   seal.APIToken
	kept    secret.Concealed   // of no account
	owned   []secret.Concealed // of the member's
}

func newScene(t *testing.T) *scene {
	t.Helper()
	s := &scene{dir: filepath.Join(t.TempDir(), "log")}
	s.Member = vaulttest.NewMember(t, vaulttest.Options{SpentLog: s.dir})
	s.session = vaulttest.BySession(s.SignIn(t, false).Cookie)
	s.c = s.MustAuthenticate(t, s.session)
	s.token = s.MustToken(t, s.c, credential.NewToken{Name: "first"})
	s.kept = s.MustConceal(t, caller.Caller{}, "the text", secret.Terms{TTL: new(time.Minute)})
	for range 2 {
		s.owned = append(s.owned, s.MustConceal(t, s.c, "the text", secret.Terms{}))
	}
	return s
}

// restoreCopy replays the log of a scene on a copy of its folder, and opens that in
// its place with the log.
func (s *scene) restoreCopy(t *testing.T, dir string, after uint64, replays func(opts vault.Options, log *spentlog.Reader)) *vaulttest.Member {
	t.Helper()
	opts, clock := s.VaultOptions(), s.Clock.Now()
	s.Close(t)
	folder, err := bolt.OpenFolder(dir)
	vaulttest.Want(t, "OpenFolder(copy)", err, nil)
	store, shares, err := folder.Open(bolt.Options{Small: true})
	vaulttest.Want(t, "Open(copy)", err, nil)
	log, err := spentlog.Read(s.dir)
	vaulttest.Want(t, "spentlog.Read()", err, nil)
	vaulttest.Want(t, "Continues()", spent.Continues(log, log.ID(), after), nil)
	opts.Store, opts.Shares = store, shares
	replays(opts, log)
	appended, err := spentlog.Open(s.dir, spentlog.Options{})
	vaulttest.Want(t, "spentlog.Open()", err, nil)
	vaulttest.Want(t, "Adopt()", spent.Adopt(t.Context(), store, appended, s.dir, after, clock), nil)
	vaulttest.Want(t, "Restored()", spent.Restored(appended, after, clock), nil)
	vaulttest.Want(t, "Settle()", spent.Settle(t.Context(), store, appended, after, clock), nil)
	vaulttest.Want(t, "Close(log, copy)", errors.Join(appended.Close(), folder.Close()), nil)
	k := vaulttest.New(t, vaulttest.Options{Manual: true, Dir: dir, RootKey: &s.RootKey, SpentLog: s.dir, Start: clock})
	return &vaulttest.Member{Kit: k, ID: s.ID}
}

// The attack: wait for a restore of a backup, and open what was revealed, burned or
// expired after it, with credentials that were revoked. With the log none of it
// works, and everything else does.
func TestReplay(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	o := s.Vault.Operator().Accounts
	conceal := func(text caller.Text) secret.Concealed {
		return s.MustConceal(t, caller.Caller{}, text, secret.Terms{})
	}
	revealed, burned, alive := conceal("revealed"), conceal("burned"), conceal("alive")
	others := map[string]caller.AccountID{}
	for _, name := range []string{"changed", "reset", "disabled", "destroyed", "demoted"} {
		made, err := s.Vault.Operator().SignUps.CreateAccount(t.Context(), signup.OperatorAccount{Address: caller.Text(name + "@example.com"), Password: vaulttest.Password, Role: account.RoleColonel})
		vaulttest.Want(t, "CreateAccount()", err, nil)
		others[name] = made.ID
	}
	signIn := func(k *vaulttest.Kit, name, password string) error {
		_, err := k.Vault.Sessions.CreateSession(t.Context(), vaulttest.Caller(1), caller.Text(name+"@example.com"), caller.Text(password), false)
		return err
	}
	changing := s.MustSignIn(t, "changed@example.com", vaulttest.Password)
	lasting := s.MustToken(t, changing, credential.NewToken{Name: "lasting"})
	resetting := s.MustSignIn(t, "reset@example.com", vaulttest.Password)
	lost := s.MustToken(t, resetting, credential.NewToken{Name: "lost"})
	ofDestroyed := s.MustConceal(t, s.MustSignIn(t, "destroyed@example.com", vaulttest.Password), "of a destroyed account", secret.Terms{})
	vaulttest.AwaitShred(t, s.Kit)
	_, after := s.SpentLog.Position()
	dir := s.CopyDir(t)

	s.Clock.Advance(time.Minute) // kept expires
	at := s.Clock.Now()
	s.MustReveal(t, caller.Caller{}, revealed.Secret.Key, "")
	s.MustBurn(t, caller.Caller{}, burned.Metadata.Key, "")
	s.MustSweep(t)
	vaulttest.Want(t, "DestroySession()", s.Vault.Sessions.DestroySession(t.Context(), s.c), nil)
	_, err := s.Vault.Operator().Tokens.RevokeToken(t.Context(), vaulttest.MemberAddress, "first")
	vaulttest.Want(t, "RevokeToken()", err, nil)
	vaulttest.Want(t, "ChangeAccountPassword()", s.Vault.Passwords.ChangeAccountPassword(t.Context(), changing, vaulttest.Password, "another horse battery"), nil)
	_, err = o.ResetPassword(t.Context(), "reset@example.com", "another horse battery")
	vaulttest.Want(t, "ResetPassword()", err, nil)
	_, err = o.DisableAccount(t.Context(), "disabled@example.com", true)
	vaulttest.Want(t, "DisableAccount()", err, nil)
	_, err = o.SetRole(t.Context(), "demoted@example.com", account.RoleCustomer)
	vaulttest.Want(t, "SetRole()", err, nil)
	_, err = o.DestroyAccount(t.Context(), "destroyed@example.com")
	vaulttest.Want(t, "DestroyAccount()", err, nil)
	// An account that the backup does not have.
	s.AddAccount(t, "younger@example.com", vaulttest.Password)
	_, err = o.ResetPassword(t.Context(), "younger@example.com", "another horse battery")
	vaulttest.Want(t, "ResetPassword(younger)", err, nil)

	k := s.restoreCopy(t, dir, after, func(opts vault.Options, log *spentlog.Reader) {
		interrupted, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := restoration.Replay(interrupted, opts, log, after)
		vaulttest.WantErr(t, "Replay(interrupted)", err, context.Canceled)
		done, err := restoration.Replay(t.Context(), opts, log, after)
		vaulttest.Want(t, "Replay()", err, nil)
		vaulttest.Want(t, "Replay()", done, restoration.Replayed{
			Entries: log.Last() - after, Secrets: 4, Sessions: 1, Tokens: 1, Accounts: 1, Passwords: 2, Disabled: 1, Roles: 1,
		})
		again, err := restoration.Replay(t.Context(), opts, log, after)
		vaulttest.Want(t, "Replay(again)", err, nil)
		vaulttest.Want(t, "Replay(again)", again, restoration.Replayed{Entries: log.Last() - after, Passwords: 2})
	})
	for name, c := range map[string]struct {
		gone  secret.Concealed
		state receipt.State
	}{
		"revealed": {revealed, receipt.StateReceived}, "burned": {burned, receipt.StateBurned},
		"expired": {s.kept, receipt.StateExpired}, "destroyed": {ofDestroyed, receipt.StateBurned},
	} {
		vaulttest.WantErr(t, "RevealSecret("+name+")", vaulttest.RevealErr(t, k.Kit, caller.Caller{}, c.gone.Secret.Key.Expose(), ""), refusal.ErrNotFound)
		metadata := k.MustMetadata(t, caller.Caller{}, c.gone.Metadata.Key)
		vaulttest.Want(t, "state of "+name, metadata.State, c.state)
		if name == "revealed" {
			vaulttest.Want(t, "end of revealed", metadata.Ended.Equal(at), true)
		}
	}
	vaulttest.Want(t, "alive", k.MustReveal(t, caller.Caller{}, alive.Secret.Key, ""), "alive")
	vaulttest.Want(t, "of the member", k.MustReveal(t, caller.Caller{}, s.owned[0].Secret.Key, ""), "the text")
	vaulttest.WantErr(t, "Authenticate(ended session)", k.AuthErr(t, s.session), refusal.ErrUnauthenticated)
	vaulttest.WantErr(t, "Authenticate(revoked token)", k.AuthErr(t, vaulttest.ByToken(s.token)), refusal.ErrUnauthenticated)
	vaulttest.WantErr(t, "Authenticate(token of a reset account)", k.AuthErr(t, vaulttest.ByToken(lost)), refusal.ErrUnauthenticated)
	vaulttest.Want(t, "Authenticate(token of a changed password)", k.AuthErr(t, vaulttest.ByToken(lasting)), nil)
	for name := range others {
		if name != "demoted" {
			vaulttest.WantErr(t, "CreateSession("+name+")", signIn(k.Kit, name, vaulttest.Password), refusal.ErrCredentials)
		}
	}
	vaulttest.Want(t, "CreateSession(demoted)", signIn(k.Kit, "demoted", vaulttest.Password), nil)
	shown, err := k.Vault.Operator().Accounts.GetAccount(t.Context(), "demoted@example.com")
	vaulttest.Want(t, "GetAccount(demoted)", err, nil)
	vaulttest.Want(t, "role", shown.Role, account.RoleCustomer)
	_, err = k.Vault.Operator().Accounts.ResetPassword(t.Context(), "changed@example.com", "third horse battery")
	vaulttest.Want(t, "ResetPassword(changed)", err, nil)
	vaulttest.Want(t, "CreateSession(changed, reset)", signIn(k.Kit, "changed", "third horse battery"), nil)
	k.Close(t)

	log, err := spentlog.Read(s.dir)
	vaulttest.Want(t, "spentlog.Read()", err, nil)
	vaulttest.Want(t, "Continues(same backup again)", spent.Continues(log, log.ID(), after), nil)
	vaulttest.WantErr(t, "Continues(backup of the abandoned data)", spent.Continues(log, log.ID(), after+3), spent.ErrAbandoned)
	vaulttest.WantErr(t, "Continues(later backup)", spent.Continues(log, log.ID(), log.Last()+1), spent.ErrBehind)
	vaulttest.WantErr(t, "Continues(another log)", spent.Continues(log, spentlog.ID{1}, after), spent.ErrOther)
}

// The attack: wait for a restore, and open answers that were opened, burned or claimed
// after the backup. With the log none of it works. The requests themselves come back as
// they were in the backup: one that was closed since is open again, and that of an account
// that was destroyed since is closed.
func TestReplayOfRequests(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	owned, ofDestroyed := s.MustAsk(t, s.c, 9), s.MustAsk(t, s.mustEnterAs(t, "destroyed@example.com"), 9)
	stranger := vaulttest.Caller(3)
	answers := map[string]*vaulttest.Answered{}
	for _, name := range []string{"waiting", "opened", "burned", "claimed"} {
		answers[name] = s.MustAnswer(t, stranger, owned, name)
	}
	s.MustAnswer(t, stranger, ofDestroyed, "of a destroyed account")
	shown := s.MustCollect(t, stranger, owned)
	vaulttest.AwaitShred(t, s.Kit)
	_, after := s.SpentLog.Position()
	dir := s.CopyDir(t)
	for name, by := range map[string]caller.Text{"opened": "", "claimed": vaulttest.Claim(1)} {
		_, err := s.OpenAnswer(t, stranger, owned, vaulttest.AnswerOf(t, shown, answers[name]), by)
		vaulttest.Want(t, "OpenAnswer("+name+")", err, nil)
	}
	s.MustBurn(t, stranger, answers["burned"].Metadata.Key, "")
	_, err := s.Vault.Requests.CloseByLink(t.Context(), stranger, owned.CollectLink(), false)
	vaulttest.Want(t, "CloseByLink()", err, nil)
	_, err = s.Vault.Operator().Accounts.DestroyAccount(t.Context(), "destroyed@example.com")
	vaulttest.Want(t, "DestroyAccount()", err, nil)

	k := s.restoreCopy(t, dir, after, func(opts vault.Options, log *spentlog.Reader) {
		_, err := restoration.Replay(t.Context(), opts, log, after)
		vaulttest.Want(t, "Replay()", err, nil)
	})
	got := k.MustCollect(t, stranger, owned)
	vaulttest.Want(t, "state of the request", got.Request.State, request.StateOpen)
	vaulttest.Want(t, "waiting", got.Request.Waiting, 1)
	for name, answered := range answers {
		now := vaulttest.AnswerOf(t, got, answered)
		vaulttest.Want(t, name+" shows its key", now.Secret != nil, name == "waiting")
		if name == "waiting" {
			continue
		}
		for _, by := range []caller.Text{"", vaulttest.Claim(1)} {
			_, err := k.OpenAnswer(t, stranger, owned, vaulttest.AnswerOf(t, shown, answered), by)
			vaulttest.WantErr(t, "OpenAnswer("+name+")", err, refusal.ErrNotFound)
		}
		m, err := k.SendAnswer(t, stranger, owned, answered)
		vaulttest.Want(t, "AnswerRequest("+name+" again)", err, nil)
		vaulttest.Want(t, "receipt", m.Key, answered.Metadata.Key)
	}
	text, err := k.OpenAnswer(t, stranger, owned, vaulttest.AnswerOf(t, got, answers["waiting"]), "")
	vaulttest.Want(t, "OpenAnswer(waiting)", err, nil)
	vaulttest.Want(t, "text", text, "waiting")
	closed := k.MustCollect(t, stranger, ofDestroyed).Request
	vaulttest.Want(t, "state of a destroyed account's", closed.State, request.StateClosed)
	vaulttest.Want(t, "waiting of a destroyed account's", closed.Waiting, 0)
}

// mustEnterAs makes another account and signs in with it.
func (s *scene) mustEnterAs(t *testing.T, address caller.Text) caller.Caller {
	t.Helper()
	s.AddAccount(t, address, vaulttest.Password)
	return s.MustSignIn(t, address, vaulttest.Password)
}

// failingShares destroys nothing.
type failingShares struct{ storage.Shares }

var errDisk = errors.New("disk says no")

func (failingShares) Destroy(context.Context, ...storage.Slot) error { return errDisk }

// The attack: damage the receipt of a secret in a backup, so that a replay cannot end the
// secret, and open it. At least its share goes, and a failure of that fails the replay.
func TestReplayDestroysShareBesideDamage(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	revealed := s.MustConceal(t, caller.Caller{}, "revealed", secret.Terms{})
	slot := slotOf(t, s.Store, revealed)
	vaulttest.AwaitShred(t, s.Kit)
	_, after := s.SpentLog.Position()
	dir := s.CopyDir(t)
	s.MustReveal(t, caller.Caller{}, revealed.Secret.Key, "")
	s.restoreCopy(t, dir, after, func(opts vault.Options, log *spentlog.Reader) {
		row := revealed.Metadata.Key.RowKey(seal.KindMetadata)
		vaulttest.Put(t, opts.Store, receipt.BucketMetadata, row[:], []byte("damaged"))
		failing := opts
		failing.Shares = failingShares{opts.Shares}
		_, err := restoration.Replay(t.Context(), failing, log, after)
		vaulttest.WantErr(t, "Replay(failing shares)", err, errDisk)
		_, err = opts.Shares.Get(t.Context(), slot)
		vaulttest.Want(t, "Get(slot) before", err, nil)
		_, err = restoration.Replay(t.Context(), opts, log, after)
		vaulttest.Want(t, "Replay()", err, nil)
		_, err = opts.Shares.Get(t.Context(), slot)
		vaulttest.WantErr(t, "Get(slot of a secret with a damaged receipt)", err, storage.ErrShareGone)
	}).Close(t)
}

// slotOf returns the slot of a secret.
func slotOf(t *testing.T, store storage.Store, s secret.Concealed) (slot storage.Slot) {
	t.Helper()
	row := s.Secret.Key.RowKey(seal.KindSecret)
	err := store.View(t.Context(), func(tx storage.Tx) error {
		value, err := tx.Get(secret.BucketSecret, row[:])
		if err != nil {
			return err
		}
		slot, _, _, err = secret.Holding().Find(row[:], value)
		return err
	})
	vaulttest.Want(t, "slot of a secret", err, nil)
	return slot
}
