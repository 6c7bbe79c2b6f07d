package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"hush/mail/mailtest"
	"hush/resolver/resolvertest"
)

// at returns what an answer in JSON holds at a path of members and of indexes,
// as text. It ends the test if there is nothing.
func (r testReply) at(t testing.TB, path ...any) string {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(r.body))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		t.Fatalf("answer: got %d %q, want JSON: %v", r.status, r.body, err)
	}
	for _, step := range path {
		object, _ := value.(map[string]any)
		list, _ := value.([]any)
		switch step := step.(type) {
		case string:
			value = object[step]
		case int:
			value = nil
			if step < len(list) {
				value = list[step]
			}
		}
		if value == nil {
			t.Fatalf("answer: got nothing at %v, want a value: %d %s", path, r.status, r.body)
		}
	}
	return fmt.Sprint(value)
}

// ok ends the test unless a call succeeded.
func (r testReply) ok(t testing.TB, call string) testReply {
	t.Helper()
	if r.status != http.StatusOK {
		t.Fatalf("%s: got %d %s, want 200", call, r.status, r.body)
	}
	return r
}

// says fails the test unless an answer holds a value.
func (r testReply) says(t testing.TB, call, want string, path ...any) {
	t.Helper()
	if got := r.at(t, path...); got != want {
		t.Errorf("%s: got %q at %v, want %q", call, got, path, want)
	}
}

// The names in the journey. The first password is changed, the second reset.
const (
	travellerAddress  = "ida@ida-team.com"
	travellerFriend   = "friend@elsewhere.com"
	travellerDomain   = "secrets.ida-team.com"
	travellerPassword = "seven slow otters"
	changedPassword   = "eight quick otters"
	resetPassword     = "nine calm otters"
)

// traveller is a new user on the way through everything that there is.
type traveller struct {
	t      *testing.T
	server *testServer
	mails  *mailtest.Server
	dns    *resolvertest.Server
	client *http.Client

	session testSession
	token   string
	read    map[string]bool // texts of mails that were read
	// receipt is that of the secret that went to a friend by mail.
	receipt string
}

// A new user signs up and uses the service: over the web's API, the older ones
// with curl, and on a custom domain, until the account ends.
func TestJourney(t *testing.T) {
	t.Parallel()
	mails, dns := mailtest.New(t), resolvertest.New(t)
	flags := append(testServices(t, mails, dns), "--sign-up=open", "--colonel="+travellerAddress, "--log-level=debug")
	s := startHush(t, flags...)
	j := &traveller{t: t, server: s, mails: mails, dns: dns, client: anywhere(t, s), read: map[string]bool{}}
	for _, step := range []func(){
		j.signUp, j.confirm, j.signIn, j.makeToken, j.shareByMail, j.listRecent, j.addDomain, j.verifyDomain,
		j.brandDomain, j.openDomain, j.uploadLogo, j.shareOnDomain, j.report, j.lookAfter, j.callByGRPC, j.changePassword,
		j.forgetPassword, j.leave,
	} {
		step()
	}
	wantNoErrors(t, s)
}

// wantNoErrors fails the test if the program logged that something went wrong
// inside it.
func wantNoErrors(t *testing.T, s *testServer) {
	t.Helper()
	for line := range strings.Lines(s.log.String()) {
		if strings.Contains(line, "level=ERROR") {
			t.Errorf("log: got %s, want no errors", line)
		}
	}
}

// anywhere is a client for which every name leads to the server.
func anywhere(t *testing.T, s *testServer) *http.Client {
	t.Helper()
	transport := &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, s.addr)
	}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, CheckRedirect: refuseRedirect}
}

// rpc calls as the service's own pages do.
func (j *traveller) rpc(procedure, body string) testReply {
	j.t.Helper()
	header := http.Header{}
	if j.session.cookie != "" {
		header = j.session.page(j.server.url)
	}
	return callAs(j.t, j.client, j.server.url, "/hush.v1."+procedure, header, body)
}

// page calls the second API as the service's own pages do.
func (j *traveller) page(method, path, body string) testReply {
	j.t.Helper()
	return sendAs(j.t, j.client, method, j.server.url+"/api/v2"+path, j.session.page(j.server.url), body)
}

