package secret

import (
	"context"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"hush/seal"
	"hush/vault/caller"
	"hush/vault/email"
	"hush/vault/file"
	"hush/vault/outbox"
	"hush/vault/quota"
	"hush/vault/receipt"
	"hush/vault/refusal"
)

// Terms are a sender's options for a new secret.
type Terms struct {
	// TTL is nil for the default.
	TTL         *time.Duration
	Passphrase  caller.Text
	Recipients  []string
	ShareDomain string
	// Challenge is a solved challenge for the action conceal, if the policy
	// requires one.
	Challenge string
	// Sealed, unless nil, is content that the sender's device has encrypted,
	// instead of a text. It has no passphrase and no recipients.
	Sealed *SealedContent
	// Memo is the sender's note for the receipt; empty for none.
	Memo caller.Text
	// Group is the same for all secrets of a group; zero for none.
	Group receipt.Group

	answer *answering // nil unless it is an answer to a request; see ConcealAnswer
	file   *File      // nil unless it is a file; see ConcealFile
}

// normalForm returns a passphrase in Unicode's normal form C: keyboards and files write
// the same characters in different ways.
func normalForm(passphrase caller.Text) caller.Text {
	return caller.Text(norm.NFC.String(string(passphrase)))
}

// draft is a secret that is not yet stored.
type draft struct {
	sender     caller.Caller // as the receipt knows it
	key        seal.Token
	row        seal.RowKey
	secret     Record
	receipt    receipt.Draft
	recipients []email.Recipient
	linkDomain string          // that the sender chose for the link; never one that is only visited
	mails      []*outbox.Draft // to the recipients
	charged    quota.Charge    // for both records; for an answer, without its receipt
	elsewhere  quota.Elsewhere // bytes that other nodes counted
	answer     *draftAnswer    // nil unless it is an answer to a request
	file       *file.Draft     // nil unless it is a file
}

// admit returns an error unless the caller may conceal the text, or what the terms
// have instead.
func (se *Secrets) admit(ctx context.Context, c caller.Caller, text caller.Text, terms Terms) error {
	var err error
	if terms.Sealed != nil {
		err = se.policy.AdmitSealed(c, terms.Sealed.HasPassphrase)
	} else {
		err = se.policy.AdmitSecret(c, terms.Passphrase)
	}
	if err != nil {
		return err
	}
	// Forms and prompts take or drop these characters, such as a file's last line break, so
	// the recipient could not enter them. What an older release stored opens as it did.
	if text := string(terms.Passphrase); strings.HasPrefix(text, "\ufeff") || strings.ContainsFunc(text, unicode.IsControl) {
		return &refusal.InvalidError{Field: "passphrase", Text: "must not have a line break or another control character, or begin with a byte order mark: people could not enter it"}
	}
	if c.Anonymous() {
		if err := se.domains.AdmitVisitor(ctx, c.Site); err != nil {
			return err
		}
	}
	switch {
	case terms.file != nil:
		if err := se.checkFile(c, terms.file); err != nil {
			return err
		}
		return terms.Sealed.checkTerms(text, terms)
	case terms.Sealed != nil:
		return terms.Sealed.check(c, se.limits, text, terms)
	}
	if limit := se.limits.SecretSize(c); int64(len(text)) > limit {
		return &refusal.TooLargeError{Field: "secret", Limit: limit}
	}
	if len(text) == 0 {
		return &refusal.InvalidError{Field: "secret", Text: "must not be empty"}
	}
	return nil
}

// draft checks the terms and prepares both records. viewed says that the sender has seen
// the text.
func (se *Secrets) draft(ctx context.Context, c caller.Caller, text caller.Text, terms Terms, viewed bool, now time.Time) (*draft, error) {
	if err := se.admit(ctx, c, text, terms); err != nil {
		return nil, err
	}
	ttl, err := se.limits.Grant(c, terms.TTL)
	if err != nil {
		return nil, err
	}
	if len(terms.Recipients) > 0 && c.Anonymous() {
		return nil, refusal.ErrAccountRequired
	}
	recipients, err := email.ParseRecipients(terms.Recipients)
	if err != nil {
		return nil, err
	}
	if len(recipients) > 0 && !se.outbox.Enabled() {
		return nil, refusal.ErrNoMail
	}
	domain, err := se.domains.ShareDomain(ctx, c, terms.ShareDomain)
	if err != nil {
		return nil, err
	}
	chosen := domain
	if domain == "" && terms.ShareDomain == "" {
		if domain, err = se.domains.VisitedDomain(ctx, c); err != nil {
			return nil, err
		}
	}
	encryption := receipt.EncryptionServer
	if terms.Sealed != nil {
		encryption = receipt.EncryptionEndToEnd
	}
	network := se.keys.NetworkID(c.Network.Bytes())
	var wide [8]byte
	if around := c.Network.WideBytes(); around != nil && c.Anonymous() {
		wide = se.keys.NetworkID(around)
	}
	key := seal.NewToken(now)
	d := &draft{sender: c, key: key, row: key.RowKey(seal.KindSecret), recipients: recipients, linkDomain: chosen}
	d.receipt = se.receipts.Draft(c, receipt.DraftOptions{
		Secret: key, Encryption: encryption, Viewed: viewed,
		HasPassphrase: terms.Passphrase != "" || terms.Sealed != nil && terms.Sealed.HasPassphrase,
		Created:       now, TTL: ttl, ShareDomain: chosen, Recipients: recipients, Memo: terms.Memo, Group: terms.Group,
		Network: network, Wide: wide,
	})
	d.secret = Record{
		encryption: encryption, kid: se.keys.KID(), created: now, expires: now.Add(ttl), metadata: d.receipt.Row(),
		network: network, wide: wide, owner: c.Account(), shareDomain: domain,
	}
	if sealed := terms.Sealed; sealed != nil {
		d.secret.isGuarded = sealed.HasPassphrase
		copy(d.secret.linkProof[:], sealed.LinkProofHash)
	}
	if terms.file != nil {
		d.secret.fileSize = terms.file.Size
	}
	return d, nil
}
