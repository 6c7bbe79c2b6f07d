package transfer_test

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"hush/resolver"
	"hush/resolver/resolvertest"
	"hush/seal"
	"hush/storage"
	"hush/storage/bolt"
	"hush/vault"
	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/feedback"
	"hush/vault/outbox"
	"hush/vault/place"
	"hush/vault/receipt"
	"hush/vault/secret"
	"hush/vault/transfer"
	"hush/vault/vaulttest"
)

// site is a place where a service can be: a folder or a store in memory.
type site struct {
	// open opens the stores for a copy, until closed is called.
	open func(t *testing.T) (s transfer.Store, closed func())
	// serve opens a vault.
	serve func(t *testing.T, clock *vaulttest.Clock, opts vaulttest.Options) *vaulttest.Kit
}

// folderSite is a data folder, which open creates as the target of a copy.
func folderSite(t *testing.T, root seal.RootKey) site {
	t.Helper()
	return folderIn(filepath.Join(t.TempDir(), "data"), root)
}

func folderIn(dir string, root seal.RootKey) site {
	return site{
		open: func(t *testing.T) (transfer.Store, func()) {
			t.Helper()
			folder, err := bolt.OpenFolder(dir)
			vaulttest.Want(t, "OpenFolder()", err, nil)
			store, shares, err := folder.Open(bolt.Options{Init: transfer.Prepare("source", vaulttest.StartTime()), Small: true})
			vaulttest.Want(t, "Folder.Open()", err, nil)
			return transfer.Store{Name: dir, Store: store, Shares: shares}, func() {
				vaulttest.Want(t, "Folder.Close()", folder.Close(), nil)
			}
		},
		serve: func(t *testing.T, clock *vaulttest.Clock, opts vaulttest.Options) *vaulttest.Kit {
			t.Helper()
			opts.Dir, opts.RootKey, opts.Start, opts.Manual = dir, &root, clock.Now(), true
			return vaulttest.New(t, opts)
		},
	}
}

// keepingSite is a store that does not overwrite.
func keepingSite(t *testing.T, root seal.RootKey) site {
	t.Helper()
	store := vaulttest.NewEmptyKeepingStore(t)
	return site{
		open: func(*testing.T) (transfer.Store, func()) {
			return transfer.Store{Name: "keeping", Store: store, Shares: store.Shares}, func() {}
		},
		serve: func(t *testing.T, clock *vaulttest.Clock, opts vaulttest.Options) *vaulttest.Kit {
			t.Helper()
			cluster := &vaulttest.Cluster{Store: store, Shares: store.Shares, Root: root}
			opts.Start, opts.Manual = clock.Now(), true
			return cluster.Node(t, "node", opts)
		},
	}
}

// options returns those of a copy.
func options(from, to transfer.Store, root seal.RootKey, clock *vaulttest.Clock) transfer.Options {
	return transfer.Options{From: from, To: to, Keys: seal.NewKeys(root), Now: clock.Now, Log: slog.New(slog.DiscardHandler)}
}

// mailbox receives mails.
type mailbox struct {
	mu   sync.Mutex
	sent []outbox.Mail
}

func (m *mailbox) send(_ context.Context, mail outbox.Mail) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sent = append(m.sent, mail)
	return nil
}

// content is what a test put into a service, and finds again in its copy.
type content struct {
	root  seal.RootKey
	clock *vaulttest.Clock
	mails mailbox
	dns   *resolvertest.Server

	plain, guarded, burnable, ended, owned, claimed secret.Concealed

	asked    *vaulttest.Asked
	answered [2]*vaulttest.Answered // one that waits, and one with a claim

	cookie seal.SessionID
	token  seal.APIToken
}

func newContent(t *testing.T) *content {
	t.Helper()
	return &content{root: seal.NewRootKey(), clock: vaulttest.NewClock(vaulttest.StartTime()), dns: resolvertest.New(t)}
}

