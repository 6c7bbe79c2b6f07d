package request

import (
	"context"
	"encoding/hex"
	"errors"
	"slices"

	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/rows"
)

const (
	// ListMost is the maximum number of requests of one page, listDefault the number if
	// the query names none.
	ListMost    = 500
	listDefault = 50
)

// Page is a page of an account's requests, newest first.
type Page struct {
	Requests []Request
	Next     string // empty on the last page
}

// ListRequests lists the requests of the caller's account. size is the maximum number of a
// page, 0 for 50, and token is Page.Next of the page before, empty for the first. It
// returns ErrUnauthenticated for a caller without an account.
func (re *Requests) ListRequests(ctx context.Context, c caller.Caller, size int, token string) (Page, error) {
	if c.Anonymous() {
		return Page{}, refusal.ErrUnauthenticated
	}
	id := c.AccountID()
	prefix := append([]byte{kindAccount}, id[:]...)
	from := prefix
	if token != "" {
		after, err := hex.DecodeString(token)
		from = slices.Concat(prefix, after, []byte{0})
		if _, damaged := listedRow(from[:len(from)-1]); err != nil || damaged != nil {
			return Page{}, &refusal.InvalidError{Field: "page_token", Text: "is invalid"}
		}
	}
	if size <= 0 {
		size = listDefault
	}
	size = min(size, ListMost)
	now := re.clock.Now()
	c.Site = caller.Site{} // the list is the same on all hosts
	var page Page
	err := re.store.View(ctx, func(tx *rows.Tx) error {
		page = Page{}
		var last []byte
		return rows.IgnoreEnough(tx.Range(BucketRequests, from, rows.PrefixEnd(prefix), func(key, _ []byte) error {
			if len(page.Requests) == size {
				page.Next = hex.EncodeToString(last)
				return rows.ErrEnough
			}
			row, err := listedRow(key)
			if err != nil {
				return err
			}
			f, err := re.read(tx, c, row, now)
			if errors.Is(err, refusal.ErrNotFound) {
				return nil
			}
			if err != nil {
				return err
			}
			last = append([]byte(nil), key[len(prefix):]...)
			page.Requests = append(page.Requests, f.show(c, now))
			return nil
		}))
	})
	return page, err
}
