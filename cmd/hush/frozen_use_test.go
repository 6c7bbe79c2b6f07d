package main

import (
	"bytes"
	"context"
	"errors"
	"image/png"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"hush/resolver/resolvertest"
	"hush/seal"
	"hush/seal/endtoend"
	devices "hush/seal/request"
	"hush/storage"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/cluster"
	"hush/vault/domain"
	"hush/vault/outbox"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/request"
	"hush/vault/rows"
	"hush/vault/secret"
	"hush/vault/session"
	"hush/vault/signup"
	"hush/vault/vaulttest"
)

// frozenEnded returns the names of the secrets of a frozen folder that have ended.
func frozenEnded() []string {
	return []string{"revealed", "burned", "reported", "expired", "owned and burned"}
}

// thawed is a frozen folder in use, a minute after its last change.
type thawed struct {
	*vaulttest.Kit

	t    *testing.T
	made *frozen
	log  bytes.Buffer
	sent []outbox.Mail

	stranger caller.Caller
	customer caller.Caller
}

// useFrozen uses everything that a frozen folder holds.
func useFrozen(t *testing.T, made *frozen, dir string) {
	t.Helper()
	root, err := seal.ParseRootKey([]byte(made.RootKey))
	vaulttest.Want(t, "ParseRootKey()", err, nil)
	u := &thawed{t: t, made: made, stranger: vaulttest.Caller(7)}
	dns := resolvertest.New(t)
	dns.SetTXT(made.TXTName, made.TXTValue)
	opts := (&freezer{t: t, dns: dns}).options(func(_ context.Context, m outbox.Mail) error {
		u.sent = append(u.sent, m)
		return nil
	})
	opts.Dir, opts.RootKey, opts.Start = dir, &root, made.Time.Add(time.Minute)
	opts.Log, opts.Policy = slog.New(slog.NewTextHandler(&u.log, nil)), caller.Policy{SignUp: caller.SignUpInvite}
	u.Kit = vaulttest.New(t, opts)
	u.upgraded()
	u.credentials()
	u.domains()
	u.receipts()
	u.mails()
	u.request()
	u.files()
	u.secrets()
	u.rest()
	u.Reopen(t)
	u.upgraded()
	vaulttest.Want(t, "RevealSecret(after a restart) fails", vaulttest.RevealErr(t, u.Kit, u.stranger, made.Secrets["plain"].Secret, "") != nil, true)
}

// upgraded fails the test unless the folder has the newest format, and the log
// says so once if it had not.
func (u *thawed) upgraded() {
	u.t.Helper()
	want := 0
	if u.made.Format < rows.FormatNewest() {
		want = 1
	}
	vaulttest.Want(u.t, "lines about an upgrade", strings.Count(u.log.String(), "upgraded the format"), want)
	stored, err := cluster.DecodeFormat(vaulttest.Get(u.t, u.Store, cluster.BucketNode, []byte{0xff, 1}))
	vaulttest.Want(u.t, "DecodeFormat()", err, nil)
	vaulttest.Want(u.t, "format", stored.Format, rows.FormatNewest())
}

func (u *thawed) credentials() {
	t, made := u.t, u.made
	t.Helper()
	for name, cred := range map[string]session.Credential{
		"session": {Session: caller.Text(made.Session)}, "token": {Token: caller.Text(made.Token)},
		"narrow token": {Token: caller.Text(made.NarrowToken)}, "colonel's token": {Token: caller.Text(made.ColonelToken)},
	} {
		_, err := u.Vault.Sessions.Authenticate(t.Context(), u.stranger.Network, cred)
		vaulttest.Want(t, "Authenticate("+name+")", err, nil)
	}
	_, err := u.Vault.Sessions.Authenticate(t.Context(), u.stranger.Network, session.Credential{Token: caller.Text(made.RevokedToken)})
	vaulttest.Want(t, "Authenticate(revoked token) fails", err != nil, true)
	for _, address := range []string{made.Disabled, made.Destroyed} {
		_, err := u.Vault.Sessions.CreateSession(t.Context(), u.stranger, caller.Text(address), caller.Text(made.Password), false)
		vaulttest.Want(t, "CreateSession("+address+") fails", err != nil, true)
	}
	u.customer = u.MustSignIn(t, caller.Text(made.Customer), caller.Text(made.Password))
	shown, err := u.Vault.Accounts.GetAccount(t.Context(), u.customer)
	vaulttest.Want(t, "GetAccount()", err, nil)
	vaulttest.Want(t, "address", shown.Address, made.Customer)
	tokens, err := u.Vault.Tokens.ListAPITokens(t.Context(), u.customer)
	vaulttest.Want(t, "ListAPITokens()", err, nil)
	vaulttest.Want(t, "tokens", len(tokens), 2)
	solved := vaulttest.MustSolve(t, u.Kit, "").Payload(t)
	n := signup.NewAccount{Address: "invited@hush.example", Password: frozenPassword, Invite: caller.Text(made.Invite), Challenge: solved}
	_, err = u.Vault.SignUps.CreateAccount(t.Context(), u.stranger, n)
	vaulttest.Want(t, "CreateAccount(invite)", err, nil)
}

