package vault

import (
	"errors"
	"net/mail"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"hush/storage"
)

// addressMost is the most bytes of an e-mail address (RFC 5321, erratum 1690).
const addressMost = 254

// canonicalAddress brings an e-mail address into the one form under which it
// is stored and looked up: trimmed, in lower case, NFC. It returns InvalidError
// for what is no single plain address, such as one with a name or a comment.
func canonicalAddress(text Text) (string, error) { return canonicalAddressIn("address", text) }

// canonicalAddressIn is canonicalAddress for an argument of another name.
func canonicalAddressIn(field string, text Text) (string, error) {
	address := strings.TrimSpace(string(text))
	if address == "" {
		return "", &InvalidError{Field: field, Text: "is missing"}
	}
	// What is no UTF-8 would be mended by the folding, to another address.
	if !utf8.ValidString(address) {
		return "", &InvalidError{Field: field, Text: "is not an e-mail address"}
	}
	address = norm.NFC.String(strings.ToLower(norm.NFC.String(address)))
	if len(address) > addressMost {
		return "", &InvalidError{Field: field, Text: "is longer than 254 bytes"}
	}
	if !plainAddress(address) {
		return "", &InvalidError{Field: field, Text: "is not an e-mail address"}
	}
	return address, nil
}

// plainAddress tells whether text is an address and nothing besides.
func plainAddress(text string) bool {
	odd := func(r rune) bool {
		return unicode.IsControl(r) || unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) || r == '[' || r == '"'
	}
	if strings.ContainsFunc(text, odd) {
		return false
	}
	parsed, err := mail.ParseAddress(text)
	return err == nil && parsed.Name == "" && parsed.Address == text
}

// sealAddress seals the address of an account's record.
func (v *Vault) sealAddress(id AccountID, address string) []byte {
	return v.keys.SealField(fieldAddress, id[:], []byte(address))
}

// addressOf opens an account's address. One that does not open is logged and
// left out: the rest of the account is still worth having.
func (v *Vault) addressOf(id AccountID, r *accountRecord) string {
	return v.openAddress(fieldAddress, id, r.address)
}

// openAddress opens a sealed field of an account's record; an empty one is
// empty.
func (v *Vault) openAddress(label string, id AccountID, sealed []byte) string {
	if len(sealed) == 0 {
		return ""
	}
	address, err := v.keys.OpenField(label, id[:], sealed)
	if err != nil {
		v.log.Error("an account's address does not open", "account", id.String(), "cause", err)
		return ""
	}
	return string(address)
}

// findByAddress finds the account of a canonical address, destroyed ones
// included, or returns ErrNotFound.
func (v *Vault) findByAddress(tx storage.Tx, canonical string) (AccountID, *accountRecord, error) {
	return findByAddressID(tx, v.keys.AddressID(canonical))
}

// findByAddressID reads as much for an address without an account: it looks for
// the record of the zero id, which nobody has.
func findByAddressID(tx storage.Tx, addressID [32]byte) (AccountID, *accountRecord, error) {
	var id AccountID
	data, err := tx.Get(bucketAddress, addressID[:])
	switch {
	case errors.Is(err, storage.ErrNotFound):
	case err != nil:
		return AccountID{}, nil, err
	case len(data) != len(id):
		return AccountID{}, nil, errDamaged
	default:
		id = AccountID(data)
	}
	r, err := getAccount(tx, id)
	return id, r, err
}

// resolveAccount finds the account that an operator means by an address or an
// id. It returns ErrNotFound for destroyed ones, too.
func (v *Vault) resolveAccount(tx storage.Tx, account Text) (id AccountID, r *accountRecord, err error) {
	var ok bool
	if id, ok = ParseAccountID(string(account)); ok {
		r, err = getAccount(tx, id)
	} else {
		address, bad := canonicalAddress(account)
		if bad != nil {
			return AccountID{}, nil, ErrNotFound
		}
		id, r, err = v.findByAddress(tx, address)
	}
	if err == nil && !r.destroyed.IsZero() {
		err = ErrNotFound
	}
	if err != nil {
		return AccountID{}, nil, err
	}
	return id, r, nil
}

// standing is what there is at an address.
type standing byte

const (
	addressFree    standing = iota
	addressPending          // an account that waits for its mailed link
	addressUsed             // any other account
	addressBuried           // a tombstone
)

// standingOf finds what there is at an address. The id and the record are zero
// at a free one.
func standingOf(tx storage.Tx, addressID [32]byte) (standing, AccountID, *accountRecord, error) {
	id, r, err := findByAddressID(tx, addressID)
	switch {
	case errors.Is(err, ErrNotFound):
		return addressFree, AccountID{}, nil, nil
	case err != nil:
		return addressFree, AccountID{}, nil, err
	case !r.destroyed.IsZero():
		return addressBuried, id, r, nil
	case r.pending && !r.disabled:
		return addressPending, id, r, nil
	}
	return addressUsed, id, r, nil
}
