package feedback

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"hush/seal"
	"hush/vault/caller"
	"hush/vault/counter"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/sweep"
)

const (
	// ExceptionLength is the maximum number of characters of a message.
	ExceptionLength = 1000
	// ExceptionStackLength is the maximum number of characters of a stack.
	ExceptionStackLength = 2500
	// ExceptionTime is how long reports are kept.
	ExceptionTime = 14 * 24 * time.Hour
)

// ReceiveException stores a report for the colonels for ExceptionTime, unless
// newer ones replace it, and returns it as stored: keys, links and addresses
// are removed first. It returns ErrInvalid without a message or for a value
// above its limit.
func (ib *Inbox) ReceiveException(ctx context.Context, c caller.Caller, e Exception) (Exception, error) {
	if err := e.check(); err != nil {
		return Exception{}, err
	}
	if err := ib.store.CheckDiskSpace(); err != nil {
		return Exception{}, err
	}
	now := ib.clock.Now()
	kept := e.scrubbed()
	kept.ID, kept.User, kept.Created = seal.NewToken(now).Expose(), senderOf(c), now
	report := encodeReport(&kept)
	err := ib.store.Update(ctx, func(tx *rows.Tx) error { return ib.putException(tx, report, now) })
	if err != nil {
		return Exception{}, err
	}
	return kept, nil
}

func (e *Exception) check() error {
	if strings.TrimSpace(e.Message) == "" {
		return &refusal.InvalidError{Field: "message", Text: "Exception data required"}
	}
	for _, t := range []sizedText{{"message", e.Message, ExceptionLength}, {"stack", e.Stack, ExceptionStackLength}} {
		if utf8.RuneCountInString(t.text) > t.most {
			return &refusal.InvalidError{Field: t.field, Text: fmt.Sprintf("must be at most %d characters long", t.most)}
		}
	}
	return checkTexts(
		sizedText{"message", e.Message, 4 * ExceptionLength},
		sizedText{"type", e.Type, 400},
		sizedText{"stack", e.Stack, 4 * ExceptionStackLength},
		sizedText{"url", e.URL, 2048},
		sizedText{"user_agent", e.UserAgent, 400},
		sizedText{"environment", e.Environment, 200},
		sizedText{"release", e.Release, 200},
	)
}

// scrubbed returns the report as it may be stored.
func (e *Exception) scrubbed() Exception {
	return Exception{
		Message: scrub(e.Message), Type: scrub(e.Type), Stack: scrub(e.Stack), URL: scrubURL(e.URL),
		UserAgent: scrub(e.UserAgent), Environment: scrub(e.Environment), Release: scrub(e.Release),
		Line: e.Line, Column: e.Column,
	}
}

// putException adds a report and deletes the oldest if the bucket is full.
func (ib *Inbox) putException(tx *rows.Tx, report []byte, now time.Time) error {
	newest, err := newestInRing(tx, BucketException)
	if err != nil {
		return err
	}
	out, err := pushedOut(tx, BucketException, newest+1)
	if err != nil {
		return err
	}
	if err := rows.DeleteAll(tx, BucketException, out); err != nil {
		return err
	}
	key := ringKey(newest + 1)
	r := ExceptionRecord{created: now, sealed: ib.keys.SealField(fieldException, key, report)}
	if err := tx.Put(BucketException, key, r.encode()); err != nil {
		return err
	}
	if err := counter.Add(tx, counter.Change{Counter: counter.Exceptions, By: 1 - int64(len(out))}); err != nil {
		return err
	}
	return sweep.PutDue(tx, now.Add(ExceptionTime), sweep.DueException, key)
}

// EndException deletes an expired report.
func (ib *Inbox) EndException(tx *rows.Tx, key []byte, now time.Time) (time.Time, error) {
	r, err := getException(tx, key)
	if errors.Is(err, refusal.ErrNotFound) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, err
	}
	if end := r.created.Add(ExceptionTime); now.Before(end) {
		return end, nil
	}
	if err := counter.Add(tx, counter.Change{Counter: counter.Exceptions, By: -1}); err != nil {
		return time.Time{}, err
	}
	return time.Time{}, tx.Delete(BucketException, key)
}

// ListExceptions lists a page of the reports, newest first: at most size of
// them, 0 for ExceptionsDefault and never more than ExceptionsMost. token is
// the next of the previous page, empty for the first; next is empty on the last
// page. A caller who is not a colonel gets ErrNotFound. An invalid token is
// ErrInvalid.
func (ib *Inbox) ListExceptions(ctx context.Context, c caller.Caller, size int, token string) (list []Exception, next string, err error) {
	if !c.Colonel() {
		return nil, "", refusal.ErrNotFound
	}
	if size <= 0 {
		size = ExceptionsDefault
	}
	from, err := hex.DecodeString(token)
	if err != nil || len(from) != 0 && len(from) != 8 {
		return nil, "", &refusal.InvalidError{Field: "page_token", Text: "is invalid"}
	}
	now := ib.clock.Now()
	var kept []exceptionRow
	err = ib.store.View(ctx, func(tx *rows.Tx) (err error) {
		kept, next, err = rangeExceptions(tx, from, min(size, ExceptionsMost))
		return err
	})
	if err != nil {
		return nil, "", err
	}
	return ib.showExceptions(kept, now), next, nil
}

// exceptionRow is a stored report that is still sealed.
type exceptionRow struct {
	key    []byte
	record *ExceptionRecord
}

// rangeExceptions reads rows from a key on, up to most of them, and returns the
// start of the next page.
func rangeExceptions(tx *rows.Tx, from []byte, most int) (list []exceptionRow, next string, err error) {
	err = tx.Range(BucketException, from, nil, func(key, value []byte) error {
		if len(list) == most {
			next = hex.EncodeToString(key)
			return rows.ErrEnough
		}
		r, err := decodeException(append([]byte(nil), value...))
		if err == nil {
			list = append(list, exceptionRow{append([]byte(nil), key...), r})
		}
		return nil // reported when it is due
	})
	return list, next, rows.IgnoreEnough(err)
}

// showExceptions opens a list. It logs and leaves out reports that do not open,
// and leaves out expired ones.
func (ib *Inbox) showExceptions(rows []exceptionRow, now time.Time) []Exception {
	var list []Exception
	for _, row := range rows {
		if !now.Before(row.record.created.Add(ExceptionTime)) {
			continue
		}
		e, err := ib.openException(row)
		if err != nil {
			ib.log.Error("an exception does not open", "cause", err)
			continue
		}
		list = append(list, e)
	}
	return list
}

func (ib *Inbox) openException(row exceptionRow) (Exception, error) {
	plain, err := ib.keys.OpenField(fieldException, row.key, row.record.sealed)
	if err != nil {
		return Exception{}, fmt.Errorf("opening an exception: %w", err)
	}
	e, err := decodeReport(plain)
	e.Created = row.record.created
	return e, err
}
