package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"hush/mail/mailtest"
	"hush/resolver/resolvertest"
)

// A thief of logs, or of the data folder without its root key, learns of
// accounts neither who has one nor anything that opens one. Every field gets a
// value of its own, what the service issues is one too, and then everything
// that it wrote is searched for all of them.
func TestCanaryOfAccounts(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"text", "json"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			mails, dns := mailtest.New(t), resolvertest.New(t)
			colonel := randomWord(31) + "@colonels.com"
			s := startHush(t, append(testServices(t, mails, dns), "--sign-up=invite", "--colonel="+colonel,
				"--rate-limits=off", "--log-level=debug", "--log-format="+format)...)
			sent := &canaries{}
			sent.add("colonel", colonel)
			b := &birdkeeper{t: t, s: s, sent: sent, mails: mails, dns: dns, answers: &listener{}, colonel: colonel, read: map[string]bool{}}
			b.client = newHTTPClient(t, false, http.Header{"User-Agent": {sent.word("user agent")}})
			b.client.Transport = b.answers.listenTo(b.client.Transport)
			b.live()
			b.searchAll()
		})
	}
}

// birdkeeper sends canaries through every field of an account's life.
type birdkeeper struct {
	t       *testing.T
	s       *testServer
	sent    *canaries
	mails   *mailtest.Server
	dns     *resolvertest.Server
	client  *http.Client
	answers *listener
	colonel string
	address string
	session testSession
	read    map[string]bool // tokens of links
}

// public is what a data folder may show: it is on public pages.
const public = "public: "

// toldBack are the fields that a refusal may repeat: names that the caller has
// to find the mistake in, and the token that every answer to a page carries.
func toldBack() []string {
	return []string{public, "unknown domain", "broken recipient", "issued shrimp"}
}

func (b *birdkeeper) rpc(procedure string, header http.Header, format string, values ...any) testReply {
	b.t.Helper()
	return callAs(b.t, b.client, b.s.url, "/hush.v1."+procedure, header, fmt.Sprintf(format, values...))
}

func (b *birdkeeper) page(procedure, format string, values ...any) testReply {
	b.t.Helper()
	return b.rpc(procedure, b.session.page(b.s.url), format, values...)
}

// issued makes what the service gave out a canary, too.
func (b *birdkeeper) issued(field, value string) string { return b.sent.add("issued "+field, value) }

// ticket waits for a mail with a link to a page and returns its token.
func (b *birdkeeper) ticket(page string) (token string) {
	b.t.Helper()
	link := regexp.MustCompile(`/` + page + `/(\w+)`)
	waitUntil(b.t, "a mail with a link to /"+page, func() bool {
		for _, m := range b.mails.Messages() {
			found := link.FindStringSubmatch(m.Text())
			if found == nil || b.read[found[1]] {
				continue
			}
			b.read[found[1]] = true
			token = b.issued(page+" token", found[1])
			return true
		}
		return false
	})
	return token
}

func (b *birdkeeper) live() {
	b.address = b.sent.word("address") + "@team.com"
	b.signUp()
	b.addresses()
	b.tokens()
	b.domains()
	b.mailed()
	b.intake()
	b.refused()
	b.passwords()
}

func (b *birdkeeper) signIn(address, password string) {
	b.t.Helper()
	got := b.rpc("SessionService/CreateSession", nil, `{"address":%q,"password":%q}`, address, password).ok(b.t, "sign-in")
	cookie := (&http.Response{Header: got.header}).Cookies()[0].Value
	b.session = testSession{cookie: b.issued("cookie", cookie), shrimp: b.issued("shrimp", got.at(b.t, "shrimp"))}
}

// signUp uses an invite, which the colonel makes.
func (b *birdkeeper) signUp() {
	o := operator{b.t, b.s.data}
	o.ok("", "account", "create", "--role=colonel", b.colonel)
	by := bearerHeader(b.issued("colonel's token", strings.TrimSpace(o.ok("", "token", "create", b.colonel).stdout)))
	invite := b.issued("invite", b.rpc("AccountService/CreateInvite", by, `{"address":%q}`, b.address).ok(b.t, "invite").at(b.t, "invite"))
	password := b.sent.text("password")
	early := b.sent.text("password of the sign-up")
	body := `{"address":%q,"password":%q,"invite":%q,"authenticityPayload":%q}`
	b.rpc("AccountService/CreateAccount", nil, body, b.address, early, b.sent.word("wrong invite"), b.sent.word("wrong solution"))
	solution := b.issued("solution", solvedFor(b.t, b.client, b.s.url, "signup"))
	b.rpc("AccountService/CreateAccount", nil, body, b.address, early, invite, solution).ok(b.t, "sign-up")
	link := b.s.url + "/verify/"
	sendAs(b.t, b.client, http.MethodPost, link+b.sent.word("wrong verify token"), nil, "x=y")
	sendAs(b.t, b.client, http.MethodPost, link+b.ticket("verify"), nil, url.Values{"newp": {password}, "newp2": {password}}.Encode()).ok(b.t, "verify")
	b.signIn(b.address, password)
	b.next(password)
}

