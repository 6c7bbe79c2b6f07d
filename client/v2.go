package client

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"time"
)

// v2Backend speaks version 2 of the Onetime Secret interface. Its releases differ in
// the form of requests to share, in the path of a reveal, and in what a record has.
type v2Backend struct{ *legacy }

// newV2 returns the backend that speaks v2.
func newV2(c *Client) backend { return v2Backend{newLegacy(c)} }

func (b v2Backend) account(ctx context.Context) (Account, error) {
	if !b.hasAccount() {
		return Account{}, errNoToken()
	}
	answer, fail := b.call(ctx, b.get("/authcheck"))
	if fail != nil && fail.status == http.StatusNotFound {
		return b.accountByList(ctx)
	}
	if fail != nil {
		return Account{}, fail.err
	}
	var checked struct {
		Record struct{ Custid word }
	}
	if err := b.read(answer, &checked); err != nil {
		return Account{}, err
	}
	if checked.Record.Custid == "" {
		return Account{}, b.strange()
	}
	return Account{Address: plain(string(checked.Record.Custid))}, nil
}

// accountByList is for releases without authcheck: only an account has a list of
// receipts.
func (b v2Backend) accountByList(ctx context.Context) (Account, error) {
	if _, fail := b.onReceipt(ctx, b.recent); fail != nil {
		return Account{}, fail.err
	}
	return Account{Address: b.username}, nil
}

// onReceipt makes a call about receipts by their first name, and by their later one
// where the server does not know the first.
func (b v2Backend) onReceipt(ctx context.Context, about func(noun string) query) (*reply, *setback) {
	answer, fail := b.call(ctx, about("private"))
	if fail != nil && fail.isRoute {
		return b.call(ctx, about("receipt"))
	}
	return answer, fail
}

func (b v2Backend) recent(noun string) query {
	return query{method: http.MethodGet, path: b.prefix + "/" + noun + "/recent", most: listMax}
}