// options returns the options of every vault that serves the content.
func (c *content) options(t *testing.T) vaulttest.Options {
	t.Helper()
	r, err := resolver.New(c.dns.Addr)
	vaulttest.Want(t, "resolver.New()", err, nil)
	return vaulttest.Options{
		Host: "hush.example.org", Resolver: r, Send: c.mails.send, Policy: caller.Policy{ChallengeAbove: 1000},
	}
}

// fill uses a service so that every bucket has rows.
func (c *content) fill(t *testing.T, k *vaulttest.Kit) {
	t.Helper()
	ctx, stranger := t.Context(), vaulttest.Caller(7)
	m := &vaulttest.Member{Kit: k}
	m.ID = m.AddAccount(t, vaulttest.MemberAddress, vaulttest.Password)
	in := m.SignIn(t, true)
	c.cookie = in.Cookie
	member := m.MustAuthenticate(t, vaulttest.BySession(in.Cookie))
	c.token = m.MustToken(t, member, credential.NewToken{Name: "copied"})

	c.plain = k.MustConceal(t, stranger, vaulttest.Plaintext, secret.Terms{})
	c.guarded = k.MustConceal(t, stranger, vaulttest.Plaintext, secret.Terms{Passphrase: vaulttest.Passphrase})
	c.burnable = k.MustConceal(t, stranger, vaulttest.Plaintext, secret.Terms{})
	c.ended = k.MustConceal(t, stranger, vaulttest.Plaintext, secret.Terms{})
	c.owned = k.MustConceal(t, member, vaulttest.Plaintext, secret.Terms{Recipients: []string{"friend@example.com"}, TTL: new(100 * time.Hour)})
	vaulttest.RevealErr(t, k, stranger, c.guarded.Secret.Key.Expose(), "wrong")
	k.MustReveal(t, stranger, c.ended.Secret.Key, "")
	c.claimed = k.MustConceal(t, stranger, vaulttest.Plaintext, secret.Terms{})
	k.MustRevealClaimed(t, c.claimed.Secret.Key, vaulttest.Claim(1))
	c.asked = k.MustAsk(t, member, 5)
	for i := range c.answered {
		c.answered[i] = k.MustAnswer(t, stranger, c.asked, vaulttest.Plaintext)
	}
	_, err := k.OpenAnswer(t, member, c.asked, vaulttest.AnswerOf(t, k.MustCollect(t, member, c.asked), c.answered[1]), vaulttest.Claim(2))
	vaulttest.Want(t, "OpenAnswer(claim)", err, nil)
	k.MustMetadata(t, stranger, c.plain.Metadata.Key)
	_, err = k.Vault.Sessions.CreateSession(ctx, stranger, vaulttest.MemberAddress, "wrong password", false)
	vaulttest.Want(t, "CreateSession(wrong password) fails", err != nil, true)
	vaulttest.Want(t, "RequestPasswordReset()", k.Vault.SignUps.RequestPasswordReset(ctx, stranger, vaulttest.MemberAddress), nil)

	d, err := k.Vault.Domains.AddDomain(ctx, member, "secrets.example.com")
	vaulttest.Want(t, "AddDomain()", err, nil)
	c.dns.SetTXT(d.TXTHost+"."+d.Base, d.TXTValue)
	_, err = k.Vault.Checks.VerifyDomain(ctx, member, d.Name)
	vaulttest.Want(t, "VerifyDomain()", err, nil)
	var logo bytes.Buffer
	vaulttest.Want(t, "png.Encode()", png.Encode(&logo, image.NewNRGBA(image.Rect(0, 0, 40, 20))), nil)
	_, _, err = k.Vault.Domains.UpdateDomainLogo(ctx, member, d.Name, 1, logo.Bytes())
	vaulttest.Want(t, "UpdateDomainLogo()", err, nil)

	// A file that is gone, whose blob is still to be removed: others are not moved.
	k.MustBurn(t, stranger, k.BeginFile(t, stranger, 400).Send(t).Receipt, "")

	vaulttest.MustFeedback(t, k, member, "well done")
	vaulttest.MustException(t, k, stranger, feedback.Exception{Message: "it broke", Type: "Error", URL: "https://hush.example.org/"})
	payload := vaulttest.MustSolve(t, k, "").Payload(t)
	vaulttest.Want(t, "Spend()", k.Vault.Challenges.Spend(ctx, payload, "", c.clock.Now()), nil)
	places := []place.Place{{Name: "Oslo", Latitude: 59.9, Altitude: 12}}
	vaulttest.Want(t, "Import()", k.Vault.Places.Import(ctx, places, false), nil)
}

