package onetime

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"net/url"
	"time"

	"hush/client"
	"hush/client/attempt"
)

// V2 speaks version 2 of the Onetime Secret interface. Its releases differ in
// the form of requests to share, in the path of a reveal, and in what a record has.
type V2 struct{ *caller }

// NewV2 returns a V2 of the server at a base URL. It sends nothing.
func NewV2(server *url.URL, o client.Options) V2 { return V2{newCaller(server, client.ProtocolV2, o)} }

// Account implements client.Backend.
func (b V2) Account(ctx context.Context) (client.Account, error) {
	if !b.hasAccount() {
		return client.Account{}, attempt.NoToken()
	}
	answer, fail := b.call(ctx, b.get("/authcheck"))
	if fail != nil && fail.Refusal.status == http.StatusNotFound {
		return b.accountByList(ctx)
	}
	if fail != nil {
		return client.Account{}, fail.Err
	}
	var checked struct {
		Record struct{ Custid jsonString }
	}
	if err := b.read(answer, &checked); err != nil {
		return client.Account{}, err
	}
	if checked.Record.Custid == "" {
		return client.Account{}, b.unexpected()
	}
	return client.Account{Address: client.Plain(string(checked.Record.Custid))}, nil
}

// accountByList is for releases without authcheck: only an account has a list of
// receipts.
func (b V2) accountByList(ctx context.Context) (client.Account, error) {
	if _, fail := b.onReceipt(ctx, b.recent); fail != nil {
		return client.Account{}, fail.Err
	}
	return client.Account{Address: b.username}, nil
}

// onReceipt makes a call about receipts by their first name, and by their later one
// where the server does not know the first.
func (b V2) onReceipt(ctx context.Context, about func(noun string) query) (*reply, *failure) {
	answer, fail := b.call(ctx, about("private"))
	if fail != nil && fail.Refusal.isRoute {
		return b.call(ctx, about("receipt"))
	}
	return answer, fail
}

func (b V2) recent(noun string) query {
	return query{method: http.MethodGet, path: b.prefix + "/" + noun + "/recent", most: listMax}
}

// Share implements client.Backend.
func (b V2) Share(ctx context.Context, request client.ShareRequest) (client.Shared, error) {
	d, err := b.draft(request)
	if err != nil {
		return client.Shared{}, err
	}
	answer, fail := b.call(ctx, b.postJSON("/secret/conceal", map[string]any{"secret": d.message("conceal")}))
	if fail != nil && fail.Refusal.wantsFlat() {
		answer, fail = b.call(ctx, b.postJSON("/secret/conceal", d.message("share")))
	}
	if fail != nil {
		return client.Shared{}, shareError(d, fail)
	}
	var answered v2Concealed
	if err := b.read(answer, &answered); err != nil {
		return client.Shared{}, err
	}
	made := answered.created()
	if made.key == "" && client.IsKey(made.receiptKey) {
		if err := b.fetchKey(ctx, &made); err != nil {
			return client.Shared{}, err
		}
	}
	return b.shared(ctx, d, made, b.Burn)
}

// message returns a request to share as v2 has it.
func (d draft) message(kind string) map[string]any {
	message := map[string]any{"kind": kind, "secret": d.text, "share_domain": d.request.Domain}
	if d.request.TTL != 0 {
		message["ttl"] = wholeSeconds(d.request.TTL)
	}
	if !d.request.Passphrase.IsEmpty() {
		message["passphrase"] = d.request.Passphrase.Expose()
	}
	if len(d.request.Recipients) > 0 {
		message["recipient"] = d.request.Recipients[0]
	}
	return message
}

// wantsFlat reports whether the server could not read a request to share, and may
// read one that is not wrapped. The oldest release of v2 fails on what is wrapped
// while it reads it, so that nothing is created; later ones have other statuses for
// a failure.
func (r refusal) wantsFlat() bool {
	isRead := r.status == http.StatusBadRequest || r.status == http.StatusUnprocessableEntity
	return isRead && r.message == messagePayload || r.status == http.StatusBadRequest && r.message == messageUnexpected
}

// fetchKey gets the key of a secret from its receipt, for the release whose answer
// leaves it out.
func (b V2) fetchKey(ctx context.Context, made *created) error {
	answer, fail := b.call(ctx, b.get(keyPath("private", client.Hide(made.receiptKey), "")))
	if fail == nil {
		var found v2Found
		if err := b.read(answer, &found); err != nil {
			return err
		}
		made.key = string(found.Record.SecretKey)
		made.hasPassphrase, made.isTruncated = found.Details.HasPassphrase, found.Details.IsTruncated
		made.receipt.HasPassphrase = isTrue(made.hasPassphrase)
		return nil
	}
	fail.Err.Message += ": the secret was shared, but its link did not arrive: it waits until it expires"
	return fail.Err
}

// Look implements client.Backend.
func (b V2) Look(ctx context.Context, link client.Link) (client.Secret, error) {
	if err := b.checkOpen(link); err != nil {
		return client.Secret{}, err
	}
	answer, fail := b.call(ctx, b.get(keyPath("secret", link.Key, "")))
	if fail != nil {
		return client.Secret{}, fail.Err
	}
	var found v2Looked
	if err := b.read(answer, &found); err != nil {
		return client.Secret{}, err
	}
	if found.Record.HasPassphrase == nil {
		return client.Secret{}, b.unexpected()
	}
	return client.Secret{
		Known: true, HasPassphrase: isTrue(found.Record.HasPassphrase), Encryption: client.EncryptionServer, Expires: found.expires(),
	}, nil
}

