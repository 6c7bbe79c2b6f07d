package signup

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"slices"
	"time"

	"hush/seal"
	"hush/vault/account"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/email"
	"hush/vault/outbox"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/ticket"
)

// CreateInvite creates an invite, valid once and for a week. With an address it
// is valid for that address only and is mailed there, if mail is configured. A
// caller who is not a colonel gets ErrNotFound.
func (su *SignUps) CreateInvite(ctx context.Context, c caller.Caller, address caller.Text) (Invite, error) {
	if !c.Colonel() {
		return Invite{}, refusal.ErrNotFound
	}
	return su.createInvite(ctx, c.AccountID(), c.Locale(), address)
}

// operatorID is the account in what the operator does.
func operatorID() caller.AccountID { return caller.AccountID{} }

// createInvite creates an invite of an administrator or of the operator.
func (su *SignUps) createInvite(ctx context.Context, by caller.AccountID, locale string, address caller.Text) (Invite, error) {
	if err := su.store.CheckDiskSpace(); err != nil {
		return Invite{}, err
	}
	now := su.clock.Now()
	token := seal.NewToken(now)
	t := ticket.New(ticket.Invite, token, by, now)
	made := Invite{Key: caller.Text(token.Expose()), Expires: t.Expires}
	put := func(tx *rows.Tx) error {
		if err := stillActs(tx, by); err != nil {
			return err
		}
		if err := ticket.Put(tx, t); err != nil {
			return err
		}
		return audit.WriteAccount(tx, now, audit.Invite, by)
	}
	if address == "" {
		return made, su.store.Update(ctx, put)
	}
	to, err := email.Canonical(address)
	if err != nil {
		return Invite{}, err
	}
	t.Bind(su.keys, to)
	made.Mailed = su.outbox.Enabled()
	return made, su.mailed(ctx, outbox.Mail{
		Kind: outbox.MailInvite, To: caller.Text(to), Locale: locale, Key: made.Key, Created: now, Expires: made.Expires,
	}, now, func(tx *rows.Tx) (bool, error) { return true, put(tx) })
}

// stillActs returns ErrUnauthenticated if an account can no longer be used. The
// operator has none.
func stillActs(tx *rows.Tx, by caller.AccountID) error {
	if by == operatorID() {
		return nil
	}
	_, err := account.UsableAccount(tx, by)
	return err
}

// The sizes of a page of invites, and how many tickets are read for it: most of
// them may be of another kind.
const (
	InvitesDefault = 100
	InvitesMost    = 500

	invitesLooked = 5000
)

// ListInvites lists the invites that are neither used nor expired, oldest first,
// regardless of who created them. token is the next of the previous page, empty
// for the first one; next is empty on the last page. A page may be empty although
// others follow. A size of 0 means InvitesDefault. A caller who is not a colonel
// gets ErrNotFound.
func (su *SignUps) ListInvites(ctx context.Context, c caller.Caller, size int, token string) (list []WaitingInvite, next string, err error) {
	if !c.Colonel() {
		return nil, "", refusal.ErrNotFound
	}
	return su.listInvites(ctx, size, token)
}

func (su *SignUps) listInvites(ctx context.Context, size int, token string) (list []WaitingInvite, next string, err error) {
	var from []byte
	if token != "" {
		after, ok := parseInviteID(token)
		if !ok {
			return nil, "", &refusal.InvalidError{Field: "page_token", Text: "is invalid"}
		}
		from = slices.Concat(after[:], []byte{0})
	}
	size = min(cmp.Or(max(size, 0), InvitesDefault), InvitesMost)
	now := su.clock.Now()
	err = su.store.View(ctx, func(tx *rows.Tx) error {
		list, next = nil, ""
		looked, last := 0, ""
		return rows.IgnoreEnough(ticket.Range(tx, from, func(key, value []byte) error {
			if looked == invitesLooked || len(list) == size {
				next = last
				return rows.ErrEnough
			}
			looked, last = looked+1, hex.EncodeToString(key)
			shown, ok, err := su.describeInvite(tx, key, value, now)
			if ok {
				list = append(list, shown)
			}
			return err
		}))
	})
	return list, next, err
}

