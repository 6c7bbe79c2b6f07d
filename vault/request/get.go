package request

import (
	"context"
	"errors"

	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/domain"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// Shown is a request as those see it who have its link.
type Shown struct {
	// Request says neither how many answers came nor when.
	Request Request
	// Card is what the requester's device encrypted; empty if an administrator closed
	// the request.
	Card caller.Text
	// VerifiedDomain is the requester's verified domain, and Address the confirmed
	// address of the requester's account where the requester shows it. Both are empty
	// for anyone else. They must not be logged.
	VerifiedDomain, Address string
	// AnswerMost is the maximum size of an answer's content as it is encrypted.
	AnswerMost int64
}

// GetRequest describes a request to a holder of its link. It changes no state. It returns
// ErrNotFound, and ErrLink for a wrong proof.
func (re *Requests) GetRequest(ctx context.Context, c caller.Caller, key string, proof caller.Text) (Shown, error) {
	now := re.clock.Now()
	f, err := re.byLink(ctx, c, key, proof, now)
	if err != nil {
		return Shown{}, err
	}
	r := f.record
	shown := Shown{Request: f.show(c, now), Card: caller.Text(r.card), AnswerMost: re.limits.AnswerSize(r.owner != "")}
	shown.Request.ID, shown.Request.Answered, shown.Request.Waiting = "", 0, 0
	shown.Request.Updated = r.created
	if shown.Request.State == StateWithdrawn {
		shown.Card = ""
		return shown, nil
	}
	err = re.store.View(ctx, func(tx *rows.Tx) (err error) {
		shown.VerifiedDomain, err = verifiedDomain(tx, r)
		return err
	})
	if id, ok := caller.ParseAccountID(r.owner); ok && r.showsAddress && f.owner != nil && f.owner.Proof != account.ProofNone {
		shown.Address = re.accounts.AddressOf(id, f.owner)
	}
	return shown, err
}

// verifiedDomain returns the domain of a request if its account has verified it, and has
// not lost that proof since.
func verifiedDomain(tx *rows.Tx, r *Record) (string, error) {
	if r.shareDomain == "" || r.owner == "" {
		return "", nil
	}
	held, err := domain.HolderOf(tx, r.shareDomain)
	if err == nil {
		err = domain.AdmitDomain(tx, r.owner, r.shareDomain)
	}
	switch {
	case errors.Is(err, refusal.ErrNotFound), errors.Is(err, refusal.ErrDomainSuspended):
		return "", nil
	case err != nil || held.By.String() != r.owner:
		return "", err
	}
	return r.shareDomain, nil
}