// curl calls with Basic auth.
func (j *traveller) curl(method, path, body string) testReply {
	j.t.Helper()
	return sendAs(j.t, j.client, method, j.server.url+path, basicHeader(travellerAddress, j.token), body)
}

// nextMail waits for an unread mail to an address with words in it.
func (j *traveller) nextMail(to, words string) (found mailtest.Received) {
	j.t.Helper()
	waitUntil(j.t, "a mail with "+words, func() bool {
		for _, m := range j.mails.Messages() {
			if m.To[0] == to && strings.Contains(m.Text(), words) && !j.read[m.Data] {
				j.read[m.Data] = true
				found = m
				return true
			}
		}
		return false
	})
	return found
}

func (j *traveller) signUp() {
	t := j.t
	form := func(solution string) string {
		return fmt.Sprintf(`{"address":" Ida@Ida-Team.com ","password":%q,"authenticityPayload":%q}`, "sent with the sign-up", solution)
	}
	if got := j.rpc("AccountService/CreateAccount", form("")); !strings.Contains(got.body, "REASON_CHALLENGE") {
		t.Errorf("sign-up without a solution: got %d %s, want a refusal", got.status, got.body)
	}
	got := j.rpc("AccountService/CreateAccount", form(solvedFor(t, j.client, j.server.url, "signup"))).ok(t, "sign-up")
	got.says(t, "sign-up", "true", "verificationRequired")
	early := j.rpc("SessionService/CreateSession", fmt.Sprintf(`{"address":%q,"password":%q}`, travellerAddress, "sent with the sign-up"))
	if early.status == http.StatusOK || !strings.Contains(early.body, "REASON_CREDENTIALS") {
		t.Errorf("sign-in before the address is confirmed: got %d %s, want REASON_CREDENTIALS", early.status, early.body)
	}
}

// confirm opens the mailed link, as a mail program may do before its reader
// does, and then presses the button on the page.
func (j *traveller) confirm() {
	t := j.t
	link := j.nextMail(travellerAddress, "/verify/").Link(t)
	for range 2 {
		shown := sendAs(t, j.client, http.MethodGet, link, nil, "").ok(t, "the mailed link")
		if !strings.Contains(shown.body, `method="post"`) {
			t.Errorf("the mailed link: got %s, want a form", shown.body)
		}
	}
	chosen := url.Values{"newp": {travellerPassword}, "newp2": {travellerPassword}}.Encode()
	if bare := sendAs(t, j.client, http.MethodPost, link, nil, ""); bare.status == http.StatusOK {
		t.Errorf("the link's button, without a password: got %d, want a refusal", bare.status)
	}
	sendAs(t, j.client, http.MethodPost, link, http.Header{"Origin": {j.server.url}}, chosen).ok(t, "the link's button")
	if again := sendAs(t, j.client, http.MethodPost, link, nil, chosen); again.status == http.StatusOK {
		t.Errorf("the link's button, again: got %d, want a refusal", again.status)
	}
}

func (j *traveller) signIn() {
	j.signInWith(travellerPassword)
	got := j.page(http.MethodGet, "/authcheck", "").ok(j.t, "authcheck")
	got.says(j.t, "authcheck", travellerAddress, "custid")
	got.says(j.t, "authcheck", j.session.shrimp, "shrimp")
}

func (j *traveller) signInWith(password string) {
	j.t.Helper()
	j.session = testSession{}
	got := j.rpc("SessionService/CreateSession", fmt.Sprintf(`{"address":%q,"password":%q}`, travellerAddress, password)).ok(j.t, "sign-in")
	cookies := (&http.Response{Header: got.header}).Cookies()
	if len(cookies) != 1 || !cookies[0].Secure || !cookies[0].HttpOnly {
		j.t.Fatalf("sign-in: got the cookies %v, want one that is safe", cookies)
	}
	j.session = testSession{cookie: cookies[0].Value, shrimp: got.at(j.t, "shrimp"), id: got.at(j.t, "session", "sessionId")}
}

