package booted_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"hush/mail/mailtest"
	"hush/resolver/resolvertest"
	"hush/routes/apitest"
	"hush/server/servertest"
	"hush/testtier"
)

// together calls something so often at the same moment, and returns the
// answers.
func together(times int, call func(i int) apitest.Reply) []apitest.Reply {
	answers := make([]apitest.Reply, times)
	start := make(chan struct{})
	var wait sync.WaitGroup
	for i := range times {
		wait.Go(func() {
			<-start
			answers[i] = call(i)
		})
	}
	close(start)
	wait.Wait()
	return answers
}

// winners returns which of the answers are good. All others have to be
// refusals with one of the words, none of which a living server may lack.
func winners(t *testing.T, what string, answers []apitest.Reply, words ...string) (won []int) {
	t.Helper()
	for i, got := range answers {
		refused := false
		for _, word := range words {
			refused = refused || strings.Contains(got.Body, word)
		}
		switch {
		case got.Status == http.StatusOK:
			won = append(won, i)
		case !refused || got.Status == http.StatusInternalServerError:
			t.Errorf("%s: got %d %s, want success or one of %q", what, got.Status, got.Body, words)
		}
	}
	return won
}

// A browser that sends a form twice, or a user who wants two accounts with one
// address, must not get a second one.
func TestRaceOfSignUps(t *testing.T) {
	t.Parallel()
	const callers, address = 32, "ida@ida-team.com"
	s := servertest.Start(t, "--rate-limits=off", "--sign-up=open")
	client := servertest.HTTPClient(t, false, nil)
	answers := signUpsOf(t, client, s, address, callers)
	won := winners(t, "sign-up", answers, "REASON_ADDRESS_TAKEN", "unavailable")
	if len(won) != 1 {
		t.Fatalf("%d sign-ups of one address: got %d successes, want 1", callers, len(won))
	}
	wantAccounts(servertest.Operator{T: t, Data: s.Data}, address, 1)
	for i := range 2 { // the winner's password is the account's, and no other
		err := servertest.SignIn(t, s, address, racePassword(won[0]+i))
		if (err == nil) != (i == 0) {
			t.Errorf("sign-in with the password of caller %d: got %v, want success for that of caller %d alone", won[0]+i, err, won[0])
		}
	}
}

// If addresses are confirmed by mail, no caller learns who came first: all get
// the same response, and one mail is sent.
func TestRaceOfSignUpsByMail(t *testing.T) {
	t.Parallel()
	const callers, address = 8, "ida@ida-team.com"
	mails := mailtest.New(t)
	s := servertest.Start(t, append(servertest.Services(t, mails, resolvertest.New(t)), "--rate-limits=off")...)
	client := servertest.HTTPClient(t, false, nil)
	answers := signUpsOf(t, client, s, address, callers)
	if won := winners(t, "sign-up", answers, "unavailable"); len(won) == 0 {
		t.Errorf("%d sign-ups of one address: got no success, want some", callers)
	}
	wantAccounts(servertest.Operator{T: t, Data: s.Data}, address, 1)
	if sent := mails.Wait(t, 1); len(sent) != 1 || !strings.Contains(sent[0].Text(), "/verify/") {
		t.Errorf("mails: got %d, want one with a link", len(sent))
	}
}

func racePassword(caller int) string { return fmt.Sprintf("password of caller %d", caller) }

func signUpsOf(t *testing.T, client *http.Client, s *servertest.Server, address string, callers int) []apitest.Reply {
	t.Helper()
	solutions := make([]string, callers)
	for i := range solutions {
		solutions[i] = servertest.SolvedFor(t, client, s.URL, "signup")
	}
	return together(callers, func(i int) apitest.Reply {
		body := fmt.Sprintf(`{"address":%q,"password":%q,"authenticityPayload":%q}`, address, racePassword(i), solutions[i])
		return apitest.Call(t, client, s.URL, "/hush.v1.AccountService/CreateAccount", nil, body)
	})
}

// wantAccounts counts the accounts whose line begins with an address.
func wantAccounts(o servertest.Operator, address string, want int) {
	o.T.Helper()
	list := o.Ok("", "account", "list").Stdout
	if got := strings.Count("\n"+list, "\n"+address+" "); got != want {
		o.T.Errorf("accounts of %s: got %d, want %d:\n%s", address, got, want, list)
	}
}