// next changes the password.
func (b *birdkeeper) next(password string) {
	changed := b.sent.text("changed password")
	b.page("AccountService/ChangeAccountPassword", `{"currentPassword":%q,"newPassword":%q}`, password, changed).ok(b.t, "change")
	moved := b.sent.word("next address") + "@team.com"
	b.page("AccountService/RequestAddressChange", `{"newAddress":%q,"password":%q}`, moved, changed).ok(b.t, "address change")
	sendAs(b.t, b.client, http.MethodPost, b.s.url+"/confirm/"+b.ticket("confirm"), b.session.page(b.s.url), "x=y").ok(b.t, "confirm")
	b.address = moved
}

// addresses are those of others, and one without an account.
func (b *birdkeeper) addresses() {
	for _, procedure := range []string{"AccountService/RequestPasswordReset", "AccountService/ResendVerification"} {
		b.rpc(procedure, nil, `{"address":%q}`, b.sent.word("unknown address")+"@team.com")
		b.rpc(procedure, nil, `{"address":%q}`, b.sent.text("broken address"))
	}
	b.rpc("SessionService/CreateSession", nil, `{"address":%q,"password":%q}`, b.sent.word("unknown address")+"@team.com", b.sent.text("some password"))
	b.rpc("SessionService/CreateSession", nil, `{"address":%q,"password":%q}`, b.address, b.sent.text("wrong password"))
}

func (b *birdkeeper) tokens() {
	token := b.issued("token", b.page("AccountService/GenerateApiToken", `{"name":"ci"}`).ok(b.t, "token").at(b.t, "token"))
	old := b.issued("old token", sendAs(b.t, b.client, http.MethodPost, b.s.url+"/api/v2/account/apitoken", b.session.page(b.s.url), "").at(b.t, "record", "apitoken"))
	for _, header := range []http.Header{basicHeader(b.address, token), bearerHeader(old), bearerHeader(b.sent.word("wrong token")), basicHeader(b.sent.word("wrong user"), token)} {
		sendAs(b.t, b.client, http.MethodGet, b.s.url+"/api/v1/authcheck", header, "")
		kept := sendAs(b.t, b.client, http.MethodPost, b.s.url+"/api/v1/share", header, url.Values{"secret": {b.sent.text("secret of an account")}}.Encode())
		if kept.status == http.StatusOK {
			b.issued("secret key", kept.at(b.t, "secret_key"))
			b.issued("metadata key", kept.at(b.t, "metadata_key"))
		}
		sendAs(b.t, b.client, http.MethodGet, b.s.url+"/api/v1/private/recent", header, "")
	}
}

func (b *birdkeeper) domains() {
	name := b.sent.add(public+"domain", randomWord(31)) + ".team.com"
	got := b.page("DomainService/AddDomain", `{"domain":%q}`, name).ok(b.t, "domain")
	b.dns.SetTXT(got.at(b.t, "domain", "txtValidationHost")+"."+got.at(b.t, "domain", "baseDomain"), got.at(b.t, "domain", "txtValidationValue"))
	b.page("DomainService/VerifyDomain", `{"domain":%q}`, name).ok(b.t, "verify")
	brand := url.Values{}
	for _, field := range []string{"instructions_pre_reveal", "instructions_reveal", "instructions_post_reveal", "description"} {
		brand.Set(field, b.sent.word(public+field))
	}
	b.page("DomainService/UpdateDomainBrand", `{"domain":%q,"brand":{"description":%q,"instructionsReveal":%q,"instructionsPreReveal":%q,"instructionsPostReveal":%q}}`,
		name, brand.Get("description"), brand.Get("instructions_reveal"), brand.Get("instructions_pre_reveal"), brand.Get("instructions_post_reveal")).ok(b.t, "brand")
	b.page("DomainService/UpdateDomainBrand", `{"domain":%q,"brand":{"primaryColor":%q}}`, name, b.sent.word("broken colour"))
	b.page("DomainService/UpdateDomainLogo", `{"domain":%q,"content":%q}`, name, b.sent.word("broken picture"))
	b.page("DomainService/GetDomain", `{"domain":%q}`, b.sent.word("unknown domain")+".team.com")
}

// mailed shares by mail: with a recipient that the mail server does not know,
// and says so with the address, and with a friend.
func (b *birdkeeper) mailed() {
	b.page("AccountService/UpdateNotifications", `{"notifications":{"secretOpened":true}}`).ok(b.t, "notifications")
	b.mails.Wait(b.t, 4) // the invite, two links to confirm, and the word to the old address
	b.mails.RefuseRecipients(550, 1)
	b.shareByMail("STATE_FAILED")
	key := b.shareByMail("STATE_SENT")
	b.rpc("SecretService/RevealSecret", nil, `{"secretKey":%q}`, key).ok(b.t, "reveal")
	b.page("SecretService/ConcealSecret", `{"secret":"x","recipients":[%q]}`, b.sent.word("broken recipient"))
}