// makeToken does it twice: the second token takes the place of the first.
func (j *traveller) makeToken() {
	t := j.t
	bare := sendAs(t, j.client, http.MethodPost, j.server.url+"/api/v2/account/apitoken", j.session.header(), "")
	if bare.status == http.StatusOK {
		t.Errorf("token without the shrimp: got %d %s, want a refusal", bare.status, bare.body)
	}
	first := j.page(http.MethodPost, "/account/apitoken", "").ok(t, "first token").at(t, "record", "apitoken")
	j.token = j.page(http.MethodPost, "/account/apitoken", "").ok(t, "second token").at(t, "record", "apitoken")
	if got := sendAs(t, j.client, http.MethodGet, j.server.url+"/api/v1/authcheck", basicHeader(travellerAddress, first), ""); got.status == http.StatusOK {
		t.Errorf("authcheck with the first token: got %d %s, want a refusal", got.status, got.body)
	}
	j.curl(http.MethodGet, "/api/v1/authcheck", "").ok(t, "authcheck").says(t, "authcheck", "nominal", "status")
}

// shareByMail shares with curl. The friend's link opens once, and the sender is
// told.
func (j *traveller) shareByMail() {
	t := j.t
	j.rpc("AccountService/UpdateNotifications", `{"notifications":{"secretOpened":true}}`).ok(t, "notifications")
	form := url.Values{"secret": {"for a friend"}, "recipient": {travellerFriend}, "ttl": {"3600"}}
	kept := j.curl(http.MethodPost, "/api/v1/share", form.Encode()).ok(t, "share")
	kept.says(t, "share", travellerAddress, "custid")
	kept.says(t, "share", "fr*****@e*****.com", "recipient", 0)
	j.receipt = kept.at(t, "metadata_key")
	m := j.nextMail(travellerFriend, "/s#")
	link, key := m.Link(t), kept.at(t, "secret_key")
	if link != j.server.url+"/s#"+key || m.Header("Reply-To") != "<"+travellerAddress+">" {
		t.Errorf("mail: got the link %s and answers to %s, want the secret's and the sender", link, m.Header("Reply-To"))
	}
	sendAs(t, j.client, http.MethodGet, link, nil, "").ok(t, "the link's page")
	sendAs(t, j.client, http.MethodGet, j.server.url+"/api/v2/secret/"+key, nil, "").ok(t, "look")
	opened := sendAs(t, j.client, http.MethodPost, j.server.url+"/api/v2/secret/"+key, nil, "continue=true").ok(t, "reveal")
	opened.says(t, "reveal", "for a friend", "record", "secret_value")
	if again := sendAs(t, j.client, http.MethodPost, j.server.url+"/api/v1/secret/"+key, nil, "x=y"); again.status != http.StatusNotFound {
		t.Errorf("second reveal: got %d %s, want 404", again.status, again.body)
	}
	notice := j.nextMail(travellerAddress, key[:6])
	if strings.Contains(notice.Text(), key) {
		t.Errorf("notice: got the whole key in it, want its beginning: %s", notice.Text())
	}
}

func (j *traveller) listRecent() {
	t := j.t
	second := j.curl(http.MethodPost, "/api/v1/generate", "ttl=600").ok(t, "generate")
	list := j.curl(http.MethodGet, "/api/v1/private/recent", "").ok(t, "recent of version 1")
	list.says(t, "recent of version 1", second.at(t, "metadata_key"), 0, "metadata_key")
	list.says(t, "recent of version 1", j.receipt, 1, "metadata_key")
	list.says(t, "recent of version 1", "received", 1, "state")
	newer := j.page(http.MethodGet, "/private/recent", "").ok(t, "recent of version 2")
	newer.says(t, "recent of version 2", "2", "count")
	newer.says(t, "recent of version 2", j.receipt, "details", "received", 0, "key")
	shown := j.rpc("MetadataService/GetMetadata", fmt.Sprintf(`{"metadataKey":%q}`, j.receipt)).ok(t, "receipt")
	for i, kind := range []string{"KIND_CREATED", "KIND_LOOKED", "KIND_REVEALED"} {
		shown.says(t, "timeline", kind, "metadata", "events", i, "kind")
	}
	shown.says(t, "delivery", "STATE_SENT", "metadata", "deliveries", 0, "state")
}
