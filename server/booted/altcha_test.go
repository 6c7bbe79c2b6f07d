package booted_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"hush/mail/mailtest"
	"hush/routes/apitest"
	"hush/server/servertest"
	"hush/testtier"
)

// altchaDoor is an operation that takes a solution, over one of the protocols.
type altchaDoor struct {
	name, action string
	legacy       bool
	// send calls the operation; number tells the calls apart.
	send func(t *testing.T, solution string, number int) apitest.Reply
}

// refused fails the test unless the door stayed shut for want of a solution.
func (d altchaDoor) refused(t *testing.T, why string, got apitest.Reply) {
	t.Helper()
	if d.legacy {
		if got.Status != http.StatusUnprocessableEntity || !strings.Contains(got.Body, `"success":false`) {
			t.Errorf("%s with %s: got %d %s, want 422", d.name, why, got.Status, got.Body)
		}
		return
	}
	if got.Status != http.StatusBadRequest || !strings.Contains(got.Body, "REASON_CHALLENGE") {
		t.Errorf("%s with %s: got %d %s, want invalid_argument with REASON_CHALLENGE", d.name, why, got.Status, got.Body)
	}
}

func altchaDoors(client *http.Client, service string) []altchaDoor {
	rpc := func(procedure, body string) func(*testing.T, string, int) apitest.Reply {
		return func(t *testing.T, solution string, number int) apitest.Reply {
			t.Helper()
			return apitest.Call(t, client, service, "/hush.v1."+procedure, nil, fmt.Sprintf(body, number, solution))
		}
	}
	form := func(path string, fields url.Values) func(*testing.T, string, int) apitest.Reply {
		return func(t *testing.T, solution string, _ int) apitest.Reply {
			t.Helper()
			sent := url.Values{"authenticity_payload": {solution}}
			for name := range fields {
				sent.Set(name, fields.Get(name))
			}
			return apitest.Send(t, client, http.MethodPost, service+path, nil, sent.Encode())
		}
	}
	return []altchaDoor{
		{"v2 feedback", "feedback", true, form("/api/v2/feedback", url.Values{"msg": {"hello"}})},
		{"RPC feedback", "feedback", false, rpc("IntakeService/ReceiveFeedback", `{"message":"hello %d","authenticityPayload":%q}`)},
		{"v2 conceal", "conceal", true, form("/api/v2/secret/conceal", url.Values{"secret": {"hello"}})},
		{"v2 conceal for guests", "conceal", true, form("/api/v2/guest/secret/conceal", url.Values{"secret": {"hello"}})},
		{"v2 generate", "conceal", true, form("/api/v2/secret/generate", nil)},
		{"RPC conceal", "conceal", false, rpc("SecretService/ConcealSecret", `{"secret":"hello %d","authenticityPayload":%q}`)},
		{"RPC generate", "conceal", false, rpc("SecretService/GenerateSecret", `{"length":1%d,"authenticityPayload":%q}`)},
		{"RPC sign-up", "signup", false, rpc("AccountService/CreateAccount", `{"address":"someone%d@somewhere.com","password":"nine quiet herons","authenticityPayload":%q}`)},
	}
}

// fillPace conceals from this network until the service asks for a solution. It
// counts secrets by windows of 20 minutes of the clock, so this begins when the
// window leaves time for a test.
func fillPace(t *testing.T, client *http.Client, service string) {
	t.Helper()
	const window = 20 * time.Minute
	if left := time.Until(time.Now().Truncate(window).Add(window)); left < time.Minute {
		time.Sleep(left)
	}
	for range freeConceals {
		got := apitest.Call(t, client, service, "/hush.v1.SecretService/ConcealSecret", nil, `{"secret":"within the rate"}`)
		if got.Status != http.StatusOK && !strings.Contains(got.Body, "REASON_CHALLENGE") {
			t.Fatalf("ConcealSecret: got %d %s, want 200 or REASON_CHALLENGE", got.Status, got.Body)
		}
	}
}

// freeConceals is how many secrets a network may conceal before it has to solve.
const freeConceals = 3

// The attack: flood the service from one network without an account. Each call
// requires work, a solution is valid for one call of one kind, and nothing but
// a solution admits a call.
func TestChallenges(t *testing.T) {
	t.Parallel()
	testtier.Full(t, "waits for a window of the clock")
	s := servertest.Start(t, "--rate-limits=off", fmt.Sprint("--challenge-above=", freeConceals),
		"--smtp-host", mailtest.New(t).Addr, "--smtp-tls=none", "--mail-from=hush@hush.example")
	client := servertest.HTTPClient(t, false, nil)
	for i, d := range servertest.Drivers(t, s, nil) {
		if i < freeConceals {
			apitest.MustConceal(t, d, apitest.Terms{Secret: "within the rate"})
		}
	}
	for _, door := range altchaDoors(client, s.URL) {
		t.Run(door.name, func(t *testing.T) {
			t.Parallel()
			fillPace(t, client, s.URL) // this may run long after the test began
			door.try(t, client, s.URL)
		})
	}
}