// wantWorks uses the copy as the service before it was used.
func (c *content) wantWorks(t *testing.T, k *vaulttest.Kit) {
	t.Helper()
	stranger := vaulttest.Caller(7)
	m := &vaulttest.Member{Kit: k}
	member := m.MustAuthenticate(t, vaulttest.BySession(c.cookie))
	m.MustAuthenticate(t, vaulttest.ByToken(c.token))
	m.SignIn(t, false)
	m.WantList(t, member, 1, 0)
	vaulttest.WantState(t, k, c.ended.Metadata.Key, receipt.StateReceived)
	vaulttest.Want(t, "RevealSecret(plain)", k.MustReveal(t, stranger, c.plain.Secret.Key, ""), vaulttest.Plaintext)
	vaulttest.Want(t, "RevealSecret(guarded)", k.MustReveal(t, stranger, c.guarded.Secret.Key, vaulttest.Passphrase), vaulttest.Plaintext)
	k.MustBurn(t, stranger, c.burnable.Metadata.Key, "")
	vaulttest.Want(t, "RevealSecret(claim)", k.MustRevealClaimed(t, c.claimed.Secret.Key, vaulttest.Claim(1)), vaulttest.Plaintext)
	k.MustAcknowledge(t, c.claimed.Secret.Key, vaulttest.Claim(1))
	for i, claim := range []caller.Text{"", vaulttest.Claim(2)} {
		text, err := k.OpenAnswer(t, member, c.asked, vaulttest.AnswerOf(t, k.MustCollect(t, member, c.asked), c.answered[i]), claim)
		vaulttest.Want(t, "OpenAnswer()", err, nil)
		vaulttest.Want(t, "OpenAnswer()", text, vaulttest.Plaintext)
		again, err := k.SendAnswer(t, stranger, c.asked, c.answered[i])
		vaulttest.Want(t, "AnswerRequest(again)", err, nil)
		vaulttest.Want(t, "receipt of the repeat", again.Key, c.answered[i].Metadata.Key)
	}
	before := len(c.mails.sent)
	vaulttest.MustPost(t, k)
	vaulttest.Want(t, "mails left", vaulttest.MustPost(t, k), 0)
	vaulttest.Want(t, "mails sent", len(c.mails.sent)-before, 2) // to the recipient, and to reset the password
	vaulttest.Want(t, "RevealSecret(owned)", k.MustReveal(t, stranger, c.owned.Secret.Key, ""), vaulttest.Plaintext)
	logo, err := k.Vault.Domains.GetDomainLogo(t.Context(), member, "secrets.example.com", 1)
	vaulttest.Want(t, "GetDomainLogo()", err, nil)
	vaulttest.Want(t, "logo's width", logo.Width, 40)
	_, err = k.Vault.Places.LookupPlace(t.Context(), "oslo")
	vaulttest.Want(t, "LookupPlace()", err, nil)
	k.MustSweep(t)
}

type tx = storage.Tx

func view(t *testing.T, k *vaulttest.Kit, fn func(tx) error) {
	t.Helper()
	vaulttest.Want(t, "View()", k.Store.View(t.Context(), fn), nil)
}

// serveErr returns the error of a vault that opens at a site.
func (c *content) serveErr(t *testing.T, s site) error {
	t.Helper()
	opened, closed := s.open(t)
	defer closed()
	v, err := vault.Open(t.Context(), vault.Options{
		Store: opened.Store, Shares: opened.Shares, Keys: seal.NewKeys(c.root), Now: c.clock.Now,
		Log: slog.New(slog.DiscardHandler), Manual: true,
	})
	if err == nil {
		v.Close()
	}
	return err
}
