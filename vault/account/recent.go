package account

import (
	"time"

	"hush/vault/caller"
	"hush/vault/rows"
)

// The limits on what a colonel sees.
const (
	// IndexAccounts is the maximum number of accounts.
	IndexAccounts = 50

	indexAccountTime = 30 * 24 * time.Hour
	// indexAccountsLooked bounds how many accounts are read: destroyed ones
	// remain as tombstones.
	indexAccountsLooked = 500
)

// RecentAccounts returns the newest accounts, newest first.
func (ac *Accounts) RecentAccounts(tx *rows.Tx, now time.Time) (list []Account, err error) {
	looked := 0
	before := rows.BigEndian(^rows.Millis(now.Add(-indexAccountTime)))
	err = tx.Range(BucketAccount, nil, before, func(key, value []byte) error {
		if looked++; looked > indexAccountsLooked || len(list) == IndexAccounts {
			return rows.ErrEnough
		}
		r, err := DecodeAccount(append([]byte(nil), value...))
		if err != nil {
			return err
		}
		if !r.Destroyed.IsZero() || len(key) != len(caller.AccountID{}) {
			return nil
		}
		account, err := ac.DescribeAccount(tx, caller.AccountID(key), r)
		list = append(list, account)
		return err
	})
	return list, rows.IgnoreEnough(err)
}
