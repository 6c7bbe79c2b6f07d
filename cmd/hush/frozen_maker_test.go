package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"hush/resolver"
	"hush/resolver/resolvertest"
	"hush/seal"
	"hush/seal/chunked"
	"hush/seal/endtoend"
	"hush/server/servertest"
	"hush/storage"
	"hush/testtier"
	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/cluster"
	"hush/vault/credential"
	"hush/vault/domain"
	"hush/vault/feedback"
	"hush/vault/outbox"
	"hush/vault/place"
	"hush/vault/rows"
	"hush/vault/secret"
	"hush/vault/signup"
	"hush/vault/vaulttest"
)

// freeze is set by the release that begins a format, once:
//
//	go test ./cmd/hush -run TestFreezeFolder -freeze 0.2.0
var freeze = flag.String("freeze", "", "write the folder of this release to testdata/folders")

// frozen says what a frozen data folder holds, and how to use it. All of it was
// made for the test and protects nothing.
type frozen struct {
	Release string
	Format  rows.Format
	RootKey string    // the content of root.key
	Time    time.Time // of the last change

	Passphrase string // of Guarded and Tried
	Password   string // of all accounts
	Colonel    string // the address of the administrator
	Customer   string // the address of an account with everything
	Disabled   string
	Destroyed  string
	Pending    string // signed up, not confirmed

	Session      string // of the customer, ended by time
	ColonelToken string
	Token        string // of the customer, for everything
	NarrowToken  string // for receipts only
	RevokedToken string
	Invite       string

	Domain, Unverified string
	TXTName, TXTValue  string // proves Domain

	// Secrets and receipts by what was done with them; see secrets.
	Secrets map[string]frozenSecret

	// Request is one of the customer; nil for releases before requests.
	Request *frozenRequest `json:",omitempty"`

	// Files are files by how far they have come: arriving, waiting, claimed and burned; nil
	// for releases before files.
	Files map[string]frozenFile `json:",omitempty"`
}

// frozenFile is a file of a frozen folder, with all that its sender and its recipient have.
type frozenFile struct {
	Key, Receipt                string
	Token, Content, Link, Proof []byte

	Claim []byte `json:",omitempty"`
}

// frozenRequest is a request of a frozen folder. It has an answer that waits, one that was
// burned, and one that was opened with Claim. Link and Collect are the secrets of its links.
type frozenRequest struct {
	Key, CollectKey             string
	Link, Collect, Claim        []byte
	Waits, Claimed              string // texts
	WaitsReceipt, BurnedReceipt string
}

// frozenSecret is a secret of a frozen folder. Link is what the fragment of its link
// has, if it is end-to-end encrypted, and Claim that of its reveal, in base64.
type frozenSecret struct {
	Secret, Metadata, Text string

	Link  string `json:",omitempty"`
	Claim []byte `json:",omitempty"`
}

const (
	frozenPassword   = caller.Text("a password of the past")
	frozenPassphrase = caller.Text("a passphrase of the past")
)

// TestFreezeFolder makes a folder of the present format, as it is frozen for later
// releases, and uses it as they do.
func TestFreezeFolder(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "a data folder")
	testtier.Check(t, "makes a data folder with everything")
	made, dir := makeFrozen(t, *freeze)
	if *freeze != "" {
		writeFrozen(t, made, dir)
	}
	useFrozen(t, made, dir) // which ends what it holds
}

// freezer fills a vault with what a frozen folder holds.
type freezer struct {
	*vaulttest.Kit

	t        *testing.T
	made     *frozen
	dns      *resolvertest.Server
	stranger caller.Caller
	customer caller.Caller
	asked    *vaulttest.Asked
	answered *vaulttest.Answered // to be opened with a claim
}