func (u *thawed) domains() {
	t, made := u.t, u.made
	t.Helper()
	list, err := u.Vault.Domains.ListDomains(t.Context(), u.customer)
	vaulttest.Want(t, "ListDomains()", err, nil)
	vaulttest.Want(t, "domains", len(list), 2)
	branded, err := u.Vault.Domains.GetPublicBrand(t.Context(), made.Domain)
	vaulttest.Want(t, "GetPublicBrand()", err, nil)
	vaulttest.Want(t, "brand", *branded.Brand.Description, "a brand of the past")
	for kind, width := range map[domain.ImageKind]int{1: 40, 2: 32} {
		shown, err := u.Vault.Domains.GetPublicImage(t.Context(), branded.ID, kind)
		vaulttest.Want(t, "GetPublicImage()", err, nil)
		decoded, err := png.Decode(bytes.NewReader(shown.Content))
		vaulttest.Want(t, "png.Decode()", err, nil)
		vaulttest.Want(t, "width of the image", decoded.Bounds().Dx(), width)
	}
	_, err = u.Vault.Checks.VerifyDomain(t.Context(), u.customer, made.Domain)
	vaulttest.Want(t, "VerifyDomain()", err, nil)
}

// receipts fails the test unless each receipt has the state it was frozen in.
func (u *thawed) receipts() {
	t := u.t
	t.Helper()
	states := map[string]receipt.State{
		"revealed": receipt.StateReceived, "burned": receipt.StateBurned, "reported": receipt.StateBurned,
		"owned and burned": receipt.StateBurned, "expired": receipt.StateExpired, "viewed": receipt.StateViewed,
		"owned and viewed": receipt.StateViewed, "generated": receipt.StateViewed, "claimed": receipt.StateReceived,
	}
	page, err := u.Vault.Receipts.ListMetadata(t.Context(), u.customer, receipt.ListQuery{})
	vaulttest.Want(t, "ListMetadata()", err, nil)
	vaulttest.Want(t, "receipts of the account", len(page.Metadata), 5)
	vaulttest.Want(t, "receipts that the session cannot open", page.Sealed, 0)
	for name, kept := range u.made.Secrets {
		got, err := u.Vault.Receipts.BatchGetMetadata(t.Context(), u.customer, []string{kept.Metadata})
		vaulttest.Want(t, "BatchGetMetadata("+name+")", err, nil)
		want, ended := states[name]
		if !ended {
			want = receipt.StateNew
		}
		if len(got) != 1 || got[0].State != want {
			t.Errorf("receipt of %q: got %v, want one in state %v", name, got, want)
			continue
		}
		vaulttest.Want(t, "receipt of "+name+" is end-to-end encrypted", got[0].Encryption == receipt.EncryptionEndToEnd, kept.Link != "")
	}
	owned, err := u.Vault.Receipts.GetMetadata(t.Context(), u.customer, u.made.Secrets["owned"].Metadata)
	vaulttest.Want(t, "GetMetadata(owned)", err, nil)
	vaulttest.Want(t, "memo", owned.Memo, "a memo of the past")
}

