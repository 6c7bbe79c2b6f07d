package vault

import (
	"context"
	"time"

	"hush/storage"
)

// What a colonel is shown.
const (
	// IndexAccounts is the most accounts, and IndexFeedback the most feedback
	// of each age.
	IndexAccounts = 50
	IndexFeedback = 100

	indexAccountTime  = 30 * 24 * time.Hour
	indexFeedbackTime = 14 * 24 * time.Hour
	// indexAccountsLooked bounds how many accounts are looked at, for those
	// that were destroyed stay as tombstones.
	indexAccountsLooked = 500
)

// Index is how the service does.
type Index struct {
	// Accounts are those of the last 30 days, newest first, at most
	// IndexAccounts. Their addresses must not be logged.
	Accounts []Account
	// Today is the feedback of the last 24 hours, Yesterday that of the 24
	// hours before, Older what is older, up to 14 days: newest first, at most
	// IndexFeedback each.
	Today, Yesterday, Older []Feedback
	Counts                  Counts
	// LiveBytes is what secrets that wait take.
	LiveBytes int64
	// AuditRows are the rows of the audit trail, and AuditBytes what they take in
	// the database.
	AuditRows, AuditBytes int64
}

// Counts are kept up with every change; none is counted for the answer.
type Counts struct {
	Sessions       int64 // that have not ended
	Accounts       int64 // that were not destroyed
	RecentAccounts int64 // as many as the index shows
	Metadata       int64 // receipts
	Secrets        int64 // that wait
	// What became of all secrets so far, and the mails sent to recipients.
	Created, Shared, Burned, Expired, Emails int64
	// Feedback is what is kept, and the others are its ages. Feedback moves on
	// to the next age when the sweeper comes.
	Feedback, TodayFeedback, YesterdayFeedback, OlderFeedback int64
	Exceptions                                                int64 // that are kept
	Domains                                                   int64 // that are verified
	Queued                                                    int64 // mails that wait
}

// GetIndex shows how the service does. Callers who are no colonels get
// ErrNotFound.
func (v *Vault) GetIndex(ctx context.Context, c Caller) (Index, error) {
	if !c.Colonel() {
		return Index{}, ErrNotFound
	}
	now := v.clock.now()
	var index Index
	var ages [3][]keptFeedback
	err := v.store.View(ctx, func(tx storage.Tx) (err error) {
		if index.Accounts, err = v.recentAccounts(tx, now); err != nil {
			return err
		}
		if ages, err = feedbackByAge(tx, now); err != nil {
			return err
		}
		if index.AuditRows, err = auditRows(tx); err != nil {
			return err
		}
		index.Counts, err = showCounts(tx)
		return err
	})
	if err != nil {
		return Index{}, err
	}
	index.Today, index.Yesterday, index.Older = v.showFeedback(ages[0]), v.showFeedback(ages[1]), v.showFeedback(ages[2])
	index.Counts.RecentAccounts = int64(len(index.Accounts))
	index.LiveBytes = v.usage.bytes()
	index.AuditBytes = index.AuditRows * auditRowSize
	return index, nil
}

// recentAccounts reads the newest accounts; their ids come in that order.
func (v *Vault) recentAccounts(tx storage.Tx, now time.Time) (list []Account, err error) {
	looked := 0
	before := bigEndian(^millis(now.Add(-indexAccountTime)))
	err = tx.Range(bucketAccount, nil, before, func(key, value []byte) error {
		if looked++; looked > indexAccountsLooked || len(list) == IndexAccounts {
			return errEnough
		}
		r, err := decodeAccount(append([]byte(nil), value...))
		if err != nil {
			return err
		}
		if !r.destroyed.IsZero() || len(key) != len(AccountID{}) {
			return nil
		}
		account, err := v.describeAccount(tx, AccountID(key), r)
		list = append(list, account)
		return err
	})
	return list, ignoreEnough(err)
}

// feedbackByAge reads the newest feedback of today, yesterday and before.
func feedbackByAge(tx storage.Tx, now time.Time) (ages [3][]keptFeedback, err error) {
	const day = 24 * time.Hour
	var from []byte
	for i, age := range [...]time.Duration{day, 2 * day, indexFeedbackTime} {
		to, err := feedbackBefore(tx, now.Add(-age))
		if err != nil {
			return ages, err
		}
		if ages[i], err = rangeFeedback(tx, from, to, IndexFeedback); err != nil {
			return ages, err
		}
		from = to
	}
	return ages, nil
}

func showCounts(tx storage.Tx) (Counts, error) {
	c, err := getCounts(tx)
	if err != nil {
		return Counts{}, err
	}
	ages, err := getFeedbackAges(tx)
	if err != nil {
		return Counts{}, err
	}
	today, yesterday := ages[feedbackToday], ages[feedbackYesterday]
	return Counts{
		Sessions: c[countSessions], Accounts: c[countAccounts], Metadata: c[countMetadata], Secrets: c[countSecrets],
		Created: c[countCreated], Shared: c[countShared], Burned: c[countBurned], Expired: c[countExpired],
		Emails: c[countEmails], Exceptions: c[countExceptions], Domains: c[countDomains], Queued: c[countQueued],
		Feedback: c[countFeedback], TodayFeedback: today, YesterdayFeedback: yesterday,
		OlderFeedback: max(0, c[countFeedback]-today-yesterday),
	}, nil
}