// makeFrozen fills a new data folder in which every kind of row stands.
func makeFrozen(t *testing.T, release string) (made *frozen, dir string) {
	t.Helper()
	made = &frozen{
		Release: release, Password: string(frozenPassword), Passphrase: string(frozenPassphrase),
		Colonel: "colonel@hush.example", Customer: "customer@hush.example", Disabled: "disabled@hush.example",
		Destroyed: "destroyed@hush.example", Pending: "pending@hush.example",
		Domain: "secrets.example.com", Unverified: "unverified.example.net", Secrets: map[string]frozenSecret{},
	}
	f := freezer{t: t, made: made, dns: resolvertest.New(t), stranger: vaulttest.Caller(7)}
	f.Kit = vaulttest.New(t, f.options(func(context.Context, outbox.Mail) error { return nil }))
	f.accounts()
	f.domains()
	f.conceal()
	f.ask()
	f.files()
	f.others()
	f.end()
	f.queue()
	f.wantEveryBucket()
	made.RootKey, made.Time = string(f.RootKey.Text()), f.Clock.Now()
	vaulttest.Want(t, "View(format)", f.Store.View(t.Context(), func(tx storage.Tx) error {
		stored, err := cluster.GetFormat(tx)
		made.Format = stored.Format
		return err
	}), nil)
	f.Close(t)
	path := filepath.Join(f.Dir, "root.key")
	vaulttest.Want(t, "WriteFile(root.key)", os.WriteFile(path, []byte(made.RootKey), 0o400), nil)
	return made, f.Dir
}

func (f *freezer) options(send func(context.Context, outbox.Mail) error) vaulttest.Options {
	f.t.Helper()
	r, err := resolver.New(f.dns.Addr)
	vaulttest.Want(f.t, "resolver.New()", err, nil)
	return vaulttest.Options{
		Folder: true, Manual: true, Host: "hush.example", Resolver: r, Send: send,
		Policy: caller.Policy{ChallengeAbove: 1000, SignUp: caller.SignUpOpen},
	}
}

func (f *freezer) accounts() {
	t, ctx, made, operator := f.t, f.t.Context(), f.made, f.Vault.Operator()
	t.Helper()
	for address, role := range map[string]account.Role{
		made.Colonel: account.RoleColonel, made.Customer: account.RoleCustomer,
		made.Disabled: account.RoleCustomer, made.Destroyed: account.RoleCustomer,
	} {
		_, err := operator.SignUps.CreateAccount(ctx, signup.OperatorAccount{Address: caller.Text(address), Password: frozenPassword, Role: role})
		vaulttest.Want(t, "CreateAccount("+address+")", err, nil)
	}
	f.customer = f.MustSignIn(t, caller.Text(made.Customer), frozenPassword)
	in, err := f.Vault.Sessions.CreateSession(ctx, f.stranger, caller.Text(made.Customer), frozenPassword, true)
	vaulttest.Want(t, "CreateSession(remembered)", err, nil)
	made.Session = in.Cookie.Expose()
	token := func(address string, n credential.NewToken) (string, credential.APIToken) {
		token, shown, err := operator.Tokens.CreateToken(ctx, caller.Text(address), n)
		vaulttest.Want(t, "CreateToken()", err, nil)
		return token.Expose(), shown
	}
	made.ColonelToken, _ = token(made.Colonel, credential.NewToken{Name: "colonel"})
	whole, _, err := f.Vault.Tokens.GenerateAPIToken(ctx, f.customer, credential.NewToken{Name: "whole"})
	vaulttest.Want(t, "GenerateAPIToken()", err, nil)
	made.Token = whole.Expose()
	made.NarrowToken, _ = token(made.Customer, credential.NewToken{Name: "narrow", Scopes: caller.ScopeMetadata})
	revoked, shown := token(made.Customer, credential.NewToken{Name: "revoked"})
	made.RevokedToken = revoked
	_, err = operator.Tokens.RevokeToken(ctx, caller.Text(made.Customer), shown.ID)
	vaulttest.Want(t, "RevokeToken()", err, nil)
	_, err = operator.Accounts.DisableAccount(ctx, caller.Text(made.Disabled), true)
	vaulttest.Want(t, "DisableAccount()", err, nil)
	invite, err := f.Vault.SignUps.CreateInvite(ctx, f.MustSignIn(t, caller.Text(made.Colonel), frozenPassword), "")
	vaulttest.Want(t, "CreateInvite()", err, nil)
	made.Invite = string(invite.Key)
	_, err = f.Vault.Sessions.CreateSession(ctx, f.stranger, caller.Text(made.Customer), "wrong password", false)
	vaulttest.Want(t, "CreateSession(wrong password) fails", err != nil, true)
}