func (b v2Backend) share(ctx context.Context, request ShareRequest) (Shared, error) {
	d, err := b.draft(request)
	if err != nil {
		return Shared{}, err
	}
	answer, fail := b.call(ctx, b.postJSON("/secret/conceal", map[string]any{"secret": d.message("conceal")}))
	if fail != nil && fail.wantsFlat() {
		answer, fail = b.call(ctx, b.postJSON("/secret/conceal", d.message("share")))
	}
	if fail != nil {
		return Shared{}, unshared(d, fail)
	}
	var created v2Concealed
	if err := b.read(answer, &created); err != nil {
		return Shared{}, err
	}
	g := created.granted()
	if g.key == "" && isKey(g.receiptKey) {
		if err := b.fetchKey(ctx, &g); err != nil {
			return Shared{}, err
		}
	}
	return b.shared(ctx, d, g, b.burn)
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
func (s *setback) wantsFlat() bool {
	isRead := s.status == http.StatusBadRequest || s.status == http.StatusUnprocessableEntity
	return isRead && s.said == saidPayload || s.status == http.StatusBadRequest && s.said == saidUnexpected
}

// fetchKey gets the key of a secret from its receipt, for the release whose answer
// leaves it out.
func (b v2Backend) fetchKey(ctx context.Context, g *granted) error {
	answer, fail := b.call(ctx, b.get(keyPath("private", Hide(g.receiptKey), "")))
	if fail == nil {
		var found v2Found
		if err := b.read(answer, &found); err != nil {
			return err
		}
		g.key = string(found.Record.SecretKey)
		g.guarded, g.cut = found.Details.HasPassphrase, found.Details.IsTruncated
		g.receipt.HasPassphrase = isTrue(g.guarded)
		return nil
	}
	fail.err.Message += ": the secret was shared, but its link did not arrive: it waits until it expires"
	return fail.err
}

func (b v2Backend) look(ctx context.Context, link Link) (Secret, error) {
	if err := b.checkOpen(link); err != nil {
		return Secret{}, err
	}
	answer, fail := b.call(ctx, b.get(keyPath("secret", link.Key, "")))
	if fail != nil {
		return Secret{}, fail.err
	}
	var found v2Looked
	if err := b.read(answer, &found); err != nil {
		return Secret{}, err
	}
	if found.Record.HasPassphrase == nil {
		return Secret{}, b.strange()
	}
	return Secret{
		Known: true, HasPassphrase: isTrue(found.Record.HasPassphrase), Encryption: EncryptionServer, Expires: found.expires(),
	}, nil
}

func (b v2Backend) open(ctx context.Context, link Link, passphrase Text, _ Claim) (Opened, error) {
	if err := b.checkOpen(link); err != nil {
		return Opened{}, err
	}
	answer, fail := b.tryReveal(ctx, link, passphrase)
	if fail != nil {
		return Opened{}, b.unopened(ctx, link, passphrase, fail)
	}
	var revealed struct {
		Record struct {
			SecretValue *string `json:"secret_value"`
			IsTruncated *flag   `json:"is_truncated"`
		}
	}
	if err := b.read(answer, &revealed); err != nil {
		return Opened{}, err
	}
	if revealed.Record.SecretValue == nil {
		return Opened{}, b.strange()
	}
	return opened(*revealed.Record.SecretValue, answer, revealed.Record.IsTruncated), nil
}

// tryReveal calls the reveal at its later path, and at that of the oldest release where
// the server does not know it. It never is a GET, which a release reveals by too.
func (b v2Backend) tryReveal(ctx context.Context, link Link, passphrase Text) (*reply, *setback) {
	message := map[string]any{"continue": true}
	if !passphrase.IsEmpty() {
		message["passphrase"] = passphrase.Expose()
	}
	answer, fail := b.reveal(ctx, b.postJSON(keyPath("secret", link.Key, "/reveal"), message))
	if fail != nil && fail.isRoute {
		return b.reveal(ctx, b.postJSON(keyPath("secret", link.Key, ""), message))
	}
	return answer, fail
}

// unopened returns what a reveal that failed means. If the server may have revealed,
// it is asked whether the secret still waits.
func (b v2Backend) unopened(ctx context.Context, link Link, passphrase Text, s *setback) error {
	if s.isAboutPassphrase() {
		return wrongPassphrase(passphrase)
	}
	if s.fate != fateLost {
		return s.err
	}
	_, err := b.look(ctx, link)
	switch {
	case err == nil:
		s.err.Message += ": the secret still waited a moment later"
		return s.err
	case KindOf(err) == KindGone:
		return &Error{Kind: KindLost, Message: "the content did not arrive, and the secret is gone now: it was opened by this call, or by another reader at the same time", Cause: s.err}
	case s.err.Kind == KindNetwork:
		return lostContent(s.err)
	}
	s.err.Message += ": whether the secret still waits is not known"
	return s.err
}

func (b v2Backend) receipt(ctx context.Context, key Text) (Receipt, error) {
	if !isKey(key.Expose()) {
		return Receipt{}, wrongKey()
	}
	answer, fail := b.onReceipt(ctx, func(noun string) query { return b.get(keyPath(noun, key, "")) })
	if fail != nil {
		return Receipt{}, ofReceipt(fail.err)
	}
	var found v2Found
	if err := b.read(answer, &found); err != nil {
		return Receipt{}, err
	}
	if found.Record.key() != key.Expose() {
		return Receipt{}, b.strange()
	}
	receipt := found.receipt(answer.now)
	if receipt.Domain == b.host {
		receipt.Domain = "" // the server's own
	}
	return receipt, nil
}

func (b v2Backend) watch(ctx context.Context, key Text) iter.Seq2[Receipt, error] {
	return b.poll(ctx, key, b.receipt)
}

// burn confirms in text: the oldest release refuses a truth value.
func (b v2Backend) burn(ctx context.Context, key, passphrase Text) (Receipt, error) {
	if !isKey(key.Expose()) {
		return Receipt{}, wrongKey()
	}
	message := map[string]any{"continue": "true"}
	if !passphrase.IsEmpty() {
		message["passphrase"] = passphrase.Expose()
	}
	answer, fail := b.onReceipt(ctx, func(noun string) query { return b.postJSON(keyPath(noun, key, "/burn"), message) })
	if fail != nil {
		return unburned(ctx, fail, key, passphrase, b.receipt)
	}
	var done v2Burned
	if err := b.read(answer, &done); err != nil {
		return Receipt{}, err
	}
	record := done.record()
	if record.key() != key.Expose() {
		return Receipt{}, b.strange()
	}
	return burned(record.receipt(answer.now), answer.now.UTC().Truncate(time.Second)), nil
}

func (b v2Backend) receipts(ctx context.Context) iter.Seq2[Receipt, error] {
	return func(yield func(Receipt, error) bool) {
		if !b.hasAccount() {
			yield(Receipt{}, errNoToken())
			return
		}
		answer, fail := b.onReceipt(ctx, b.recent)
		if fail != nil {
			yield(Receipt{}, fail.err)
			return
		}
		var receipts []Receipt
		list := struct{ Records json.RawMessage }{Records: json.RawMessage("[]")}
		err := b.read(answer, &list)
		if err == nil && string(list.Records) != "null" {
			err = readEach(b.legacy, list.Records, func(record v2Record) {
				if isKey(record.key()) {
					receipts = append(receipts, record.receipt(answer.now))
				}
			})
		}
		if err != nil {
			yield(Receipt{}, err)
			return
		}
		each(receipts, yield)
	}
}
