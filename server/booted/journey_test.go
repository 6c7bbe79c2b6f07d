package booted_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"hush/mail/mailtest"
	"hush/resolver/resolvertest"
	"hush/routes/apitest"
	"hush/server/servertest"
)

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
	server *servertest.Server
	mails  *mailtest.Server
	dns    *resolvertest.Server
	client *http.Client

	session apitest.Session
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
	flags := append(servertest.Services(t, mails, dns), "--sign-up=open", "--colonel="+travellerAddress, "--log-level=debug")
	s := servertest.Start(t, flags...)
	j := &traveller{t: t, server: s, mails: mails, dns: dns, client: servertest.Anywhere(t, s), read: map[string]bool{}}
	for _, step := range []func(){
		j.signUp, j.confirm, j.signIn, j.makeToken, j.shareByMail, j.listRecent, j.addDomain, j.verifyDomain,
		j.brandDomain, j.openDomain, j.uploadLogo, j.shareOnDomain, j.report, j.lookAfter, j.callByGRPC, j.changePassword,
		j.forgetPassword, j.leave,
	} {
		step()
	}
	servertest.WantNoErrors(t, s)
}

// rpc calls as the service's own pages do.
func (j *traveller) rpc(procedure, body string) apitest.Reply {
	j.t.Helper()
	header := http.Header{}
	if j.session.Cookie != "" {
		header = j.session.Page(j.server.URL)
	}
	return apitest.Call(j.t, j.client, j.server.URL, "/hush.v1."+procedure, header, body)
}

// page calls the second API as the service's own pages do.
func (j *traveller) page(method, path, body string) apitest.Reply {
	j.t.Helper()
	return apitest.Send(j.t, j.client, method, j.server.URL+"/api/v2"+path, j.session.Page(j.server.URL), body)
}

// curl calls with Basic auth.
func (j *traveller) curl(method, path, body string) apitest.Reply {
	j.t.Helper()
	return apitest.Send(j.t, j.client, method, j.server.URL+path, apitest.Basic(travellerAddress, j.token), body)
}

