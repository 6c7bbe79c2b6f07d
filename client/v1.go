package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// v1Backend speaks version 1 of the Onetime Secret interface: forms, and 404 for
// every error.
type v1Backend struct{ *legacy }

// newV1 returns the backend that speaks v1.
func newV1(c *Client) backend { return v1Backend{newLegacy(c)} }

// v1Record is a receipt, as all calls return it. It leaves out the text of the
// secret, which some releases add.
type v1Record struct {
	MetadataKey string `json:"metadata_key"`
	SecretKey   word   `json:"secret_key"`
	State       word   `json:"state"`
	TTL         number `json:"ttl"`
	// MetadataTTL and SecretTTL are what is left. Lists have no SecretTTL.
	MetadataTTL number  `json:"metadata_ttl"`
	SecretTTL   *number `json:"secret_ttl"`
	Created     number  `json:"created"`
	Updated     number  `json:"updated"`
	Received    number  `json:"received"`
	Recipient   words   `json:"recipient"`
	ShareDomain word    `json:"share_domain"`
	// PassphraseRequired is there while the secret waits.
	PassphraseRequired *flag `json:"passphrase_required"`
}

// state returns what became of the secret. Some releases leave an expired one in the
// state that it had. A receipt lives twice as long as its secret, so that what is
// left of it says whether the secret's time is over, without a clock.
func (r v1Record) state() State {
	state := legacyState(r.State)
	if state == StateWaiting && r.SecretTTL == nil && r.MetadataTTL <= r.TTL+1 {
		return StateExpired
	}
	return state
}

func (r v1Record) receipt() Receipt {
	receipt := Receipt{
		Key: Hide(r.MetadataKey), ShortID: shortID(r.MetadataKey), State: r.state(), Encryption: EncryptionServer,
		HasPassphrase: isTrue(r.PassphraseRequired), Recipients: r.Recipient, Domain: plain(string(r.ShareDomain)),
		TTL: r.TTL.duration(), Created: r.Created.time(),
	}
	if !receipt.Created.IsZero() {
		receipt.Expires = receipt.Created.Add(receipt.TTL)
	}
	switch receipt.State {
	case StateOpened:
		receipt.Ended = r.Received.time()
	case StateBurned:
		receipt.Ended = r.Updated.time()
	case StateExpired:
		receipt.Ended = receipt.Expires
	default:
	}
	return receipt
}

func (b v1Backend) account(ctx context.Context) (Account, error) {
	if !b.hasAccount() {
		return Account{}, errNoToken()
	}
	answer, fail := b.call(ctx, b.get("/authcheck"))
	if fail != nil {
		return Account{}, fail.err
	}
	var status struct{ Status word }
	if err := b.read(answer, &status); err != nil {
		return Account{}, err
	}
	if status.Status == "" {
		return Account{}, b.strange()
	}
	return Account{Address: b.username}, nil
}

