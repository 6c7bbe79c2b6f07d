package kills_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"connectrpc.com/connect"

	adminv1 "hush/gen/hush/admin/v1"
	hushv1 "hush/gen/hush/v1"
	"hush/gen/hush/v1/hushv1connect"
	"hush/routes/apitest"
)

// accountLedger is what one client did with accounts over several lives of the
// server.
type accountLedger struct {
	accounts []*ledgerAccount
	bare     []*ledgerAccount // those whose first token was not answered
	client   int
	number   int
	random   *rand.Rand
	wrong    []string // answers that a living server must not give
}

// ledgerAccount is an account that was acknowledged.
type ledgerAccount struct {
	address  string
	password string // empty for one that the operator made
	signedIn bool   // after an earlier crash
	// listing is a token that was made before anything was shared, and stays.
	listing string
	tokens  []*ledgerToken
	secrets *ledger
}

// tokenFate is what a client knows of a token that was acknowledged.
type tokenFate int

const (
	tokenLives    tokenFate = iota
	tokenRevoked            // its end was answered
	tokenDoubtful           // its end was asked for, and the answer never came
)

type ledgerToken struct {
	id, token string
	fate      tokenFate
	settled   bool // compared after an earlier crash, and not touched since
	acked     time.Time
}

// went reports whether a call succeeded. A stopped server is expected, and a
// busy server says so.
func (l *accountLedger) went(call string, err error) bool {
	if err != nil && connect.IsWireError(err) && connect.CodeOf(err) != connect.CodeUnavailable {
		l.wrong = append(l.wrong, fmt.Sprintf("%s: got %v, want success or no answer", call, err))
	}
	return err == nil
}

// step does one thing and reports whether it got a response.
func (l *accountLedger) step(ctx context.Context, s *accountServer) bool {
	draw := l.random.IntN(20)
	if len(l.accounts) == 0 || draw == 0 {
		return l.operate(ctx, s)
	}
	a := l.accounts[l.random.IntN(len(l.accounts))]
	switch {
	case draw == 1:
		return l.signUp(ctx, s, a)
	case draw < 5:
		return l.makeToken(ctx, s, a)
	case draw < 7:
		return l.revoke(ctx, s, a)
	}
	drivers := s.drivers(a)
	d := drivers[l.random.IntN(len(drivers))]
	if waiting := len(a.secrets.waiting); waiting > 0 && draw > 14 {
		return a.secrets.end(ctx, d, l.random.IntN(waiting), draw == 19)
	}
	return a.secrets.conceal(ctx, d)
}

func (l *accountLedger) nextAddress() string {
	l.number++
	return fmt.Sprintf("number%d@client%d.com", l.number, l.client)
}

// operate makes an account as the operator does.
func (l *accountLedger) operate(ctx context.Context, s *accountServer) bool {
	address := l.nextAddress()
	_, err := s.admin.CreateAccount(ctx, &adminv1.CreateAccountRequest{Address: address, Role: hushv1.Role_ROLE_CUSTOMER})
	return l.went("operator's account", err) && l.admit(ctx, s, &ledgerAccount{address: address})
}

// signUp makes an account with a password. Another account of the client asks,
// so that no challenge is to be solved.
func (l *accountLedger) signUp(ctx context.Context, s *accountServer, by *ledgerAccount) bool {
	a := &ledgerAccount{address: l.nextAddress(), password: fmt.Sprintf("password %d of client %d", l.number, l.client)}
	_, err := s.accounts(apitest.Bearer(by.listing)).CreateAccount(ctx, &hushv1.CreateAccountRequest{Address: a.address, Password: a.password})
	return l.went("sign-up", err) && l.admit(ctx, s, a)
}

// admit gives a new account the token that lists everything. An account whose
// token was not answered is only signed in to.
func (l *accountLedger) admit(ctx context.Context, s *accountServer, a *ledgerAccount) bool {
	a.secrets = newLedger(l.client)
	made, err := s.admin.CreateToken(ctx, &adminv1.CreateTokenRequest{Account: a.address, Name: "listing"})
	if !l.went("operator's token", err) {
		l.bare = append(l.bare, a)
		return false
	}
	a.listing = made.GetToken()
	l.accounts = append(l.accounts, a)
	return true
}