// shareByMail waits until the mail stands as it should, and returns the
// secret's key.
func (b *birdkeeper) shareByMail(want string) (key string) {
	b.t.Helper()
	got := b.page("SecretService/ConcealSecret", `{"secret":%q,"recipients":[%q]}`, b.sent.text("mailed secret"), b.sent.word("recipient")+"@friends.com").ok(b.t, "share")
	receipt := b.issued("mailed metadata key", got.at(b.t, "metadata", "metadataKey"))
	waitUntil(b.t, "the mail to be "+want, func() bool {
		shown := b.page("MetadataService/GetMetadata", `{"metadataKey":%q}`, receipt)
		return shown.at(b.t, "metadata", "deliveries", 0, "state") == want
	})
	return b.issued("mailed secret key", got.at(b.t, "secret", "secretKey"))
}

func (b *birdkeeper) intake() {
	header := b.session.page(b.s.url)
	sendAs(b.t, b.client, http.MethodPost, b.s.url+"/api/v2/feedback", header, url.Values{"msg": {b.sent.text("feedback")}, "tz": {"UTC"}}.Encode()).ok(b.t, "feedback")
	sendAs(b.t, b.client, http.MethodPost, b.s.url+"/api/v2/feedback", nil, url.Values{"msg": {b.sent.text("feedback without a solution")}}.Encode())
	sendAs(b.t, b.client, http.MethodPost, b.s.url+"/api/v2/exception", header, url.Values{
		"message": {b.sent.text("exception")}, "stack": {b.sent.text("stack")}, "user_agent": {b.sent.text("user agent of an exception")},
		"url": {b.s.url + "/secret/" + b.sent.word("path of an exception") + "?" + b.sent.word("query of an exception")},
	}.Encode()).ok(b.t, "exception")
}

// refused sends cookies and shrimps that are not good.
func (b *birdkeeper) refused() {
	for _, bad := range []testSession{
		{cookie: b.sent.word("wrong cookie"), shrimp: b.sent.word("wrong shrimp")},
		{cookie: b.session.cookie, shrimp: b.sent.word("wrong shrimp of a session")},
	} {
		b.rpc("AccountService/GenerateApiToken", bad.page(b.s.url), `{"name":"x"}`)
		sendAs(b.t, b.client, http.MethodPost, b.s.url+"/api/v2/account/destroy", bad.page(b.s.url), url.Values{"confirmation": {b.sent.text("confirmation")}}.Encode())
	}
	b.page("ColonelService/BurnReportedSecret", `{"link":%q}`, b.s.url+"/secret/"+b.sent.word("reported link"))
	b.page("ColonelService/ResetAccountPassword", `{"account":%q,"password":%q,"newPassword":%q}`, b.address,
		b.sent.text("administrator's password"), b.sent.text("password that an administrator sets"))
}

// passwords resets one by mail, with good and bad links.
func (b *birdkeeper) passwords() {
	b.rpc("AccountService/RequestPasswordReset", nil, `{"address":%q}`, b.address).ok(b.t, "asking for a reset")
	next := b.sent.text("reset password")
	form := url.Values{"newp": {next}, "newp2": {next}}.Encode()
	sendAs(b.t, b.client, http.MethodPost, b.s.url+"/reset/"+b.sent.word("wrong reset token"), nil, form)
	sendAs(b.t, b.client, http.MethodPost, b.s.url+"/reset/"+b.ticket("reset"), nil, form).ok(b.t, "reset")
	b.signIn(b.address, next)
}

// searchAll looks at what the program wrote, before and after it ended.
func (b *birdkeeper) searchAll() {
	t, s := b.t, b.s
	b.sent.search(t, "the data folder of a running server", readAll(t, s.data), public)
	key, err := os.ReadFile(filepath.Join(s.data, "root.key"))
	if err != nil {
		t.Fatal(err)
	}
	s.stop(t)
	folder := readAll(t, s.data)
	b.sent.search(t, "the data folder", folder, public)
	b.wantPublic(folder)
	b.sent.add("root key", strings.TrimSpace(string(key)))
	log := []byte(s.log.String())
	b.sent.search(t, "the log", log)
	for _, words := range []string{"/hush.v1.AccountService/CreateAccount", "/verify/{key}", "mail"} {
		if !bytes.Contains(log, []byte(words)) {
			t.Errorf("the log: got no %s, want the lines of the requests:\n%s", words, log)
		}
	}
	index, refusals := b.sent.index(), 0
	for _, h := range b.answers.all {
		if h.status < http.StatusBadRequest {
			continue
		}
		refusals++
		searchFor(t, index, fmt.Sprintf("answer %d to %s", h.status, h.request), []byte(h.content), toldBack()...)
	}
	if refusals < 15 {
		t.Errorf("answers: got %d refusals, want all that were provoked", refusals)
	}
}

// wantPublic looks for what is no secret, so that the search is known to find
// what is there.
func (b *birdkeeper) wantPublic(folder []byte) {
	b.t.Helper()
	for _, c := range b.sent.list {
		if strings.HasPrefix(c.field, public) && !bytes.Contains(folder, []byte(c.text)) {
			b.t.Errorf("the data folder: got no %s, want it to be found", c.field)
		}
	}
}
