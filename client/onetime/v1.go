package onetime

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"hush/client"
	"hush/client/attempt"
)

// V1 speaks version 1 of the Onetime Secret interface: forms, and 404 for
// every error.
type V1 struct{ *caller }

// NewV1 returns a V1 of the server at a base URL. It sends nothing.
func NewV1(server *url.URL, o client.Options) V1 { return V1{newCaller(server, client.ProtocolV1, o)} }

// v1Record is a receipt, as all calls return it. It leaves out the text of the
// secret, which some releases add.
type v1Record struct {
	MetadataKey string     `json:"metadata_key"`
	SecretKey   jsonString `json:"secret_key"`
	State       jsonString `json:"state"`
	TTL         jsonNumber `json:"ttl"`
	// MetadataTTL and SecretTTL are what is left. Lists have no SecretTTL.
	MetadataTTL jsonNumber  `json:"metadata_ttl"`
	SecretTTL   *jsonNumber `json:"secret_ttl"`
	Created     jsonNumber  `json:"created"`
	Updated     jsonNumber  `json:"updated"`
	Received    jsonNumber  `json:"received"`
	Recipient   jsonList    `json:"recipient"`
	ShareDomain jsonString  `json:"share_domain"`
	// PassphraseRequired is there while the secret waits.
	PassphraseRequired *jsonBool `json:"passphrase_required"`
}

// state returns what became of the secret. Some releases leave an expired one in the
// state that it had. A receipt lives twice as long as its secret, so that what is
// left of it says whether the secret's time is over, without a clock.
func (r v1Record) state() client.State {
	state := stateOf(r.State)
	if state == client.StateWaiting && r.SecretTTL == nil && r.MetadataTTL <= r.TTL+1 {
		return client.StateExpired
	}
	return state
}

func (r v1Record) receipt() client.Receipt {
	receipt := client.Receipt{
		Key: client.Hide(r.MetadataKey), ShortID: client.ShortID(r.MetadataKey), State: r.state(), Encryption: client.EncryptionServer,
		HasPassphrase: isTrue(r.PassphraseRequired), Recipients: r.Recipient, Domain: client.Plain(string(r.ShareDomain)),
		TTL: r.TTL.duration(), Created: r.Created.time(),
	}
	if !receipt.Created.IsZero() {
		receipt.Expires = receipt.Created.Add(receipt.TTL)
	}
	switch receipt.State {
	case client.StateOpened:
		receipt.Ended = r.Received.time()
	case client.StateBurned:
		receipt.Ended = r.Updated.time()
	case client.StateExpired:
		receipt.Ended = receipt.Expires
	default:
	}
	return receipt
}

// Account implements client.Backend.
func (b V1) Account(ctx context.Context) (client.Account, error) {
	if !b.hasAccount() {
		return client.Account{}, attempt.NoToken()
	}
	answer, fail := b.call(ctx, b.get("/authcheck"))
	if fail != nil {
		return client.Account{}, fail.Err
	}
	var status struct{ Status jsonString }
	if err := b.read(answer, &status); err != nil {
		return client.Account{}, err
	}
	if status.Status == "" {
		return client.Account{}, b.unexpected()
	}
	return client.Account{Address: b.username}, nil
}

// Share implements client.Backend.
func (b V1) Share(ctx context.Context, request client.ShareRequest) (client.Shared, error) {
	d, err := b.draft(request)
	if err != nil {
		return client.Shared{}, err
	}
	answer, fail := b.call(ctx, b.postForm("/share", d.form()))
	if fail != nil {
		return client.Shared{}, shareError(d, fail)
	}
	var record v1Record
	if err := b.read(answer, &record); err != nil {
		return client.Shared{}, err
	}
	return b.shared(ctx, d, created{
		key: string(record.SecretKey), receiptKey: record.MetadataKey, receipt: record.receipt(),
		hasPassphrase: record.PassphraseRequired, domain: string(record.ShareDomain),
	}, b.Burn)
}

// form returns a request to share as v1 has it.
func (d draft) form() url.Values {
	form := url.Values{"secret": {d.text}}
	if d.request.TTL != 0 {
		form.Set("ttl", strconv.FormatInt(wholeSeconds(d.request.TTL), 10))
	}
	if !d.request.Passphrase.IsEmpty() {
		form.Set("passphrase", d.request.Passphrase.Expose())
	}
	if d.request.Domain != "" {
		form.Set("share_domain", d.request.Domain)
	}
	for _, recipient := range d.request.Recipients {
		form.Set("recipient", recipient)
	}
	return form
}