func (f *freezer) domains() {
	t, ctx, made := f.t, f.t.Context(), f.made
	t.Helper()
	d, err := f.Vault.Domains.AddDomain(ctx, f.customer, made.Domain)
	vaulttest.Want(t, "AddDomain()", err, nil)
	made.TXTName, made.TXTValue = d.TXTHost+"."+d.Base, d.TXTValue
	f.dns.SetTXT(made.TXTName, made.TXTValue)
	_, err = f.Vault.Checks.VerifyDomain(ctx, f.customer, d.Name)
	vaulttest.Want(t, "VerifyDomain()", err, nil)
	brand := domain.Brand{PrimaryColor: new("#123456"), Description: new("a brand of the past")}
	_, err = f.Vault.Domains.UpdateDomainBrand(ctx, f.customer, d.Name, brand, nil)
	vaulttest.Want(t, "UpdateDomainBrand()", err, nil)
	for kind, width := range map[domain.ImageKind]int{1: 40, 2: 32} {
		var picture bytes.Buffer
		vaulttest.Want(t, "png.Encode()", png.Encode(&picture, image.NewNRGBA(image.Rect(0, 0, width, 32))), nil)
		_, _, err = f.Vault.Domains.UpdateDomainLogo(ctx, f.customer, d.Name, kind, picture.Bytes())
		vaulttest.Want(t, "UpdateDomainLogo()", err, nil)
	}
	_, err = f.Vault.Domains.AddDomain(ctx, f.customer, made.Unverified)
	vaulttest.Want(t, "AddDomain(unverified)", err, nil)
}

// keep conceals a secret under a name.
func (f *freezer) keep(name string, c caller.Caller, terms secret.Terms) {
	f.t.Helper()
	text := "the secret " + name
	kept := f.MustConceal(f.t, c, caller.Text(text), terms)
	f.made.Secrets[name] = frozenSecret{Secret: kept.Secret.Key.Expose(), Metadata: kept.Metadata.Key.Expose(), Text: text}
}

// keepSealed conceals an end-to-end encrypted secret under a name.
func (f *freezer) keepSealed(name, passphrase string) {
	f.t.Helper()
	text := "the secret " + name
	link := endtoend.Link{Secret: endtoend.NewLinkSecret()}
	kept := f.MustConceal(f.t, f.stranger, "", secret.Terms{Sealed: vaulttest.MustSealWith(f.t, link.Secret, text, passphrase)})
	link.Key = kept.Secret.Key
	f.made.Secrets[name] = frozenSecret{Secret: kept.Secret.Key.Expose(), Metadata: kept.Metadata.Key.Expose(), Text: text, Link: link.Expose()}
}

func (f *freezer) conceal() {
	t, ctx, guarded := f.t, f.t.Context(), secret.Terms{Passphrase: frozenPassphrase}
	t.Helper()
	for _, name := range []string{"plain", "revealed", "burned", "reported", "to burn", "viewed", "claimed"} {
		f.keep(name, f.stranger, secret.Terms{})
	}
	f.keep("guarded", f.stranger, guarded)
	f.keepSealed("end-to-end", "")
	f.keepSealed("end-to-end and guarded", string(frozenPassphrase))
	f.keep("tried", f.stranger, guarded)
	f.keep("expired", f.stranger, secret.Terms{TTL: new(10 * time.Minute)})
	f.keep("owned", f.customer, secret.Terms{TTL: new(100 * time.Hour)})
	f.keep("owned and burned", f.customer, secret.Terms{})
	f.keep("owned and viewed", f.customer, secret.Terms{Recipients: []string{"recipient@elsewhere.example"}})
	f.keep("on the domain", f.customer, secret.Terms{ShareDomain: f.made.Domain})
	_, err := f.Vault.Receipts.UpdateMemo(ctx, f.customer, f.made.Secrets["owned"].Metadata, "a memo of the past")
	vaulttest.Want(t, "UpdateMemo()", err, nil)
	made, text, err := f.Vault.Secrets.GenerateSecret(ctx, f.stranger, 20, seal.CharacterSets{}, secret.Terms{})
	vaulttest.Want(t, "GenerateSecret()", err, nil)
	f.made.Secrets["generated"] = frozenSecret{Secret: made.Secret.Key.Expose(), Metadata: made.Metadata.Key.Expose(), Text: string(text)}
}

