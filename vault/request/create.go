package request

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"hush/seal"
	"hush/vault/account"
	"hush/vault/answer"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/quota"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/sweep"
)

const (
	// CardMost is the maximum length of a card as it is encrypted.
	CardMost = 12_872
	// LinkBoxSize is the length of a link box.
	LinkBoxSize = 104
	// AnswersMost is the maximum number of answers.
	AnswersMost = 100
	// longestTTL is the maximum lifetime, whatever secrets may have.
	longestTTL = 30 * 24 * time.Hour
)

// The maximum numbers of requests that are not forgotten.
const (
	accountMost = 500
	networkMost = 100
	wideMost    = 4 * networkMost // of an IPv6 /48
)

// Terms are a requester's options for a new request.
type Terms struct {
	// Card is what the requester's device encrypted, and LinkBox the secret of the
	// request's link, encrypted for the collect link.
	Card, LinkBox caller.Text
	// LinkProofHash and CollectProofHash are SHA-256 of the proofs of the two links.
	LinkProofHash, CollectProofHash caller.Text
	// TTL and Answers are granted as they are, or refused: they stand in the card.
	TTL     time.Duration
	Answers int
	// ShareDomain is a verified domain of the account for the link; empty for none.
	ShareDomain string
	// ShowsAddress shows the account's address to those who have the link, and Notifies
	// mails it when an answer comes.
	ShowsAddress, Notifies bool
	// Challenge is a solved challenge for the action conceal, if the policy requires
	// one.
	Challenge string
}

// Created is a new request, with the keys of its two links.
type Created struct {
	Key, CollectKey seal.Token
	Request         Request
}

// CreateRequest stores a request and returns once it is durable. If it returns ErrPolicy,
// ErrMaintenance, ErrInvalid, ErrNotConfigured, ErrDomainNotFound, ErrQuota, ErrTooMany or
// ErrChallenge, it has stored nothing.
func (re *Requests) CreateRequest(ctx context.Context, c caller.Caller, terms Terms) (_ Created, err error) {
	defer func() { err = refusal.NothingStored(err) }()
	now := re.clock.Now()
	if err := re.admit(c, terms); err != nil {
		return Created{}, err
	}
	d, err := re.draft(ctx, c, terms, now)
	if err != nil {
		return Created{}, err
	}
	if err := re.store.CheckDiskSpace(); err != nil {
		return Created{}, err
	}
	if err := re.admitBytes(ctx, &d.record); err != nil {
		return Created{}, err
	}
	if err := re.challenges.AdmitConceal(ctx, c, terms.Challenge); err != nil {
		return Created{}, err
	}
	if err := re.store.Update(ctx, func(tx *rows.Tx) error { return d.put(tx, c) }); err != nil {
		return Created{}, fmt.Errorf("keeping the request: %w", err)
	}
	f := found{row: d.row, record: &d.record, domain: d.linkDomain, owner: &account.Record{}}
	return Created{Key: d.key, CollectKey: d.collectKey, Request: f.show(c, now)}, nil
}

// admit returns an error unless the caller may ask with these terms.
func (re *Requests) admit(c caller.Caller, terms Terms) error {
	if err := re.policy.AdmitRequest(c); err != nil {
		return err
	}
	longest := min(longestTTL, re.limits.LongestTTL(c))
	for _, rule := range []struct {
		broken      bool
		field, text string
	}{
		{len(terms.Card) == 0 || len(terms.Card) > CardMost, "card", fmt.Sprintf("must have 1 to %d bytes", CardMost)},
		{len(terms.LinkBox) != LinkBoxSize, "link_box", fmt.Sprintf("must have %d bytes", LinkBoxSize)},
		{len(terms.LinkProofHash) != sha256.Size, "link_proof_hash", fmt.Sprintf("must have %d bytes", sha256.Size)},
		{len(terms.CollectProofHash) != sha256.Size, "collect_proof_hash", fmt.Sprintf("must have %d bytes", sha256.Size)},
		{terms.TTL%time.Second != 0, "ttl", "must be whole seconds"},
		{terms.TTL < caller.MinimumTTL || terms.TTL > longest, "ttl", fmt.Sprintf("must be %s to %s", caller.MinimumTTL, longest)},
		{terms.Answers < 1 || terms.Answers > AnswersMost, "answers", fmt.Sprintf("must be 1 to %d", AnswersMost)},
		{terms.ShowsAddress && c.Anonymous(), "show_address", "needs an account"},
		{terms.Notifies && c.Anonymous(), "notify", "needs an account"},
	} {
		if rule.broken {
			return &refusal.InvalidError{Field: rule.field, Text: rule.text}
		}
	}
	if terms.Notifies && !re.outbox.Enabled() {
		return refusal.ErrNotConfigured
	}
	return nil
}