// nextMail waits for an unread mail to an address with words in it.
func (j *traveller) nextMail(to, words string) (found mailtest.Received) {
	j.t.Helper()
	servertest.WaitUntil(j.t, "a mail with "+words, func() bool {
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
	if got := j.rpc("AccountService/CreateAccount", form("")); !strings.Contains(got.Body, "REASON_CHALLENGE") {
		t.Errorf("sign-up without a solution: got %d %s, want a refusal", got.Status, got.Body)
	}
	got := j.rpc("AccountService/CreateAccount", form(servertest.SolvedFor(t, j.client, j.server.URL, "signup"))).OK(t, "sign-up")
	got.Says(t, "sign-up", "true", "verificationRequired")
	early := j.rpc("SessionService/CreateSession", fmt.Sprintf(`{"address":%q,"password":%q}`, travellerAddress, "sent with the sign-up"))
	if early.Status == http.StatusOK || !strings.Contains(early.Body, "REASON_CREDENTIALS") {
		t.Errorf("sign-in before the address is confirmed: got %d %s, want REASON_CREDENTIALS", early.Status, early.Body)
	}
}

// confirm opens the mailed link, as a mail program may do before its reader
// does, and then presses the button on the page.
func (j *traveller) confirm() {
	t := j.t
	link := j.nextMail(travellerAddress, "/verify/").Link(t)
	for range 2 {
		shown := apitest.Send(t, j.client, http.MethodGet, link, nil, "").OK(t, "the mailed link")
		if !strings.Contains(shown.Body, `method="post"`) {
			t.Errorf("the mailed link: got %s, want a form", shown.Body)
		}
	}
	chosen := url.Values{"newp": {travellerPassword}, "newp2": {travellerPassword}}.Encode()
	if bare := apitest.Send(t, j.client, http.MethodPost, link, nil, ""); bare.Status == http.StatusOK {
		t.Errorf("the link's button, without a password: got %d, want a refusal", bare.Status)
	}
	apitest.Send(t, j.client, http.MethodPost, link, http.Header{"Origin": {j.server.URL}}, chosen).OK(t, "the link's button")
	if again := apitest.Send(t, j.client, http.MethodPost, link, nil, chosen); again.Status == http.StatusOK {
		t.Errorf("the link's button, again: got %d, want a refusal", again.Status)
	}
}

func (j *traveller) signIn() {
	j.signInWith(travellerPassword)
	got := j.page(http.MethodGet, "/authcheck", "").OK(j.t, "authcheck")
	got.Says(j.t, "authcheck", travellerAddress, "custid")
	got.Says(j.t, "authcheck", j.session.Shrimp, "shrimp")
}

func (j *traveller) signInWith(password string) {
	j.t.Helper()
	j.session = apitest.Session{}
	got := j.rpc("SessionService/CreateSession", fmt.Sprintf(`{"address":%q,"password":%q}`, travellerAddress, password)).OK(j.t, "sign-in")
	cookies := (&http.Response{Header: got.Header}).Cookies()
	if len(cookies) != 1 || !cookies[0].Secure || !cookies[0].HttpOnly {
		j.t.Fatalf("sign-in: got the cookies %v, want one that is safe", cookies)
	}
	j.session = apitest.Session{Cookie: cookies[0].Value, Shrimp: got.At(j.t, "shrimp"), ID: got.At(j.t, "session", "sessionId")}
}

// makeToken does it twice: the second token takes the place of the first.
func (j *traveller) makeToken() {
	t := j.t
	bare := apitest.Send(t, j.client, http.MethodPost, j.server.URL+"/api/v2/account/apitoken", j.session.Header(), "")
	if bare.Status == http.StatusOK {
		t.Errorf("token without the shrimp: got %d %s, want a refusal", bare.Status, bare.Body)
	}
	first := j.page(http.MethodPost, "/account/apitoken", "").OK(t, "first token").At(t, "record", "apitoken")
	j.token = j.page(http.MethodPost, "/account/apitoken", "").OK(t, "second token").At(t, "record", "apitoken")
	if got := apitest.Send(t, j.client, http.MethodGet, j.server.URL+"/api/v1/authcheck", apitest.Basic(travellerAddress, first), ""); got.Status == http.StatusOK {
		t.Errorf("authcheck with the first token: got %d %s, want a refusal", got.Status, got.Body)
	}
	j.curl(http.MethodGet, "/api/v1/authcheck", "").OK(t, "authcheck").Says(t, "authcheck", "nominal", "status")
}

// shareByMail shares with curl. The friend's link opens once, and the sender is
// told.
func (j *traveller) shareByMail() {
	t := j.t
	j.rpc("AccountService/UpdateNotifications", `{"notifications":{"secretOpened":true}}`).OK(t, "notifications")
	form := url.Values{"secret": {"for a friend"}, "recipient": {travellerFriend}, "ttl": {"3600"}}
	kept := j.curl(http.MethodPost, "/api/v1/share", form.Encode()).OK(t, "share")
	kept.Says(t, "share", travellerAddress, "custid")
	kept.Says(t, "share", "fr*****@e*****.com", "recipient", 0)
	j.receipt = kept.At(t, "metadata_key")
	m := j.nextMail(travellerFriend, "/s#")
	link, key := m.Link(t), kept.At(t, "secret_key")
	if link != j.server.URL+"/s#"+key || m.Header("Reply-To") != "<"+travellerAddress+">" {
		t.Errorf("mail: got the link %s and answers to %s, want the secret's and the sender", link, m.Header("Reply-To"))
	}
	apitest.Send(t, j.client, http.MethodGet, link, nil, "").OK(t, "the link's page")
	apitest.Send(t, j.client, http.MethodGet, j.server.URL+"/api/v2/secret/"+key, nil, "").OK(t, "look")
	opened := apitest.Send(t, j.client, http.MethodPost, j.server.URL+"/api/v2/secret/"+key, nil, "continue=true").OK(t, "reveal")
	opened.Says(t, "reveal", "for a friend", "record", "secret_value")
	if again := apitest.Send(t, j.client, http.MethodPost, j.server.URL+"/api/v1/secret/"+key, nil, "x=y"); again.Status != http.StatusNotFound {
		t.Errorf("second reveal: got %d %s, want 404", again.Status, again.Body)
	}
	notice := j.nextMail(travellerAddress, key[:6])
	if strings.Contains(notice.Text(), key) {
		t.Errorf("notice: got the whole key in it, want its beginning: %s", notice.Text())
	}
}

func (j *traveller) listRecent() {
	t := j.t
	second := j.curl(http.MethodPost, "/api/v1/generate", "ttl=600").OK(t, "generate")
	list := j.curl(http.MethodGet, "/api/v1/private/recent", "").OK(t, "recent of version 1")
	list.Says(t, "recent of version 1", second.At(t, "metadata_key"), 0, "metadata_key")
	list.Says(t, "recent of version 1", j.receipt, 1, "metadata_key")
	list.Says(t, "recent of version 1", "received", 1, "state")
	newer := j.page(http.MethodGet, "/private/recent", "").OK(t, "recent of version 2")
	newer.Says(t, "recent of version 2", "2", "count")
	newer.Says(t, "recent of version 2", j.receipt, "details", "received", 0, "key")
	shown := j.rpc("MetadataService/GetMetadata", fmt.Sprintf(`{"metadataKey":%q}`, j.receipt)).OK(t, "receipt")
	for i, kind := range []string{"KIND_CREATED", "KIND_LOOKED", "KIND_REVEALED"} {
		shown.Says(t, "timeline", kind, "metadata", "events", i, "kind")
	}
	shown.Says(t, "delivery", "STATE_SENT", "metadata", "deliveries", 0, "state")
}