// mails sends what waits in the queue and uses the links in it.
func (u *thawed) mails() {
	t := u.t
	t.Helper()
	for sent := 1; sent > 0; { // all that is due
		sent = vaulttest.MustPost(t, u.Kit)
	}
	keys := map[outbox.MailKind]caller.Text{}
	for _, m := range u.sent {
		if m.To != "invited@hush.example" {
			keys[m.Kind] = m.Key
		}
	}
	vaulttest.Want(t, "secret in the mail to a recipient", string(keys[outbox.MailShare]), u.made.Secrets["mailed"].Secret)
	vaulttest.Want(t, "VerifyAccount()", u.Vault.SignUps.VerifyAccount(t.Context(), u.stranger, keys[outbox.MailVerify], caller.Text(u.made.Password)), nil)
	u.MustSignIn(t, caller.Text(u.made.Pending), caller.Text(u.made.Password))
	_, err := u.Vault.ResetPassword(t.Context(), u.stranger, keys[outbox.MailReset], "a password of today")
	vaulttest.Want(t, "ResetPassword()", err, nil)
	u.MustSignIn(t, caller.Text(u.made.Customer), "a password of today")
}

// files goes on with the files, if the release knew any.
func (u *thawed) files() {
	t := u.t
	t.Helper()
	for name, kept := range u.made.Files {
		key, _ := seal.ParseToken(kept.Key)
		receiptKey, _ := seal.ParseToken(kept.Receipt)
		file := (&vaulttest.File{
			Key: key, Receipt: receiptKey, Token: [32]byte(kept.Token), Content: kept.Content,
			Proofs: [2][32]byte{[32]byte(kept.Link), [32]byte(kept.Proof)},
		}).In(u.Kit)
		claimed := caller.Text(kept.Claim)
		switch name {
		case "arriving":
			vaulttest.Want(t, "PutPart(again)", file.Put(t, 0), nil)
			vaulttest.Want(t, "Finish()", file.Finish(t), nil)
			claimed = file.MustOpen(t)
		case "waiting":
			claimed = file.MustOpen(t)
		case "burned":
			file.WantGone(t, vaulttest.Claim(99))
			continue
		}
		file.WantContent(t, claimed)
		u.MustAcknowledge(t, key, claimed)
		file.WantGone(t, claimed)
	}
}

// request collects the answers to a request, if the release knew any.
func (u *thawed) request() {
	t, r := u.t, u.made.Request
	t.Helper()
	if r == nil {
		return
	}
	key, _ := seal.ParseToken(r.Key)
	collectKey, _ := seal.ParseToken(r.CollectKey)
	a := &vaulttest.Asked{
		Created: request.Created{Key: key, CollectKey: collectKey},
		Link:    endtoend.SecretOf([32]byte(r.Link)), Collect: endtoend.SecretOf([32]byte(r.Collect)),
	}
	a.Collector = devices.NewCollector(a.Collect)
	got := u.MustCollect(t, u.stranger, a)
	var err error
	a.Card, err = a.Collector.Open([]byte(got.LinkBox), []byte(got.Card))
	vaulttest.Want(t, "Open(card)", err, nil)
	vaulttest.Want(t, "secret of the link", a.Card.Secret().Expose() == a.Link.Expose(), true)
	vaulttest.Want(t, "answers", len(got.Answers), 3)
	for i, want := range []struct {
		state receipt.State
		text  string
		claim []byte
	}{{receipt.StateNew, r.Waits, nil}, {receipt.StateBurned, "", nil}, {receipt.StateReceived, r.Claimed, r.Claim}} {
		shown := got.Answers[i]
		vaulttest.Want(t, "state of the answer", shown.State, want.state)
		if want.text == "" {
			continue
		}
		text, err := u.OpenAnswer(t, u.stranger, a, shown, caller.Text(want.claim))
		vaulttest.Want(t, "OpenAnswer()", err, nil)
		vaulttest.Want(t, "text of the answer", text, want.text)
		if want.claim != nil {
			u.MustAcknowledge(t, *shown.Secret, caller.Text(want.claim))
		}
	}
	u.MustBurn(t, u.stranger, u.MustAnswer(t, u.stranger, a, "the answer of today").Metadata.Key, "")
	list, err := u.Vault.Requests.ListRequests(t.Context(), u.customer, 0, "")
	vaulttest.Want(t, "ListRequests()", err, nil)
	vaulttest.Want(t, "requests", len(list.Requests), 1)
	vaulttest.Want(t, "answers in the list", list.Requests[0].Answered, 4)
}