// Open implements client.Backend.
func (b V2) Open(ctx context.Context, link client.Link, passphrase client.Text, _ client.Claim) (client.Opened, error) {
	if err := b.checkOpen(link); err != nil {
		return client.Opened{}, err
	}
	answer, fail := b.tryReveal(ctx, link, passphrase)
	if fail != nil {
		return client.Opened{}, b.openError(ctx, link, passphrase, fail)
	}
	var revealed struct {
		Record struct {
			SecretValue *string   `json:"secret_value"`
			IsTruncated *jsonBool `json:"is_truncated"`
		}
	}
	if err := b.read(answer, &revealed); err != nil {
		return client.Opened{}, err
	}
	if revealed.Record.SecretValue == nil {
		return client.Opened{}, b.unexpected()
	}
	return opened(*revealed.Record.SecretValue, answer, revealed.Record.IsTruncated), nil
}

// tryReveal calls the reveal at its later path, and at that of the oldest release where
// the server does not know it. It never is a GET, which a release reveals by too.
func (b V2) tryReveal(ctx context.Context, link client.Link, passphrase client.Text) (*reply, *failure) {
	message := map[string]any{"continue": true}
	if !passphrase.IsEmpty() {
		message["passphrase"] = passphrase.Expose()
	}
	answer, fail := b.reveal(ctx, b.postJSON(keyPath("secret", link.Key, "/reveal"), message))
	if fail != nil && fail.Refusal.isRoute {
		return b.reveal(ctx, b.postJSON(keyPath("secret", link.Key, ""), message))
	}
	return answer, fail
}

// openError returns what a reveal that failed means. If the server may have revealed,
// it is asked whether the secret still waits.
func (b V2) openError(ctx context.Context, link client.Link, passphrase client.Text, f *failure) error {
	if isAboutPassphrase(f) {
		return wrongPassphrase(passphrase)
	}
	if f.Outcome != attempt.OutcomeUnknown {
		return f.Err
	}
	_, err := b.Look(ctx, link)
	switch {
	case err == nil:
		f.Err.Message += ": the secret still waited a moment later"
		return f.Err
	case client.KindOf(err) == client.KindGone:
		return &client.Error{Kind: client.KindLost, Message: "the content did not arrive, and the secret is gone now: it was opened by this call, or by another reader at the same time", Cause: f.Err}
	case f.Err.Kind == client.KindNetwork:
		return lostContentError(f.Err)
	}
	f.Err.Message += ": whether the secret still waits is not known"
	return f.Err
}

// Receipt implements client.Backend.
func (b V2) Receipt(ctx context.Context, key client.Text) (client.Receipt, error) {
	if !client.IsKey(key.Expose()) {
		return client.Receipt{}, wrongKey()
	}
	answer, fail := b.onReceipt(ctx, func(noun string) query { return b.get(keyPath(noun, key, "")) })
	if fail != nil {
		return client.Receipt{}, attempt.OfReceipt(fail.Err)
	}
	var found v2Found
	if err := b.read(answer, &found); err != nil {
		return client.Receipt{}, err
	}
	if found.Record.key() != key.Expose() {
		return client.Receipt{}, b.unexpected()
	}
	receipt := found.receipt(answer.now)
	if receipt.Domain == b.host {
		receipt.Domain = "" // the server's own
	}
	return receipt, nil
}

// Watch implements client.Backend.
func (b V2) Watch(ctx context.Context, key client.Text) iter.Seq2[client.Receipt, error] {
	return b.poll(ctx, key, b.Receipt)
}

// Burn confirms in text: the oldest release refuses a truth value.
func (b V2) Burn(ctx context.Context, key, passphrase client.Text) (client.Receipt, error) {
	if !client.IsKey(key.Expose()) {
		return client.Receipt{}, wrongKey()
	}
	message := map[string]any{"continue": "true"}
	if !passphrase.IsEmpty() {
		message["passphrase"] = passphrase.Expose()
	}
	answer, fail := b.onReceipt(ctx, func(noun string) query { return b.postJSON(keyPath(noun, key, "/burn"), message) })
	if fail != nil {
		return burnError(ctx, fail, key, passphrase, b.Receipt)
	}
	var done v2Burned
	if err := b.read(answer, &done); err != nil {
		return client.Receipt{}, err
	}
	record := done.record()
	if record.key() != key.Expose() {
		return client.Receipt{}, b.unexpected()
	}
	return burned(record.receipt(answer.now), answer.now.UTC().Truncate(time.Second)), nil
}

// Receipts implements client.Backend.
func (b V2) Receipts(ctx context.Context) iter.Seq2[client.Receipt, error] {
	return func(yield func(client.Receipt, error) bool) {
		if !b.hasAccount() {
			yield(client.Receipt{}, attempt.NoToken())
			return
		}
		answer, fail := b.onReceipt(ctx, b.recent)
		if fail != nil {
			yield(client.Receipt{}, fail.Err)
			return
		}
		var receipts []client.Receipt
		list := struct{ Records json.RawMessage }{Records: json.RawMessage("[]")}
		err := b.read(answer, &list)
		if err == nil && string(list.Records) != "null" {
			err = readEach(b.caller, list.Records, func(record v2Record) {
				if client.IsKey(record.key()) {
					receipts = append(receipts, record.receipt(answer.now))
				}
			})
		}
		if err != nil {
			yield(client.Receipt{}, err)
			return
		}
		each(receipts, yield)
	}
}
