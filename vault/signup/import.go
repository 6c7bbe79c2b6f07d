package signup

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hush/seal"
	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/email"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// ImportMost is the maximum number of accounts of one import.
const ImportMost = 10_000

// DuplicateError names an entry that already exists. It is ErrDuplicate.
type DuplicateError struct{ Field string }

func (e *DuplicateError) Error() string        { return e.Field + " is in use already" }
func (e *DuplicateError) Is(target error) bool { return target == refusal.ErrDuplicate }

// importedRecord is a checked entry.
type importedRecord struct {
	id     caller.AccountID
	record *account.Record
	token  *seal.APIToken
}

// ImportAccounts creates accounts with their API tokens from another service,
// all or none. It returns how many it created, and how many it skipped because
// their address has an account, which requires skipExisting. A tombstone counts
// as an account: repeating an import does not recreate a destroyed one. It
// returns TooManyError above ImportMost, and InvalidError or DuplicateError
// with the number of the entry.
func (o Operator) ImportAccounts(ctx context.Context, accounts []ImportedAccount, skipExisting bool) (imported, skipped int, err error) {
	if len(accounts) > ImportMost {
		return 0, 0, &refusal.TooManyError{What: "accounts", Limit: ImportMost}
	}
	now := o.su.clock.Now()
	records, err := o.importedRecords(accounts, now)
	if err != nil {
		return 0, 0, err
	}
	err = o.su.store.Update(ctx, func(tx *rows.Tx) error {
		imported, skipped = 0, 0
		for i, entry := range records {
			made, err := o.importAccount(tx, i, entry, skipExisting, now)
			if err != nil {
				return err
			}
			if made {
				imported++
			} else {
				skipped++
			}
		}
		return nil
	})
	if err != nil {
		return 0, 0, err
	}
	return imported, skipped, nil
}

// entryField returns the name of a field of an entry.
func entryField(i int, field string) string { return fmt.Sprintf("entries[%d].%s", i, field) }

// importedRecords checks entries and returns their records. No two entries may
// have the same address or token.
func (o Operator) importedRecords(accounts []ImportedAccount, now time.Time) ([]importedRecord, error) {
	records := make([]importedRecord, 0, len(accounts))
	addresses, tokens := map[[32]byte]bool{}, map[[32]byte]bool{}
	for i, a := range accounts {
		r, err := o.importedRecord(a, now)
		if invalid, ok := errors.AsType[*refusal.InvalidError](err); ok {
			return nil, &refusal.InvalidError{Field: entryField(i, invalid.Field), Text: invalid.Text}
		}
		if err != nil {
			return nil, err
		}
		if addresses[r.record.AddressID] {
			return nil, &DuplicateError{Field: entryField(i, "address")}
		}
		addresses[r.record.AddressID] = true
		if r.token != nil {
			if tokens[r.token.Row()] {
				return nil, &DuplicateError{Field: entryField(i, "token")}
			}
			tokens[r.token.Row()] = true
		}
		records = append(records, r)
	}
	return records, nil
}

func (o Operator) importedRecord(a ImportedAccount, now time.Time) (importedRecord, error) {
	address, err := email.Canonical(a.Address)
	if err != nil {
		return importedRecord{}, err
	}
	id, record, err := o.operatorRecord(address, a.Locale, a.Role, now)
	if err != nil || a.Token == "" {
		return importedRecord{id: id, record: record}, err
	}
	token, ok := seal.ParseAPIToken(string(a.Token))
	if !ok {
		return importedRecord{}, &refusal.InvalidError{Field: "token", Text: "is not 40 characters 0-9 and a-f"}
	}
	return importedRecord{id, record, &token}, nil
}

// importAccount adds one account. It returns false if the address has one and
// skipExisting is set.
func (o Operator) importAccount(tx *rows.Tx, i int, entry importedRecord, skipExisting bool, now time.Time) (made bool, err error) {
	at, err := takeAddress(tx, entry.record.AddressID, now)
	if err != nil || at != account.AddressFree && skipExisting {
		return false, err
	}
	if at != account.AddressFree {
		return false, &DuplicateError{Field: entryField(i, "address")}
	}
	if err := o.su.accounts.Add(tx, entry.id, entry.record, nil, now); err != nil || entry.token == nil {
		return err == nil, err
	}
	err = o.su.credentials.ImportToken(tx, entry.id, *entry.token, "imported", caller.ScopesAll, now)
	if errors.Is(err, refusal.ErrDuplicate) {
		return false, &DuplicateError{Field: entryField(i, "token")}
	}
	return err == nil, err
}