func (f *freezer) ask() {
	t, r := f.t, &frozenRequest{Waits: "the answer that waits", Claimed: "the answer with a claim"}
	t.Helper()
	f.asked = f.MustAsk(t, f.customer, 5)
	waits := f.MustAnswer(t, f.stranger, f.asked, r.Waits)
	burned := f.MustAnswer(t, f.stranger, f.asked, "the answer that was burned")
	f.answered = f.MustAnswer(t, f.stranger, f.asked, r.Claimed)
	f.MustBurn(t, f.stranger, burned.Metadata.Key, "")
	link, collect := f.asked.Link.Expose(), f.asked.Collect.Expose()
	r.Key, r.CollectKey, r.Link, r.Collect = f.asked.Key.Expose(), f.asked.CollectKey.Expose(), link[:], collect[:]
	r.WaitsReceipt, r.BurnedReceipt = waits.Metadata.Key.Expose(), burned.Metadata.Key.Expose()
	f.made.Request = r
}

// files makes a file in each state. They are small: the folder keeps their contents.
func (f *freezer) files() {
	t := f.t
	t.Helper()
	f.made.Files = map[string]frozenFile{}
	for _, name := range []string{"arriving", "waiting", "claimed", "burned"} {
		file := f.BeginFile(t, f.stranger, int(chunked.SealedSize(300)))
		vaulttest.Want(t, "PutPart()", file.Put(t, 0), nil)
		kept := frozenFile{
			Key: file.Key.Expose(), Receipt: file.Receipt.Expose(), Token: file.Token[:], Content: file.Content,
			Link: file.Proofs[0][:], Proof: file.Proofs[1][:],
		}
		switch name {
		case "waiting":
			vaulttest.Want(t, "Finish()", file.Finish(t), nil)
		case "claimed":
			vaulttest.Want(t, "Finish()", file.Finish(t), nil)
			kept.Claim = []byte(file.MustOpen(t))
		case "burned":
			vaulttest.Want(t, "Cancel()", f.Vault.Uploads.Cancel(t.Context(), f.stranger, file.Key.Expose(), file.Token), nil)
		}
		f.made.Files[name] = kept
	}
}

func (f *freezer) others() {
	t, ctx := f.t, f.t.Context()
	t.Helper()
	vaulttest.MustFeedback(t, f.Kit, f.customer, "feedback of the past")
	vaulttest.MustException(t, f.Kit, f.stranger, feedback.Exception{Message: "an exception of the past", Type: "Error", URL: "https://hush.example/"})
	solved := vaulttest.MustSolve(t, f.Kit, "").Payload(t)
	vaulttest.Want(t, "Spend()", f.Vault.Challenges.Spend(ctx, solved, "", f.Clock.Now()), nil)
	places := []place.Place{{Name: "Oslo", Latitude: 59.9, Altitude: 12}}
	vaulttest.Want(t, "Import()", f.Vault.Places.Import(ctx, places, false), nil)
	vaulttest.MustPost(t, f.Kit) // mails until here are delivered
}

