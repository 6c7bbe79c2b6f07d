package vault

import (
	"context"

	"hush/vault/account"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/counter"
	"hush/vault/credential"
	"hush/vault/domain"
	"hush/vault/feedback"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// Index is the service's status.
type Index struct {
	// Accounts are those of the last 30 days, newest first, at most
	// IndexAccounts. Their addresses must not be logged.
	Accounts []account.Account
	// Today is the feedback of the last 24 hours, Yesterday that of the 24
	// hours before, Older the rest, up to 14 days: newest first, at most
	// IndexFeedback each.
	Today, Yesterday, Older []feedback.Feedback
	Counts                  Counts
	// LiveBytes is the bytes of live secrets.
	LiveBytes int64
	// AuditRows is the number of rows of the audit trail, and AuditBytes their
	// size in the database.
	AuditRows, AuditBytes int64
	// Nodes are the processes that share the store, by number; none if it is
	// this process's alone.
	Nodes []NodeStatus
}

// Counts are the service's counters. They are updated with every change; none
// needs a scan.
type Counts struct {
	Sessions       int64 // not ended
	Accounts       int64 // not destroyed
	RecentAccounts int64 // as many as the index shows
	Metadata       int64 // receipts
	Secrets        int64 // live
	// The results of all secrets so far, and the mails sent to recipients.
	Created, Shared, Burned, Expired, Emails int64
	// Feedback is the number of messages, the others its ages. The sweeper
	// moves feedback to its next age.
	Feedback, TodayFeedback, YesterdayFeedback, OlderFeedback int64
	Exceptions                                                int64 // stored
	Domains                                                   int64 // verified
	Queued                                                    int64 // queued mails
}

// GetIndex returns the service's status. A caller who is not a colonel gets
// ErrNotFound.
func (v *Vault) GetIndex(ctx context.Context, c caller.Caller) (Index, error) {
	if !c.Colonel() {
		return Index{}, refusal.ErrNotFound
	}
	now := v.clock.Now()
	var index Index
	var ages feedback.KeptByAge
	err := v.store.View(ctx, func(tx *rows.Tx) (err error) {
		if index.Accounts, err = v.Accounts.RecentAccounts(tx, now); err != nil {
			return err
		}
		if ages, err = feedback.ByAge(tx, now); err != nil {
			return err
		}
		if index.AuditRows, err = audit.Rows(tx); err != nil {
			return err
		}
		if index.Nodes, err = v.store.Nodes(tx); err != nil {
			return err
		}
		index.Counts, err = showCounts(tx)
		return err
	})
	if err != nil {
		return Index{}, err
	}
	index.Today, index.Yesterday, index.Older = v.Inbox.Show(ages[0]), v.Inbox.Show(ages[1]), v.Inbox.Show(ages[2])
	index.Counts.RecentAccounts = int64(len(index.Accounts))
	if index.LiveBytes, err = v.Usage.LiveBytes(ctx); err != nil {
		return Index{}, err
	}
	index.AuditBytes = index.AuditRows * audit.RowSize
	return index, nil
}

func showCounts(tx *rows.Tx) (Counts, error) {
	c, err := counter.Get(tx)
	if err != nil {
		return Counts{}, err
	}
	today, yesterday, err := feedback.Ages(tx)
	if err != nil {
		return Counts{}, err
	}
	return Counts{
		Sessions: c[counter.Sessions], Accounts: c[counter.Accounts], Metadata: c[counter.Metadata], Secrets: c[counter.Secrets],
		Created: c[counter.Created], Shared: c[counter.Shared], Burned: c[counter.Burned], Expired: c[counter.Expired],
		Emails: c[counter.Emails], Exceptions: c[counter.Exceptions], Domains: c[counter.Domains], Queued: c[counter.Queued],
		Feedback: c[counter.Feedback], TodayFeedback: today, YesterdayFeedback: yesterday,
		OlderFeedback: max(0, c[counter.Feedback]-today-yesterday),
	}, nil
}

// FoundAccount is an account with what belongs to it.
type FoundAccount struct {
	Account  account.Account
	Tokens   []credential.APIToken
	Domains  []domain.Domain
	Sessions []credential.Session
}

// FindAccount returns the account of an address or id, or ErrNotFound.
func (o Operator) FindAccount(ctx context.Context, name caller.Text) (found FoundAccount, err error) {
	if found.Account, err = o.Accounts.GetAccount(ctx, name); err != nil {
		return FoundAccount{}, err
	}
	name = caller.Text(found.Account.ID.String())
	if found.Tokens, err = o.Tokens.ListTokens(ctx, name); err != nil {
		return FoundAccount{}, err
	}
	if found.Domains, err = o.Domains.ListDomains(ctx, name); err != nil {
		return FoundAccount{}, err
	}
	found.Sessions, err = o.Tokens.ListSessions(ctx, name)
	return found, err
}
