package vault_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"hush/storage"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/challenge"
	"hush/vault/counter"
	"hush/vault/credential"
	"hush/vault/outbox"
	"hush/vault/passphrase"
	"hush/vault/password"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/secret"
	"hush/vault/session"
	"hush/vault/signup"
	"hush/vault/vaulttest"
)

// threeNodes returns nodes of one store.
func threeNodes(t *testing.T) (kits []*vaulttest.Kit) {
	t.Helper()
	c := vaulttest.NewCluster(t)
	for _, name := range []string{"a", "b", "c"} {
		kits = append(kits, c.Node(t, name, vaulttest.Options{Manual: true}))
	}
	return kits
}

// The attack: guess a passphrase at every node at once, for the tries of each.
// Each try is reserved in the store before it is hashed, so there are as many as
// on one node: of a network, and of all networks together.
func TestNodesCountPassphrasesTogether(t *testing.T) {
	t.Parallel()
	kits := threeNodes(t)
	terms := secret.Terms{Passphrase: "right"}
	one, many := kits[0].MustConceal(t, caller.Caller{}, "x", terms), kits[0].MustConceal(t, caller.Caller{}, "y", terms)
	for name, test := range map[string]struct {
		kept    secret.Concealed
		network func(i int) caller.Caller
		want    int64
	}{
		"one network":   {one, func(int) caller.Caller { return vaulttest.Caller(1) }, passphrase.NetworkTries},
		"many networks": {many, vaulttest.Caller, passphrase.AllTries},
	} {
		var tried atomic.Int64
		guess := func(i int) {
			_, err := kits[i%len(kits)].Vault.Secrets.RevealSecret(t.Context(), test.network(i), test.kept.Secret.Key.Expose(), secret.Opening{Passphrase: "wrong"})
			switch {
			case errors.Is(err, refusal.ErrPassphrase):
				tried.Add(1)
			case !errors.Is(err, refusal.ErrLocked) && !errors.Is(err, refusal.ErrBusy):
				t.Errorf("RevealSecret(wrong passphrase) by %s: got %v, want ErrPassphrase, ErrLocked or ErrBusy", name, err)
			}
		}
		var all sync.WaitGroup
		for i := range 60 {
			all.Go(func() { guess(i) })
		}
		all.Wait()
		for i := range 60 { // those that were busy
			guess(i)
		}
		if got := tried.Load(); got != test.want {
			t.Errorf("tries of %s at three nodes: got %d, want %d", name, got, test.want)
		}
	}
}

// The attack: guess a password at every node at once.
func TestNodesCountPasswordsTogether(t *testing.T) {
	t.Parallel()
	kits := threeNodes(t)
	kits[0].MustAccount(t, "ada@example.com")
	var tried atomic.Int64
	guess := func(i int) {
		_, err := kits[i%len(kits)].Vault.Sessions.CreateSession(t.Context(), vaulttest.Caller(7), "ada@example.com", "wrong", false)
		switch {
		case errors.Is(err, refusal.ErrCredentials):
			tried.Add(1)
		case !errors.Is(err, refusal.ErrLocked) && !errors.Is(err, refusal.ErrBusy):
			t.Errorf("CreateSession(wrong password): got %v, want ErrCredentials, ErrLocked or ErrBusy", err)
		}
	}
	var all sync.WaitGroup
	for i := range 30 {
		all.Go(func() { guess(i) })
	}
	all.Wait()
	for i := range 30 {
		guess(i)
	}
	vaulttest.Want(t, "tries of one network at three nodes", tried.Load(), int64(password.NetworkTries))
}