// secrets opens what is live, and finds the rest ended.
func (u *thawed) secrets() {
	t, made := u.t, u.made
	t.Helper()
	var wrong *refusal.PassphraseError
	err := vaulttest.RevealErr(t, u.Kit, u.stranger, made.Secrets["tried"].Secret, "wrong")
	if !errors.As(err, &wrong) || wrong.TriesLeft != 3 {
		t.Errorf("RevealSecret(wrong for the second time): got %v, want 3 tries left", err)
	}
	_, err = u.Vault.Burns.BurnGuarded(t.Context(), u.stranger, made.Secrets["to burn"].Metadata, "")
	vaulttest.Want(t, "BurnSecret()", err, nil)
	ended := append(frozenEnded(), "to burn")
	for name, kept := range made.Secrets {
		got, err := u.open(name, kept)
		switch {
		case slices.Contains(ended, name):
			vaulttest.WantErr(t, "RevealSecret("+name+")", err, refusal.ErrNotFound)
		case err != nil || got != kept.Text:
			t.Errorf("RevealSecret(%s): got %q, %v, want %q", name, got, err, kept.Text)
		}
	}
	vaulttest.Want(t, "KeptBytes()", u.MustLiveBytes(t), 0)
}

// open opens a secret with what is known of it and returns its text. A claim is
// repeated, and acknowledged.
func (u *thawed) open(name string, kept frozenSecret) (text string, err error) {
	t := u.t
	t.Helper()
	o := secret.Opening{Claim: caller.Text(kept.Claim)}
	if name == "guarded" || name == "tried" {
		o.Passphrase = caller.Text(u.made.Passphrase)
	}
	if kept.Link == "" {
		got, err := u.Vault.Secrets.RevealSecret(t.Context(), u.stranger, kept.Secret, o)
		if kept.Claim != nil {
			vaulttest.Want(t, "AcknowledgeReveal("+name+")", u.Vault.Secrets.AcknowledgeReveal(t.Context(), kept.Secret, o.Claim), nil)
		}
		return string(got.Value), err
	}
	link, err := endtoend.ParseLink(kept.Link)
	vaulttest.Want(t, "ParseLink("+name+")", err, nil)
	passphrase := ""
	if strings.Contains(name, "guarded") {
		passphrase = u.made.Passphrase
	}
	keys, err := endtoend.Derive(link.Secret, passphrase)
	vaulttest.Want(t, "Derive("+name+")", err, nil)
	got, err := u.Vault.Secrets.RevealSecret(t.Context(), u.stranger, link.Key.Expose(), vaulttest.Prove(keys))
	if err != nil {
		return "", err
	}
	return vaulttest.MustOpen(t, keys, got.Content), nil
}

func (u *thawed) rest() {
	t, colonel := u.t, u.MustAuthenticate(u.t, session.Credential{Token: caller.Text(u.made.ColonelToken)})
	t.Helper()
	index := vaulttest.MustIndex(t, u.Kit, colonel)
	vaulttest.Want(t, "feedback of today", len(index.Today), 1)
	_, err := u.Vault.Places.LookupPlace(t.Context(), "oslo")
	vaulttest.Want(t, "LookupPlace()", err, nil)
	audited := map[audit.Type]int{}
	var lost rows.Damage
	err = u.Store.View(t.Context(), func(tx storage.Tx) error {
		return audit.Range(tx, &lost, func(row audit.Row) error { audited[row.Kind]++; return nil })
	})
	vaulttest.Want(t, "RangeAudit()", err, nil)
	for _, kind := range []audit.Type{audit.Conceal, audit.Report, audit.Expire, audit.Destroy, audit.DomainVerified} {
		if audited[kind] == 0 {
			t.Errorf("audit rows of type %d: got none, want some", kind)
		}
	}
	u.MustSweep(t)
	u.MustReclaim(t)
	if strings.Contains(u.log.String(), "level=ERROR") {
		t.Errorf("log: got %s, want no error", u.log.String())
	}
}