// describeInvite describes a row of the tickets. ok is false unless it is an
// invite that can still be used.
func (su *SignUps) describeInvite(tx *rows.Tx, key, value []byte, now time.Time) (shown WaitingInvite, ok bool, err error) {
	if len(key) != len(seal.RowKey{}) {
		return WaitingInvite{}, false, rows.ErrDamaged
	}
	record, err := ticket.Decode(append([]byte(nil), value...))
	if err != nil || record.Kind != ticket.Invite || !now.Before(record.Expires) {
		return WaitingInvite{}, false, err
	}
	shown = WaitingInvite{ID: hex.EncodeToString(key), Created: record.Created, Expires: record.Expires}
	t := ticket.Ticket{Row: seal.RowKey(key), Record: record}
	if shown.Address, err = t.BoundTo(su.keys); err != nil {
		return WaitingInvite{}, false, err
	}
	by, err := account.GetAccount(tx, record.Account)
	if errors.Is(err, refusal.ErrNotFound) {
		return shown, true, nil
	}
	if err != nil {
		return WaitingInvite{}, false, err
	}
	if by.Destroyed.IsZero() {
		shown.By = su.accounts.AddressOf(record.Account, by)
	}
	return shown, true, nil
}

// RevokeInvite ends an invite, regardless of who created it. It returns
// ErrNotFound for one that is unknown, used or expired, and to a caller who is
// not a colonel.
func (su *SignUps) RevokeInvite(ctx context.Context, c caller.Caller, id string) error {
	if !c.Colonel() {
		return refusal.ErrNotFound
	}
	return su.revokeInvite(ctx, c.AccountID(), id)
}

func (su *SignUps) revokeInvite(ctx context.Context, by caller.AccountID, id string) error {
	row, ok := parseInviteID(id)
	if !ok {
		return refusal.ErrNotFound
	}
	now := su.clock.Now()
	return su.store.UpdateReserved(ctx, func(tx *rows.Tx) error {
		if err := stillActs(tx, by); err != nil {
			return err
		}
		_, err := ticket.Get(tx, ticket.Invite, row, now)
		if errors.Is(err, refusal.ErrTicket) {
			return refusal.ErrNotFound
		}
		if err != nil {
			return err
		}
		if err := ticket.Delete(tx, row[:]); err != nil {
			return err
		}
		return audit.WriteAccount(tx, now, audit.InviteRevoked, by)
	})
}

// parseInviteID parses the id of an invite: its row, in hexadecimal digits. The
// row is a hash of the invite, which it does not disclose.
func parseInviteID(id string) (row seal.RowKey, ok bool) {
	raw, err := hex.DecodeString(id)
	if err != nil || len(raw) != len(row) {
		return seal.RowKey{}, false
	}
	return seal.RowKey(raw), true
}

// findInvite returns the row of an invite that is valid for an address, or
// ErrTicket.
func (su *SignUps) findInvite(ctx context.Context, text caller.Text, address string, now time.Time) (*seal.RowKey, error) {
	token, ok := seal.ParseToken(string(text))
	if !ok {
		return nil, refusal.ErrTicket
	}
	var found ticket.Ticket
	err := su.store.View(ctx, func(tx *rows.Tx) (err error) {
		found, err = ticket.Get(tx, ticket.Invite, token.RowKey(seal.KindInvite), now)
		return err
	})
	if err != nil {
		return nil, err
	}
	only, err := found.BoundTo(su.keys)
	if err != nil {
		return nil, err
	}
	if only != "" && only != address {
		return nil, refusal.ErrTicket
	}
	return &found.Row, nil
}

// spendInvite ends an invite in the transaction of its sign-up. A nil row means
// that no invite is needed.
func spendInvite(tx *rows.Tx, row *seal.RowKey, now time.Time) error {
	if row == nil {
		return nil
	}
	if _, err := ticket.Get(tx, ticket.Invite, *row, now); err != nil {
		return err
	}
	return ticket.Delete(tx, row[:])
}