// makeToken is the operator's work one time and the account's the other.
func (l *accountLedger) makeToken(ctx context.Context, s *accountServer, a *ledgerAccount) bool {
	if len(a.tokens) >= 10 && a.tokens[len(a.tokens)-10].fate == tokenLives {
		return l.revoke(ctx, s, a)
	}
	l.number++
	name := fmt.Sprint("token ", l.number)
	if l.number%2 == 0 {
		made, err := s.admin.CreateToken(ctx, &adminv1.CreateTokenRequest{Account: a.address, Name: name})
		if l.went("operator's token", err) {
			a.tokens = append(a.tokens, &ledgerToken{id: made.GetApiToken().GetTokenId(), token: made.GetToken(), acked: time.Now()})
		}
		return err == nil
	}
	made, err := s.accounts(apitest.Bearer(a.listing)).GenerateApiToken(ctx, &hushv1.GenerateApiTokenRequest{Name: name})
	if l.went("account's token", err) {
		a.tokens = append(a.tokens, &ledgerToken{id: made.GetApiToken().GetTokenId(), token: made.GetToken(), acked: time.Now()})
	}
	return err == nil
}

// revoke ends the oldest token that lives.
func (l *accountLedger) revoke(ctx context.Context, s *accountServer, a *ledgerAccount) bool {
	for _, token := range a.tokens {
		if token.fate != tokenLives {
			continue
		}
		token.fate, token.settled = tokenDoubtful, false
		_, err := s.accounts(apitest.Bearer(a.listing)).RevokeApiToken(ctx, &hushv1.RevokeApiTokenRequest{TokenId: token.id})
		if l.went("revoke", err) {
			token.fate = tokenRevoked
		}
		return err == nil
	}
	return true
}

// check compares the ledger with what a server says after crash number cycle.
func (l *accountLedger) check(t *testing.T, s *accountServer, cycle int, last bool) {
	t.Helper()
	for _, wrong := range l.wrong {
		t.Error(wrong)
	}
	for _, a := range slices.Concat(l.bare, l.accounts) {
		if a.password != "" && (!a.signedIn || last) {
			a.checkPassword(t, s)
		}
	}
	for _, a := range l.accounts {
		for _, token := range a.tokens {
			if !token.settled || last {
				token.check(t, s, a.address)
			}
		}
		a.checkList(t, s)
		drivers := s.drivers(a)
		a.secrets.check(t, drivers[(cycle+l.client)%len(drivers)], cycle, last)
	}
}

func (a *ledgerAccount) checkPassword(t *testing.T, s *accountServer) {
	t.Helper()
	client := hushv1connect.NewSessionServiceClient(s.client, s.URL)
	in, err := client.CreateSession(t.Context(), &hushv1.CreateSessionRequest{Address: a.address, Password: a.password})
	if err != nil || in.GetAccount().GetAddress() != a.address {
		t.Errorf("sign-in to the acknowledged account %s: got %v, want success", a.address, err)
	}
	a.signedIn = true
}

func (k *ledgerToken) check(t *testing.T, s *accountServer, address string) {
	t.Helper()
	err := s.authcheck(t.Context(), k.token)
	switch code := connect.CodeOf(err); {
	case err == nil && k.fate != tokenRevoked:
		k.fate = tokenLives
	case code == connect.CodeUnauthenticated && k.fate != tokenLives:
		k.fate = tokenRevoked
	default:
		t.Errorf("token of %s after fate %d: got %v, want them to agree", address, k.fate, err)
	}
	k.settled = true
}

// checkList fetches the account's list and looks for everything that was
// acknowledged.
func (a *ledgerAccount) checkList(t *testing.T, s *accountServer) {
	t.Helper()
	listed := map[string]bool{}
	client := hushv1connect.NewMetadataServiceClient(s.with(apitest.Bearer(a.listing)), s.URL)
	for token := ""; ; {
		page, err := client.ListMetadata(t.Context(), &hushv1.ListMetadataRequest{PageSize: 500, PageToken: token})
		if err != nil {
			t.Errorf("list of %s: got %v, want success", a.address, err)
			return
		}
		for _, m := range page.GetMetadata() {
			listed[m.GetMetadataKey()] = true
		}
		if token = page.GetNextPageToken(); token == "" {
			break
		}
	}
	for _, list := range [][]*entry{a.secrets.waiting, a.secrets.ended} {
		for _, e := range list {
			if !listed[e.metadataKey] {
				t.Errorf("list of %s: got no receipt of the acknowledged %s, want it", a.address, e.value)
			}
		}
	}
}