// draft is a request that is not yet stored.
type draft struct {
	key, collectKey seal.Token
	row             seal.RowKey
	record          Record
	linkDomain      string // that the requester chose for the link; never one that is only visited
}

func (re *Requests) draft(ctx context.Context, c caller.Caller, terms Terms, now time.Time) (*draft, error) {
	name, err := re.domains.ShareDomain(ctx, c, terms.ShareDomain)
	if err != nil {
		return nil, err
	}
	d := &draft{key: seal.NewToken(now), collectKey: seal.NewToken(now), linkDomain: name}
	if name == "" && terms.ShareDomain == "" {
		if name, err = re.domains.VisitedDomain(ctx, c); err != nil {
			return nil, err
		}
	}
	pair, collect := seal.NewAccountKey(), d.collectKey.RowKey(seal.KindCollect)
	d.row = d.key.RowKey(seal.KindRequest)
	d.record = Record{
		state: storedOpen, created: now, expires: now.Add(terms.TTL), answers: uint32(terms.Answers),
		showsAddress: terms.ShowsAddress, notifies: terms.Notifies,
		linkProof: [sha256.Size]byte([]byte(terms.LinkProofHash)), collectProof: [sha256.Size]byte([]byte(terms.CollectProofHash)),
		collect: collect, pair: pair.Public(), owner: c.Account(), createdBy: c.Network.Masked(), shareDomain: name,
		box: re.keys.SealCollection(d.collectKey, collect, d.key, pair), linkBox: []byte(terms.LinkBox), card: []byte(terms.Card),
	}
	if !c.Anonymous() {
		return d, nil
	}
	if err := re.domains.AdmitVisitor(ctx, c.Site); err != nil {
		return nil, err
	}
	d.record.network = re.keys.NetworkID(c.Network.Bytes())
	if around := c.Network.WideBytes(); around != nil {
		d.record.wide = re.keys.NetworkID(around)
	}
	return d, nil
}

// charge returns what a content of the requester's answers counts for.
func (r *Record) charge(bytes int64) quota.Charge {
	return quota.Charge{Owner: r.owner, Network: r.network, Wide: r.wide, Secret: bytes}
}

// admitBytes returns ErrQuota if the requester has no room for the smallest answer: there
// is no use in asking then.
func (re *Requests) admitBytes(ctx context.Context, r *Record) error {
	charge := r.charge(caller.SealedMin + answer.RowBytes)
	if _, err := re.usage.Reserve(ctx, charge, re.limits); err != nil {
		return err
	}
	re.usage.Release(charge)
	return nil
}

// put stores a draft.
func (d *draft) put(tx *rows.Tx, c caller.Caller) error {
	if tx.Format() < rows.FormatRequests {
		return &caller.PolicyError{Text: "Secrets can be asked for here once all nodes of the service are upgraded."}
	}
	r := &d.record
	if !c.Anonymous() {
		if _, err := account.UsableAccount(tx, c.AccountID()); err != nil {
			return err
		}
	}
	for _, key := range r.listKeys(d.row) {
		if err := admitOneMore(tx, key); err != nil {
			return err
		}
		if err := tx.Put(BucketRequests, key, nil); err != nil {
			return err
		}
	}
	if err := tx.Put(BucketRequest, d.row[:], r.encode()); err != nil {
		return err
	}
	if err := tx.Put(BucketCollection, r.collect[:], d.row[:]); err != nil {
		return err
	}
	if err := answer.Begin(tx, d.row); err != nil {
		return err
	}
	if err := sweep.PutDue(tx, r.forgotten(), sweep.DueRequest, d.row[:]); err != nil {
		return err
	}
	return audit.Write(tx, r.created, audit.Request, d.row)
}

// admitOneMore returns ErrTooMany if the account or network of a row of BucketRequests
// that is to be stored has as many requests as it may have.
func admitOneMore(tx *rows.Tx, key []byte) error {
	most := map[byte]int{kindAccount: accountMost, kindNetwork: networkMost, kindWide: wideMost}[key[0]]
	prefix := key[:len(key)-8-len(seal.RowKey{})]
	kept, err := rows.FirstKeysFrom(tx, BucketRequests, prefix, rows.PrefixEnd(prefix), most)
	if err == nil && len(kept) >= most {
		err = &refusal.TooManyError{What: "requests that are not forgotten", Limit: most}
	}
	return err
}