func (d altchaDoor) try(t *testing.T, client *http.Client, service string) {
	t.Helper()
	good := servertest.SolvedFor(t, client, service, d.action)
	other := map[string]string{"feedback": "conceal", "conceal": "signup", "signup": "feedback"}[d.action]
	d.refused(t, "no solution", d.send(t, "", 1))
	d.refused(t, "no base64", d.send(t, "carbon", 1))
	d.refused(t, "a solution of another kind", d.send(t, servertest.SolvedFor(t, client, service, other), 1))
	d.refused(t, "a solution with a byte more", d.send(t, good+"A", 1))
	if got := d.send(t, good, 1); got.Status != http.StatusOK {
		t.Errorf("%s with a solution: got %d %s, want 200", d.name, got.Status, got.Body)
	}
	d.refused(t, "a solution that was used", d.send(t, good, 2))
	general := servertest.SolvedFor(t, client, service, "")
	if got := d.send(t, general, 3); got.Status != http.StatusOK {
		t.Errorf("%s with a solution for anything: got %d %s, want 200", d.name, got.Status, got.Body)
	}
	d.refused(t, "a general solution that was used", d.send(t, general, 4))
}

// Verifying a solution by itself spends it, over both protocols, and an action
// that there is not is nothing to solve for.
func TestAltchaVerify(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, "--rate-limits=off")
	client := servertest.HTTPClient(t, false, nil)
	legacy := altchaDoor{name: "v2 verify", legacy: true, send: func(t *testing.T, solution string, _ int) apitest.Reply {
		t.Helper()
		return apitest.Send(t, client, http.MethodPost, s.URL+"/api/v2/altcha/verify", nil, url.Values{"authenticity_payload": {solution}}.Encode())
	}}
	rpc := altchaDoor{name: "RPC verify", send: func(t *testing.T, solution string, _ int) apitest.Reply {
		t.Helper()
		return apitest.Call(t, client, s.URL, "/hush.v1.ChallengeService/AltchaVerify", nil, fmt.Sprintf(`{"authenticityPayload":%q}`, solution))
	}}
	for first, second := range map[*altchaDoor]*altchaDoor{&legacy: &rpc, &rpc: &legacy} {
		good := servertest.SolvedFor(t, client, s.URL, "")
		if got := first.send(t, good, 0); got.Status != http.StatusOK {
			t.Errorf("%s: got %d %s, want 200", first.name, got.Status, got.Body)
		}
		second.refused(t, "a solution that was verified over the other", second.send(t, good, 0))
	}
	for _, got := range []apitest.Reply{
		apitest.Send(t, client, http.MethodGet, s.URL+"/api/v2/altcha/challenge?action=nothing", nil, ""),
		apitest.Call(t, client, s.URL, "/hush.v1.ChallengeService/AltchaChallenge", nil, `{"action":"nothing"}`),
	} {
		if got.Status/100 != 4 || strings.Contains(got.Body, "signature") {
			t.Errorf("challenge for an action that there is not: got %d %s, want a refusal", got.Status, got.Body)
		}
	}
}

// Callers with an account need no challenge, however busy the network is.
func TestAccountsSolveNothing(t *testing.T) {
	t.Parallel()
	testtier.Full(t, "waits for a window of the clock")
	env, s := servertest.StartAccounts(t, "--rate-limits=off", "--challenge-above=1")
	fillPace(t, servertest.HTTPClient(t, false, nil), s.URL)
	for _, d := range servertest.Drivers(t, s, nil) {
		got := d.Conceal(t.Context(), apitest.Terms{Secret: "one too many"})
		if got.Outcome != apitest.OutcomeInvalid {
			t.Errorf("%s conceal above the rate: got %s (%s), want a refusal", d.Name(), got.Outcome, got.Text)
		}
	}
	for _, d := range servertest.Drivers(t, s, apitest.Basic(env.Ada.Address, env.Ada.Token)) {
		apitest.MustConceal(t, d, apitest.Terms{Secret: "of an account"})
	}
	got := apitest.Send(t, servertest.HTTPClient(t, false, nil), http.MethodPost, s.URL+"/api/v2/feedback", apitest.Bearer(env.Bob.Token), "msg=hello")
	if got.Status != http.StatusOK {
		t.Errorf("feedback of an account: got %d %s, want 200", got.Status, got.Body)
	}
}
