package onetime

import (
	"context"
	"unicode/utf8"

	"hush/client"
	"hush/client/attempt"
)

// What servers of the reference keep of a text and of a passphrase. Until 0.22 they
// cut a longer text without a word, at a length that depends on the account's plan;
// v2 says so only to the recipient. So a text that is longer than the smallest of
// these limits is not sent. Later ones refuse longer texts. Of a passphrase bcrypt
// looks at no more than its first 72 bytes.
const (
	guestCharacters   = 100_000
	accountCharacters = 1_000_000
	passphraseCut     = 72
)

// textMax returns how many characters a server keeps for this caller.
func (c *caller) textMax() int {
	if c.hasAccount() {
		return accountCharacters
	}
	return guestCharacters
}

// draft is a request to share, checked.
type draft struct {
	request client.ShareRequest
	text    string
	// value is the text if this device generated it.
	value client.Text
}

// draft checks a request. It refuses what the protocol cannot do, rather than leave
// it out.
func (c *caller) draft(r client.ShareRequest) (draft, error) {
	switch {
	case r.Encryption == client.EncryptionEndToEnd:
		return draft{}, c.unsupported("has no end-to-end encryption: the server sees the text")
	case r.Label != "":
		return draft{}, c.unsupported("keeps no labels")
	case len(r.Group) != 0:
		return draft{}, c.unsupported("has no groups")
	case len(r.Recipients) > 1:
		return draft{}, c.unsupported("mails a link to one recipient only")
	case r.Content != nil && !utf8.Valid(r.Content.Bytes):
		return draft{}, c.unsupported("can share only text in UTF-8, and this is none")
	case len(r.Passphrase.Expose()) > passphraseCut:
		return draft{}, c.unsupported("uses only the first 72 bytes of a passphrase, and this one is longer")
	}
	r.Encryption = client.EncryptionServer
	r, err := r.Normalized()
	if err != nil {
		return draft{}, err
	}
	d := draft{request: r}
	if r.Generate != nil {
		err := d.generate()
		return d, err
	}
	d.text = string(r.Content.Bytes)
	if utf8.RuneCountInString(d.text) > c.textMax() {
		return draft{}, c.unsupported("servers may cut a text of this length without a word: share a shorter one")
	}
	return d, nil
}

// generate draws the text on this device: the generator of some releases can be
// guessed.
func (d *draft) generate() error {
	value, err := d.request.Generate.Draw()
	if err != nil {
		return err
	}
	d.text, d.value = value, client.Hide(value)
	return nil
}

// created is what a server says of a secret that it just created.
type created struct {
	key, receiptKey string
	receipt         client.Receipt
	// hasPassphrase and isTruncated report whether it has a passphrase and whether its text
	// was cut; nil where the server does not say.
	hasPassphrase, isTruncated *jsonBool
	domain                     string
}

// deviation returns what a server did otherwise than it was asked to; empty for
// nothing.
func (d draft) deviation(made created) string {
	switch {
	case !d.request.Passphrase.IsEmpty() && made.hasPassphrase != nil && !bool(*made.hasPassphrase):
		return "the server did not use the passphrase"
	case isTrue(made.isTruncated):
		return "the server cut the text"
	case len(d.request.Recipients) > 0 && len(made.receipt.Recipients) == 0:
		return "the server does not mail links to this recipient"
	case d.request.Domain != "" && client.NormalDomain(made.domain) != d.request.Domain:
		return "the server did not use the domain"
	default:
		return ""
	}
}

// shared returns what was shared, if it is what was asked for. If not, it burns the
// secret: a link to it would be worse than none.
func (c *caller) shared(ctx context.Context, d draft, made created, burn func(context.Context, client.Text, client.Text) (client.Receipt, error)) (client.Shared, error) {
	if !client.IsKey(made.key) || !client.IsKey(made.receiptKey) {
		return client.Shared{}, c.unexpected()
	}
	if fault := d.deviation(made); fault != "" {
		fault += ", and the secret was burned"
		if _, err := burn(ctx, client.Hide(made.receiptKey), d.request.Passphrase); err != nil {
			fault += "; burning it failed too: it waits until it expires, and no one has its link"
		}
		return client.Shared{}, &client.Error{Kind: client.KindRefused, Message: fault}
	}
	home := c.base
	if d.request.Domain != "" {
		home = "https://" + d.request.Domain
	}
	return client.Shared{
		Link:        client.Link{Server: home, Encryption: client.EncryptionServer, Key: client.Hide(made.key), Foreign: true},
		ReceiptLink: client.ReceiptLink{Server: c.base, Keys: []client.Text{client.Hide(made.receiptKey)}, Foreign: true},
		Receipt:     made.receipt,
		Value:       d.value,
	}, nil
}

// shareError returns the error of a call that shares. A lost answer leaves a secret
// without a link.
func shareError(d draft, f *failure) error {
	err := withText(f, d.text, d.request.Passphrase.Expose())
	if f.Outcome == attempt.OutcomeUnknown {
		err.Message += ": whether the secret was shared is not known, and no one can open it"
	}
	return err
}
