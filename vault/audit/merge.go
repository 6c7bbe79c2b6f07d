package audit

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"slices"
	"time"

	"hush/storage"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// Row is a row of the trail with its place.
type Row struct {
	Node   uint16
	Number uint64 // counts from 1 on each node
	Record
}

// Range calls fn for each row of the trail by time; rows of one time in
// the order of their nodes. Rows of one node keep the order in which they were
// written, even if its clock went back. Rows that cannot be read are added to
// lost. An error from fn ends the walk and is returned.
func Range(tx storage.Tx, lost *rows.Damage, fn func(Row) error) error {
	sequences, err := Sequences(tx)
	if err != nil {
		return err
	}
	var open []*auditReader
	for node := range sequences {
		open = append(open, &auditReader{node: node, from: auditFrom(node)})
	}
	for {
		var next *auditReader
		for _, r := range open {
			if err := r.fill(tx, lost); err != nil {
				return err
			}
			if len(r.page) > 0 && (next == nil || r.before(next)) {
				next = r
			}
		}
		if next == nil {
			return nil
		}
		if err := fn(next.page[0]); err != nil {
			return err
		}
		next.page = next.page[1:]
	}
}

// auditReader reads the rows of one node in pages.
type auditReader struct {
	node uint16
	from []byte // where the next page begins; nil after the last
	page []Row
}

// before reports whether the reader's first row comes before that of other.
func (r *auditReader) before(other *auditReader) bool {
	if order := r.page[0].Time.Compare(other.page[0].Time); order != 0 {
		return order < 0
	}
	return r.node < other.node
}

// fill reads pages until one has a row, unless there is none.
func (r *auditReader) fill(tx storage.Tx, lost *rows.Damage) error {
	for len(r.page) == 0 && r.from != nil {
		from, looked := r.from, 0
		r.from = nil
		err := tx.Range(BucketAudit, from, auditTo(r.node), func(key, value []byte) error {
			if looked++; looked > auditWindow {
				r.from = append([]byte(nil), key...)
				return rows.ErrEnough
			}
			if record, err := Decode(value); err == nil && len(key) == 8 {
				number := binary.BigEndian.Uint64(key) & (1<<Shift - 1)
				r.page = append(r.page, Row{r.node, number, record})
			} else {
				lost.Note(BucketAudit, rows.ErrDamaged)
			}
			return nil
		})
		if err := rows.IgnoreEnough(err); err != nil {
			return err
		}
	}
	return nil
}

// Filter selects rows of the trail. The zero value selects all of them.
type Filter struct {
	Since, Until time.Time // Until is not in the range; zero for no bound
	Kinds        []Type
}

func (f Filter) matches(r Row) bool {
	switch {
	case r.Time.Before(f.Since):
		return false
	case !f.Until.IsZero() && !r.Time.Before(f.Until):
		return false
	}
	return len(f.Kinds) == 0 || slices.Contains(f.Kinds, r.Kind)
}

// Page is a part of the trail.
type Page struct {
	Rows       []Row
	Unreadable int    // rows that were skipped
	Next       string // continues behind this page; empty after the last
}

// auditPage is the number of rows of a node that one page looks at.
const auditPage = 512

// Page returns the next rows that a filter selects, in the order of Range;
// an empty token stands for the first page. A page may be empty although others
// follow. Rows that were stored after the first page was read are in none, and
// rows that are pruned meanwhile may be missing. A token that no page returned is
// an ErrInvalid.
func (t Trail) Page(ctx context.Context, filter Filter, token string) (page Page, err error) {
	cursors, err := t.cursors(ctx, token)
	if err != nil {
		return page, err
	}
	err = t.store.View(ctx, func(tx *rows.Tx) error {
		for _, c := range cursors {
			if err := c.fill(tx); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return page, err
	}
	for _, r := range mergeAudits(cursors) {
		switch {
		case r.Kind == 0:
			page.Unreadable++
		case filter.matches(r):
			page.Rows = append(page.Rows, r)
		}
	}
	page.Next = encodeCursors(cursors)
	return page, nil
}

// auditCursor is where the export of a node's rows stands.
type auditCursor struct {
	next, end uint64 // the keys from next on and before end are to come
	after     uint64 // what next is once the page is empty

	auditReader
}

// cursors returns those of a token, or, for the first page, those of the rows that
// each node has written so far.
func (t Trail) cursors(ctx context.Context, token string) (cursors []*auditCursor, err error) {
	if token != "" {
		return decodeCursors(token)
	}
	err = t.store.View(ctx, func(tx *rows.Tx) error {
		sequences, err := Sequences(tx)
		cursors = nil
		for node, last := range sequences {
			cursors = append(cursors, newCursor(uint64(node)<<Shift, last+1))
		}
		return err
	})
	return cursors, err
}

func newCursor(next, end uint64) *auditCursor {
	return &auditCursor{next: next, end: end, auditReader: auditReader{node: uint16(next >> Shift)}}
}

// fill reads the rows of a page. One that cannot be read has no type and no time,
// so that it comes first.
func (c *auditCursor) fill(tx storage.Tx) error {
	c.after, c.page = c.end, nil
	return rows.IgnoreEnough(tx.Range(BucketAudit, rows.BigEndian(c.next), rows.BigEndian(c.end), func(key, value []byte) error {
		if len(key) != 8 {
			return nil // not a row of the trail
		}
		at := binary.BigEndian.Uint64(key)
		if len(c.page) == auditPage {
			c.after = at
			return rows.ErrEnough
		}
		record, err := Decode(value)
		if err != nil {
			record = Record{}
		}
		c.page = append(c.page, Row{c.node, at & (1<<Shift - 1), record})
		return nil
	}))
}

// mergeAudits takes rows in their order until the page of a node that has more is
// empty.
func mergeAudits(cursors []*auditCursor) (rows []Row) {
	for {
		var first *auditCursor
		for _, c := range cursors {
			if len(c.page) == 0 && c.after < c.end {
				return rows
			}
			if len(c.page) > 0 && (first == nil || c.before(&first.auditReader)) {
				first = c
			}
		}
		if first == nil {
			return rows
		}
		rows = append(rows, first.page[0])
		first.page = first.page[1:]
	}
}

const cursorsVersion = 1

// encodeCursors returns a token for what is left, or "" if nothing is.
//
//	version 1 │ next 8 ‖ end 8 of each node
func encodeCursors(cursors []*auditCursor) string {
	token := []byte{cursorsVersion}
	for _, c := range cursors {
		next := c.after
		if len(c.page) > 0 {
			next = uint64(c.node)<<Shift | c.page[0].Number
		}
		if next < c.end {
			token = binary.BigEndian.AppendUint64(token, next)
			token = binary.BigEndian.AppendUint64(token, c.end)
		}
	}
	if len(token) == 1 {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(token)
}

func decodeCursors(token string) (cursors []*auditCursor, err error) {
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(raw) == 0 || len(raw)%16 != 1 || raw[0] != cursorsVersion {
		return nil, &refusal.InvalidError{Field: "page_token", Text: "is not that of a page"}
	}
	for raw = raw[1:]; len(raw) > 0; raw = raw[16:] {
		c := newCursor(binary.BigEndian.Uint64(raw), binary.BigEndian.Uint64(raw[8:]))
		if c.end>>Shift != uint64(c.node) {
			return nil, &refusal.InvalidError{Field: "page_token", Text: "is not that of a page"}
		}
		cursors = append(cursors, c)
	}
	return cursors, nil
}