// end brings receipts into each state.
func (f *freezer) end() {
	t, ctx, all := f.t, f.t.Context(), f.made.Secrets
	t.Helper()
	reveal := func(name string, passphrase caller.Text) error {
		_, err := f.Vault.Secrets.RevealSecret(ctx, f.stranger, all[name].Secret, secret.Opening{Passphrase: passphrase})
		return err
	}
	vaulttest.Want(t, "RevealSecret()", reveal("revealed", ""), nil)
	vaulttest.Want(t, "RevealSecret(wrong passphrase) fails", reveal("tried", "wrong") != nil, true)
	for _, name := range []string{"burned", "owned and burned"} {
		_, err := f.Vault.Burns.BurnGuarded(ctx, f.customer, all[name].Metadata, "")
		vaulttest.Want(t, "BurnSecret("+name+")", err, nil)
	}
	for _, name := range []string{"viewed", "owned and viewed"} {
		_, err := f.Vault.Receipts.GetMetadata(ctx, f.customer, all[name].Metadata)
		vaulttest.Want(t, "GetMetadata("+name+")", err, nil)
		_, err = f.Vault.Secrets.GetSecret(ctx, f.stranger, all[name].Secret)
		vaulttest.Want(t, "GetSecret("+name+")", err, nil)
	}
	_, err := f.Vault.Operator().Secrets.BurnReportedSecret(ctx, caller.Text(all["reported"].Secret))
	vaulttest.Want(t, "BurnReportedSecret()", err, nil)
	_, err = f.Vault.Operator().Accounts.DestroyAccount(ctx, caller.Text(f.made.Destroyed))
	vaulttest.Want(t, "DestroyAccount()", err, nil)
	f.Clock.Advance(11 * time.Minute)
	f.MustSweep(t)
	claimed := all["claimed"]
	claimed.Claim = []byte("a claim of the past: 32 bytes it has")[:32]
	_, err = f.Vault.Secrets.RevealSecret(ctx, f.stranger, claimed.Secret, secret.Opening{Claim: caller.Text(claimed.Claim)})
	vaulttest.Want(t, "RevealSecret(with a claim)", err, nil)
	all["claimed"] = claimed
	f.made.Request.Claim = claimed.Claim
	shown := vaulttest.AnswerOf(t, f.MustCollect(t, f.customer, f.asked), f.answered)
	_, err = f.OpenAnswer(t, f.customer, f.asked, shown, caller.Text(claimed.Claim))
	vaulttest.Want(t, "OpenAnswer(with a claim)", err, nil)
}

// queue leaves mails that were not sent.
func (f *freezer) queue() {
	t, ctx := f.t, f.t.Context()
	t.Helper()
	vaulttest.Want(t, "RequestPasswordReset()", f.Vault.SignUps.RequestPasswordReset(ctx, f.stranger, caller.Text(f.made.Customer)), nil)
	f.keep("mailed", f.customer, secret.Terms{Recipients: []string{"friend@elsewhere.example"}})
	solved := vaulttest.MustSolve(t, f.Kit, "").Payload(t)
	_, err := f.Vault.SignUps.CreateAccount(ctx, f.stranger, signup.NewAccount{Address: caller.Text(f.made.Pending), Password: frozenPassword, Challenge: solved})
	vaulttest.Want(t, "CreateAccount(pending)", err, nil)
}

// wantEveryBucket fails the test if a bucket of a data folder has no row, so that
// the folder lacks what a later release has to read.
func (f *freezer) wantEveryBucket() {
	f.t.Helper()
	var empty []string
	for _, name := range frozenBuckets() {
		if len(vaulttest.RowsIn(f.t, f.Store, name)) == 0 {
			empty = append(empty, name)
		}
	}
	// These have rows on a shared store or for a moment only.
	for _, name := range []string{"budget", "epoch", "node", "pace", "pending", "shred", "usage"} {
		empty = slices.DeleteFunc(empty, func(e string) bool { return e == name })
	}
	if len(empty) > 0 {
		f.t.Errorf("frozen folder: got no rows in %q, want some", empty)
	}
}

// writeFrozen writes the fixture of a folder.
func writeFrozen(t *testing.T, made *frozen, dir string) {
	t.Helper()
	to := filepath.Join(frozenFolders, made.Release)
	vaulttest.Want(t, "MkdirAll()", os.MkdirAll(to, 0o755), nil)
	contents, err := json.MarshalIndent(made, "", "\t")
	vaulttest.Want(t, "MarshalIndent()", err, nil)
	for name, content := range map[string][]byte{"contents.json": append(contents, '\n'), frozenArchive: packFolder(t, dir)} {
		vaulttest.Want(t, "WriteFile("+name+")", os.WriteFile(filepath.Join(to, name), content, 0o644), nil)
	}
}