// Look asks nothing: v1 has no call that describes a secret.
func (b V1) Look(_ context.Context, link client.Link) (client.Secret, error) {
	if err := b.checkOpen(link); err != nil {
		return client.Secret{}, err
	}
	return client.Secret{Encryption: client.EncryptionServer}, nil
}

// Open implements client.Backend.
func (b V1) Open(ctx context.Context, link client.Link, passphrase client.Text, _ client.Claim) (client.Opened, error) {
	if err := b.checkOpen(link); err != nil {
		return client.Opened{}, err
	}
	form := url.Values{}
	if !passphrase.IsEmpty() {
		form.Set("passphrase", passphrase.Expose())
	}
	answer, fail := b.reveal(ctx, b.postForm(keyPath("secret", link.Key, ""), form))
	if fail != nil {
		return client.Opened{}, b.openError(fail, passphrase)
	}
	var revealed struct{ Value *string }
	if err := b.read(answer, &revealed); err != nil {
		return client.Opened{}, err
	}
	if revealed.Value == nil {
		return client.Opened{}, b.unexpected()
	}
	return opened(*revealed.Value, answer, nil), nil
}

// openError returns what a reveal that failed means. v1 has one answer for a secret
// that is gone and for a passphrase that is missing or wrong.
func (b V1) openError(f *failure, passphrase client.Text) error {
	switch {
	case isAboutPassphrase(f):
		return wrongPassphrase(passphrase)
	case f.Err.Kind == client.KindGone && passphrase.IsEmpty():
		f.Err.Message += ", or it needs a passphrase: v1 does not say which"
	case f.Err.Kind == client.KindGone:
		f.Err.Message += ", or the passphrase is wrong: v1 does not say which"
	case f.Outcome == attempt.OutcomeUnknown && f.Err.Kind == client.KindNetwork:
		return lostContentError(f.Err)
	case f.Outcome == attempt.OutcomeUnknown:
		f.Err.Message += ": whether the secret still waits is not known"
	}
	return f.Err
}

// Receipt implements client.Backend.
func (b V1) Receipt(ctx context.Context, key client.Text) (client.Receipt, error) {
	if !client.IsKey(key.Expose()) {
		return client.Receipt{}, wrongKey()
	}
	answer, fail := b.call(ctx, b.get(keyPath("private", key, "")))
	if fail != nil {
		return client.Receipt{}, attempt.OfReceipt(fail.Err)
	}
	return b.readReceipt(answer, key)
}

// readReceipt decodes a receipt. It has the key that was asked for: a server cannot
// put another in its place.
func (b V1) readReceipt(answer *reply, key client.Text) (client.Receipt, error) {
	var record v1Record
	if err := b.read(answer, &record); err != nil {
		return client.Receipt{}, err
	}
	if record.MetadataKey != key.Expose() {
		return client.Receipt{}, b.unexpected()
	}
	return record.receipt(), nil
}

// Watch implements client.Backend.
func (b V1) Watch(ctx context.Context, key client.Text) iter.Seq2[client.Receipt, error] {
	return b.poll(ctx, key, b.Receipt)
}

// Burn implements client.Backend.
func (b V1) Burn(ctx context.Context, key, passphrase client.Text) (client.Receipt, error) {
	if !client.IsKey(key.Expose()) {
		return client.Receipt{}, wrongKey()
	}
	form := url.Values{}
	if !passphrase.IsEmpty() {
		form.Set("passphrase", passphrase.Expose())
	}
	answer, fail := b.call(ctx, b.postForm(keyPath("private", key, "/burn"), form))
	if fail != nil {
		return burnError(ctx, fail, key, passphrase, b.Receipt)
	}
	var done struct{ State v1Record }
	if err := b.read(answer, &done); err != nil {
		return client.Receipt{}, err
	}
	if done.State.MetadataKey != key.Expose() {
		return client.Receipt{}, b.unexpected()
	}
	return burned(done.State.receipt(), answer.now.UTC().Truncate(time.Second)), nil
}

// Receipts implements client.Backend.
func (b V1) Receipts(ctx context.Context) iter.Seq2[client.Receipt, error] {
	return func(yield func(client.Receipt, error) bool) {
		if !b.hasAccount() {
			yield(client.Receipt{}, attempt.NoToken())
			return
		}
		answer, fail := b.call(ctx, query{method: http.MethodGet, path: b.prefix + "/private/recent", most: listMax})
		if fail != nil {
			yield(client.Receipt{}, fail.Err)
			return
		}
		var receipts []client.Receipt
		err := readEach(b.caller, answer.body, func(record v1Record) {
			if client.IsKey(record.MetadataKey) {
				receipts = append(receipts, record.receipt())
			}
		})
		if err != nil {
			yield(client.Receipt{}, err)
			return
		}
		each(receipts, yield)
	}
}