func (b v1Backend) share(ctx context.Context, request ShareRequest) (Shared, error) {
	d, err := b.draft(request)
	if err != nil {
		return Shared{}, err
	}
	answer, fail := b.call(ctx, b.postForm("/share", d.form()))
	if fail != nil {
		return Shared{}, unshared(d, fail)
	}
	var record v1Record
	if err := b.read(answer, &record); err != nil {
		return Shared{}, err
	}
	return b.shared(ctx, d, granted{
		key: string(record.SecretKey), receiptKey: record.MetadataKey, receipt: record.receipt(),
		guarded: record.PassphraseRequired, domain: string(record.ShareDomain),
	}, b.burn)
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

// look asks nothing: v1 has no call that describes a secret.
func (b v1Backend) look(_ context.Context, link Link) (Secret, error) {
	if err := b.checkOpen(link); err != nil {
		return Secret{}, err
	}
	return Secret{Encryption: EncryptionServer}, nil
}

func (b v1Backend) open(ctx context.Context, link Link, passphrase Text, _ Claim) (Opened, error) {
	if err := b.checkOpen(link); err != nil {
		return Opened{}, err
	}
	form := url.Values{}
	if !passphrase.IsEmpty() {
		form.Set("passphrase", passphrase.Expose())
	}
	answer, fail := b.reveal(ctx, b.postForm(keyPath("secret", link.Key, ""), form))
	if fail != nil {
		return Opened{}, b.unopened(fail, passphrase)
	}
	var revealed struct{ Value *string }
	if err := b.read(answer, &revealed); err != nil {
		return Opened{}, err
	}
	if revealed.Value == nil {
		return Opened{}, b.strange()
	}
	return opened(*revealed.Value, answer, nil), nil
}

// unopened returns what a reveal that failed means. v1 has one answer for a secret
// that is gone and for a passphrase that is missing or wrong.
func (b v1Backend) unopened(s *setback, passphrase Text) error {
	switch {
	case s.isAboutPassphrase():
		return wrongPassphrase(passphrase)
	case s.err.Kind == KindGone && passphrase.IsEmpty():
		s.err.Message += ", or it needs a passphrase: v1 does not say which"
	case s.err.Kind == KindGone:
		s.err.Message += ", or the passphrase is wrong: v1 does not say which"
	case s.fate == fateLost && s.err.Kind == KindNetwork:
		return lostContent(s.err)
	case s.fate == fateLost:
		s.err.Message += ": whether the secret still waits is not known"
	}
	return s.err
}

func (b v1Backend) receipt(ctx context.Context, key Text) (Receipt, error) {
	if !isKey(key.Expose()) {
		return Receipt{}, wrongKey()
	}
	answer, fail := b.call(ctx, b.get(keyPath("private", key, "")))
	if fail != nil {
		return Receipt{}, ofReceipt(fail.err)
	}
	return b.readReceipt(answer, key)
}

// readReceipt decodes a receipt. It has the key that was asked for: a server cannot
// put another in its place.
func (b v1Backend) readReceipt(answer *reply, key Text) (Receipt, error) {
	var record v1Record
	if err := b.read(answer, &record); err != nil {
		return Receipt{}, err
	}
	if record.MetadataKey != key.Expose() {
		return Receipt{}, b.strange()
	}
	return record.receipt(), nil
}

func (b v1Backend) watch(ctx context.Context, key Text) iter.Seq2[Receipt, error] {
	return b.poll(ctx, key, b.receipt)
}

func (b v1Backend) burn(ctx context.Context, key, passphrase Text) (Receipt, error) {
	if !isKey(key.Expose()) {
		return Receipt{}, wrongKey()
	}
	form := url.Values{}
	if !passphrase.IsEmpty() {
		form.Set("passphrase", passphrase.Expose())
	}
	answer, fail := b.call(ctx, b.postForm(keyPath("private", key, "/burn"), form))
	if fail != nil {
		return unburned(ctx, fail, key, passphrase, b.receipt)
	}
	var done struct{ State v1Record }
	if err := b.read(answer, &done); err != nil {
		return Receipt{}, err
	}
	if done.State.MetadataKey != key.Expose() {
		return Receipt{}, b.strange()
	}
	return burned(done.State.receipt(), answer.now.UTC().Truncate(time.Second)), nil
}

func (b v1Backend) receipts(ctx context.Context) iter.Seq2[Receipt, error] {
	return func(yield func(Receipt, error) bool) {
		if !b.hasAccount() {
			yield(Receipt{}, errNoToken())
			return
		}
		answer, fail := b.call(ctx, query{method: http.MethodGet, path: b.prefix + "/private/recent", most: listMax})
		if fail != nil {
			yield(Receipt{}, fail.err)
			return
		}
		var receipts []Receipt
		err := readEach(b.legacy, answer.body, func(record v1Record) {
			if isKey(record.MetadataKey) {
				receipts = append(receipts, record.receipt())
			}
		})
		if err != nil {
			yield(Receipt{}, err)
			return
		}
		each(receipts, yield)
	}
}