// Sixteen people claim one domain, and all can set its records: they work for
// the same firm. It is one account's in the end, and links on it are made by
// that account alone.
func TestRaceOfDomainClaims(t *testing.T) {
	t.Parallel()
	const claims, domain = 16, "secrets.everybody.com"
	dns := resolvertest.New(t)
	s := servertest.Start(t, append(servertest.Services(t, mailtest.New(t), dns), "--rate-limits=off")...)
	client, o := servertest.HTTPClient(t, false, nil), servertest.Operator{T: t, Data: s.Data}
	owners, records := make([]http.Header, claims), map[string][]string{}
	for i := range claims {
		address := fmt.Sprintf("owner%d@everybody.com", i)
		o.Ok("", "account", "create", address)
		owners[i] = apitest.Bearer(strings.TrimSpace(o.Ok("", "token", "create", address).Stdout))
		claimed := apitest.Call(t, client, s.URL, "/hush.v1.DomainService/AddDomain", owners[i], `{"domain":"`+domain+`"}`).OK(t, "claim")
		host := claimed.At(t, "domain", "txtValidationHost") + "." + claimed.At(t, "domain", "baseDomain")
		records[host] = append(records[host], claimed.At(t, "domain", "txtValidationValue"))
	}
	for name, values := range records {
		dns.SetTXT(name, values...)
	}
	dns.SetA(domain, "127.0.0.1")
	answers := together(claims, func(i int) apitest.Reply {
		for { // a network has a few checks at a time
			answer := apitest.Call(t, client, s.URL, "/hush.v1.DomainService/VerifyDomain", owners[i], `{"domain":"`+domain+`"}`)
			if answer.Status != http.StatusServiceUnavailable || t.Context().Err() != nil {
				return answer
			}
			time.Sleep(10 * time.Millisecond)
		}
	})
	won := winners(t, "verify", answers, "REASON_DUPLICATE")
	if len(won) != 1 || answers[won[0]].At(t, "domain", "state") != "DOMAIN_STATE_VERIFIED" {
		t.Fatalf("%d verifications of one domain: got %d successes, want 1", claims, len(won))
	}
	for i, owner := range owners {
		form := url.Values{"secret": {"x"}, "share_domain": {domain}}.Encode()
		got := apitest.Send(t, client, http.MethodPost, s.URL+"/api/v1/share", owner, form)
		if (got.Status == http.StatusOK) != (i == won[0]) {
			t.Errorf("share on the domain by account %d: got %d %s, want success for account %d alone", i, got.Status, got.Body, won[0])
		}
		seen := apitest.Call(t, client, s.URL, "/hush.v1.DomainService/GetDomain", owner, `{"domain":"`+domain+`"}`).OK(t, "domain")
		if got := seen.At(t, "domain", "state"); (got == "DOMAIN_STATE_VERIFIED") != (i == won[0]) {
			t.Errorf("domain of account %d: got %s, want it verified for account %d alone", i, got, won[0])
		}
	}
}

// A user replaces a leaked token and clicks several times. Afterwards one token
// is valid; if two were, the leaked one might be among them.
func TestRaceOfRotations(t *testing.T) {
	t.Parallel()
	const rotations = 32
	env, s := servertest.StartAccounts(t, "--rate-limits=off")
	client := servertest.HTTPClient(t, false, nil)
	answers := together(rotations, func(i int) apitest.Reply {
		session := env.Ada.Sessions[i%apitest.SessionsEach]
		return apitest.Send(t, client, http.MethodPost, s.URL+"/api/v2/account/apitoken", session.Page(s.URL), "")
	})
	live, seen := 0, map[string]bool{}
	for _, got := range answers {
		token := got.OK(t, "rotation").At(t, "record", "apitoken")
		seen[token] = true
		check := apitest.Send(t, client, http.MethodGet, s.URL+"/api/v1/authcheck", apitest.Basic(env.Ada.Address, token), "")
		if check.Status == http.StatusOK {
			live++
		}
	}
	if live != 1 || len(seen) != rotations {
		t.Errorf("%d rotations: got %d tokens of which %d are good, want %d and 1", rotations, len(seen), live, rotations)
	}
	list := apitest.Call(t, client, s.URL, "/hush.v1.AccountService/ListApiTokens", env.Ada.Sessions[0].Page(s.URL), `{}`).OK(t, "tokens")
	if got := strings.Count(list.Body, `"name":"default"`); got != 1 {
		t.Errorf("tokens named default: got %d, want 1: %s", got, list.Body)
	}
	check := apitest.Send(t, client, http.MethodGet, s.URL+"/api/v1/authcheck", apitest.Basic(env.Ada.Address, env.Ada.Token), "")
	if check.Status != http.StatusOK {
		t.Errorf("authcheck with a token of another name: got %d %s, want it untouched", check.Status, check.Body)
	}
}

// A spammer solves one challenge and sends a hundred messages with it at once,
// through every door that takes it.
func TestRaceOfSolutions(t *testing.T) {
	t.Parallel()
	testtier.Full(t, "waits for a window of the clock")
	const uses = 100
	s := servertest.Start(t, "--rate-limits=off", "--challenge-above=1")
	client := servertest.HTTPClient(t, false, nil)
	for round := range 3 {
		fillPace(t, client, s.URL)
		solution := servertest.SolvedFor(t, client, s.URL, "")
		fields := url.Values{"authenticity_payload": {solution}, "msg": {"hello"}, "secret": {"hello"}}.Encode()
		answers := together(uses, func(i int) apitest.Reply {
			switch i % 4 {
			case 0:
				return apitest.Send(t, client, http.MethodPost, s.URL+"/api/v2/feedback", nil, fields)
			case 1:
				return apitest.Send(t, client, http.MethodPost, s.URL+"/api/v2/secret/conceal", nil, fields)
			case 2:
				return apitest.Send(t, client, http.MethodPost, s.URL+"/api/v2/altcha/verify", nil, fields)
			}
			return apitest.Call(t, client, s.URL, "/hush.v1.IntakeService/ReceiveFeedback", nil, fmt.Sprintf(`{"message":"hello","authenticityPayload":%q}`, solution))
		})
		if won := winners(t, "use of a solution", answers, "ask for a new one"); len(won) != 1 {
			t.Errorf("%d uses of one solution, round %d: got %d accepted, want 1", uses, round, len(won))
		}
	}
}