// What ends a credential at one node ends it at the next request of every other.
func TestNodesRefuseEndedCredentials(t *testing.T) {
	t.Parallel()
	const address = "ada@example.com"
	type held struct {
		a       *vaulttest.Kit
		caller  caller.Caller // by the session
		session session.SignedIn
		token   credential.APIToken
	}
	for name, test := range map[string]struct {
		end                func(t *testing.T, h held) error
		session, andTokens bool // what ends
	}{
		"sign-out": {func(t *testing.T, h held) error { return h.a.Vault.Sessions.DestroySession(t.Context(), h.caller) }, true, false},
		"revoked session": {func(t *testing.T, h held) error {
			_, err := h.a.Vault.Sessions.RevokeSessions(t.Context(), h.caller, []string{h.session.Session.ID}, false)
			return err
		}, true, false},
		"revoked token": {func(t *testing.T, h held) error {
			return h.a.Vault.Tokens.RevokeAPIToken(t.Context(), h.caller, h.token.ID)
		}, false, true},
		"disabled account": {func(t *testing.T, h held) error {
			_, err := h.a.Vault.Operator().Accounts.DisableAccount(t.Context(), address, true)
			return err
		}, true, true},
		"destroyed account": {func(t *testing.T, h held) error {
			_, err := h.a.Vault.Operator().Accounts.DestroyAccount(t.Context(), address)
			return err
		}, true, true},
		"new password by the operator": {func(t *testing.T, h held) error {
			_, err := h.a.Vault.Operator().Accounts.ResetPassword(t.Context(), address, "another correct horse")
			return err
		}, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kits := threeNodes(t)
			a, b := kits[0], kits[1]
			a.MustAccount(t, address)
			in, err := a.Vault.Sessions.CreateSession(t.Context(), vaulttest.Caller(1), address, vaulttest.Password, false)
			vaulttest.Want(t, "CreateSession()", err, nil)
			bySession := vaulttest.BySession(in.Cookie)
			c, err := a.Vault.Sessions.Authenticate(t.Context(), vaulttest.Caller(1).Network, bySession)
			vaulttest.Want(t, "Authenticate(session)", err, nil)
			token, described, err := a.Vault.Tokens.GenerateAPIToken(t.Context(), c, credential.NewToken{Name: "t"})
			vaulttest.Want(t, "GenerateAPIToken()", err, nil)
			byToken := vaulttest.ByToken(token)
			byAddress := byToken
			byAddress.Address = address
			want := func(when string, cred session.Credential, kind string, ended bool) {
				t.Helper()
				for i := range 2 { // a second time: nothing is remembered
					_, err := b.Vault.Sessions.Authenticate(t.Context(), vaulttest.Caller(1).Network, cred)
					if got := errors.Is(err, refusal.ErrUnauthenticated); got != ended || !ended && err != nil {
						t.Errorf("Authenticate(%s) at another node %s, time %d: got %v, want refused %t", kind, when, i+1, err, ended)
					}
				}
			}
			atB, err := b.Vault.Sessions.Authenticate(t.Context(), vaulttest.Caller(1).Network, bySession)
			vaulttest.Want(t, "Authenticate(session at b)", err, nil)
			want("before", byToken, "token", false)
			want("before", byAddress, "address and token", false)
			vaulttest.Want(t, "end", test.end(t, held{a, c, in, described}), nil)
			want("after", bySession, "session", test.session)
			want("after", byToken, "token", test.andTokens)
			want("after", byAddress, "address and token", test.andTokens)
			if _, err := b.Vault.Sessions.RecheckCaller(t.Context(), atB); errors.Is(err, refusal.ErrUnauthenticated) != test.session {
				t.Errorf("RecheckCaller(session at b): got %v, want refused %t", err, test.session)
			}
		})
	}
}

// The attack: send one solution to every node at once.
func TestNodesTakeASolutionOnce(t *testing.T) {
	t.Parallel()
	kits := threeNodes(t)
	solved := vaulttest.MustSolve(t, kits[0], challenge.ActionSignUp).Payload(t)
	var accepted atomic.Int64
	use := func(i int) {
		err := kits[i%len(kits)].Vault.Challenges.VerifyChallenge(t.Context(), vaulttest.Caller(i), solved, challenge.ActionSignUp)
		if err == nil {
			accepted.Add(1)
		} else if !errors.Is(err, refusal.ErrChallenge) {
			t.Errorf("VerifyChallenge(solution): got %v, want nil or ErrChallenge", err)
		}
	}
	var all sync.WaitGroup
	for i := range 30 {
		all.Go(func() { use(i) })
	}
	all.Wait()
	vaulttest.Want(t, "times that a solution was accepted", accepted.Load(), 1)
	use(1)
	vaulttest.Want(t, "times after one more", accepted.Load(), 1)
}

// A sign-up, whose transaction is levelled, counts in the rows of its own node.
func TestSignUpCountsOnItsNode(t *testing.T) {
	t.Parallel()
	c := vaulttest.NewCluster(t)
	opts := vaulttest.Options{Manual: true, Policy: caller.Policy{SignUp: caller.SignUpOpen}, Send: func(context.Context, outbox.Mail) error { return nil }}
	_, b := c.Node(t, "a", opts), c.Node(t, "b", opts)
	_, err := b.Vault.SignUps.CreateAccount(t.Context(), vaulttest.Caller(1), signup.NewAccount{
		Address: "ada@example.com", Password: vaulttest.Password, Challenge: vaulttest.MustSolve(t, b, challenge.ActionSignUp).Payload(t),
	})
	vaulttest.Want(t, "CreateAccount()", err, nil)
	vaulttest.Want(t, "rows of node 0", len(vaulttest.Get(t, c.Store, rows.BucketSystem, []byte(counter.SystemCounts))), 0)
	found := 0
	err = c.Store.View(t.Context(), func(tx storage.Tx) error {
		return audit.Range(tx, &rows.Damage{}, func(r audit.Row) error {
			if found++; r.Node != 1 {
				t.Errorf("audit row of kind %d: got node %d, want 1", r.Kind, r.Node)
			}
			return nil
		})
	})
	vaulttest.Want(t, "RangeAudit()", err, nil)
	vaulttest.Want(t, "audit rows", found > 0, true)
}
