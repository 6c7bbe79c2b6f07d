package vault

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hush/seal"
	"hush/storage"
)

// ImportMost is the most accounts of one import.
const ImportMost = 10_000

// DuplicateError names the entry of a list of which there is one already. It
// is ErrDuplicate.
type DuplicateError struct{ Field string }

func (e *DuplicateError) Error() string        { return e.Field + " is in use already" }
func (e *DuplicateError) Is(target error) bool { return target == ErrDuplicate }

// importedRecord is an entry that was checked.
type importedRecord struct {
	id     AccountID
	record *accountRecord
	token  *seal.APIToken
}

// ImportAccounts makes accounts with the API tokens that they have elsewhere,
// all or none, and returns how many it made and how many addresses it passed
// over because they have an account, which it does if skipExisting. The address
// of an account that was destroyed counts as one that has: an import that is
// run again brings nobody back. It returns TooManyError above ImportMost, and
// InvalidError or DuplicateError with the number of the entry.
func (o Operator) ImportAccounts(ctx context.Context, accounts []ImportedAccount, skipExisting bool) (imported, skipped int, err error) {
	if len(accounts) > ImportMost {
		return 0, 0, &TooManyError{What: "accounts", Limit: ImportMost}
	}
	now := o.v.clock.now()
	records, err := o.v.importedRecords(accounts, now)
	if err != nil {
		return 0, 0, err
	}
	err = o.v.store.Update(ctx, func(tx storage.Tx) error {
		imported, skipped = 0, 0
		for i, entry := range records {
			made, err := o.v.importAccount(tx, i, entry, skipExisting, now)
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

// entryField names a field of an entry.
func entryField(i int, field string) string { return fmt.Sprintf("entries[%d].%s", i, field) }

// importedRecords checks entries and makes their records. Neither an address
// nor a token may stand in two of them.
func (v *Vault) importedRecords(accounts []ImportedAccount, now time.Time) ([]importedRecord, error) {
	records := make([]importedRecord, 0, len(accounts))
	addresses, tokens := map[[32]byte]bool{}, map[[32]byte]bool{}
	for i, a := range accounts {
		r, err := v.importedRecord(a, now)
		if invalid, ok := errors.AsType[*InvalidError](err); ok {
			return nil, &InvalidError{Field: entryField(i, invalid.Field), Text: invalid.Text}
		}
		if err != nil {
			return nil, err
		}
		if addresses[r.record.addressID] {
			return nil, &DuplicateError{Field: entryField(i, "address")}
		}
		addresses[r.record.addressID] = true
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

func (v *Vault) importedRecord(a ImportedAccount, now time.Time) (importedRecord, error) {
	address, err := canonicalAddress(a.Address)
	if err != nil {
		return importedRecord{}, err
	}
	id, record, err := v.operatorRecord(address, a.Locale, a.Role, now)
	if err != nil || a.Token == "" {
		return importedRecord{id: id, record: record}, err
	}
	token, ok := seal.ParseAPIToken(string(a.Token))
	if !ok {
		return importedRecord{}, &InvalidError{Field: "token", Text: "is not 40 characters 0-9 and a-f"}
	}
	return importedRecord{id, record, &token}, nil
}

// importAccount adds one account, or reports false if its address has one and
// that is no error.
func (v *Vault) importAccount(tx storage.Tx, i int, entry importedRecord, skipExisting bool, now time.Time) (made bool, err error) {
	at, _, _, err := standingOf(tx, entry.record.addressID)
	if err != nil || at != addressFree && skipExisting {
		return false, err
	}
	if at != addressFree {
		return false, &DuplicateError{Field: entryField(i, "address")}
	}
	if err := v.addAccount(tx, entry.id, entry.record, nil, now); err != nil || entry.token == nil {
		return err == nil, err
	}
	err = v.importToken(tx, entry.id, *entry.token, "imported", ScopesAll, now)
	if errors.Is(err, ErrDuplicate) {
		return false, &DuplicateError{Field: entryField(i, "token")}
	}
	return err == nil, err
}
