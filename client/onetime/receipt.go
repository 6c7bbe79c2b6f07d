package onetime

import (
	"context"
	"slices"
	"time"

	"hush/client"
	"hush/client/attempt"
)

// Policy has what the reference documents of all releases. An account's plan may
// allow more than it does without one.
func (c *caller) Policy(context.Context) (client.Policy, error) {
	p := client.Policy{BaseURL: c.base, MaxContent: int64(c.textMax()), Server: true, AnonymousShare: true, Mail: c.hasAccount()}
	if !c.hasAccount() {
		p.DefaultTTL, p.MaxTTL = 7*24*time.Hour, 7*24*time.Hour
	}
	return p, nil
}

// Acknowledge does nothing: there are no claims.
func (c *caller) Acknowledge(context.Context, client.Link, client.Claim) error { return nil }

// burned is the receipt of a secret that a server just burned. Its answer describes
// the secret as it was before.
func burned(r client.Receipt, at time.Time) client.Receipt {
	r.State, r.Ended, r.HasPassphrase = client.StateBurned, at, false
	return r
}

// burnError returns what a burn that failed means: after a lost answer, the receipt
// says whether the secret was burned.
func burnError(ctx context.Context, f *failure, key, passphrase client.Text, fetch fetch) (client.Receipt, error) {
	switch {
	case isAboutPassphrase(f):
		return client.Receipt{}, wrongPassphrase(passphrase)
	case f.Refusal.message == messageUnburned:
		return client.Receipt{}, gone()
	case f.Outcome == attempt.OutcomeUnknown:
		if receipt, err := fetch(ctx, key); err == nil && receipt.State == client.StateBurned {
			return receipt, nil
		}
	}
	return client.Receipt{}, f.Err
}

// each yields the receipts of a list, newest first.
func each(receipts []client.Receipt, yield func(client.Receipt, error) bool) {
	slices.SortStableFunc(receipts, func(a, b client.Receipt) int { return b.Created.Compare(a.Created) })
	for _, receipt := range receipts {
		if !yield(receipt, nil) {
			return
		}
	}
}

// wrongKey is the error for a key that no server gives.
func wrongKey() *client.Error {
	return &client.Error{Kind: client.KindLink, Message: "this is not the key of a secret or a receipt"}
}
