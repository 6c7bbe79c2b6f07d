package feedback

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"hush/vault/caller"
	"hush/vault/challenge"
	"hush/vault/counter"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/sweep"
)

const (
	// FeedbackLength is the maximum number of characters of a message.
	FeedbackLength = 1500
	// FeedbackTime is how long feedback is kept.
	FeedbackTime = 30 * 24 * time.Hour

	feedbackZoneSize    = 64 // bytes
	feedbackVersionSize = 32 // bytes
	// feedbackSameLooked and feedbackSameTime bound the search for an earlier
	// copy of a message from the same sender.
	feedbackSameLooked = 100
	feedbackSameTime   = 24 * time.Hour
)

// NewFeedback is a message to be stored.
type NewFeedback struct {
	// Message is 1 to FeedbackLength characters, not all of them white space.
	Message string
	// TimeZone and Version are the sender's and the client's, up to 64 and 32
	// bytes; may be empty.
	TimeZone, Version string
	// Challenge is a solved challenge for the action feedback. Callers with an
	// account need none.
	Challenge string
}

// ReceiveFeedback stores a message for the colonels for FeedbackTime, unless
// newer ones replace it. It removes keys, links and addresses first. A repeated
// message from the same sender within a day replaces the earlier one. If it
// returns ErrInvalid or ErrChallenge, it has stored nothing.
func (ib *Inbox) ReceiveFeedback(ctx context.Context, c caller.Caller, f NewFeedback) error {
	if err := f.check(); err != nil {
		return err
	}
	if err := ib.store.CheckDiskSpace(); err != nil {
		return err
	}
	now := ib.clock.Now()
	if c.Anonymous() {
		if err := ib.challenges.Spend(ctx, f.Challenge, challenge.ActionFeedback, now); err != nil {
			return err
		}
	}
	text := feedbackText{
		sender: senderOf(c), message: scrub(strings.TrimSpace(f.Message)), zone: scrub(f.TimeZone), version: scrub(f.Version),
	}
	same, err := ib.findSame(ctx, text, now)
	if err != nil {
		return err
	}
	return ib.store.Update(ctx, func(tx *rows.Tx) error { return ib.putFeedback(tx, text, same, now) })
}

func (f *NewFeedback) check() error {
	if strings.TrimSpace(f.Message) == "" {
		return &refusal.InvalidError{Field: "message", Text: "You can be more original than that!"}
	}
	if utf8.RuneCountInString(f.Message) > FeedbackLength {
		return &refusal.InvalidError{Field: "message", Text: fmt.Sprintf("must be at most %d characters long", FeedbackLength)}
	}
	return checkTexts(
		sizedText{"message", f.Message, 4 * FeedbackLength},
		sizedText{"time_zone", f.TimeZone, feedbackZoneSize},
		sizedText{"version", f.Version, feedbackVersionSize},
	)
}

// sizedText is an argument with its maximum bytes.
type sizedText struct {
	field, text string
	most        int
}

func checkTexts(texts ...sizedText) error {
	for _, t := range texts {
		if len(t.text) > t.most {
			return &refusal.InvalidError{Field: t.field, Text: fmt.Sprintf("must be at most %d bytes long", t.most)}
		}
		if !utf8.ValidString(t.text) {
			return &refusal.InvalidError{Field: t.field, Text: "is not valid UTF-8"}
		}
	}
	return nil
}

// senderOf returns what is stored of the sender.
func senderOf(c caller.Caller) string {
	if c.Anonymous() {
		return c.Network.Masked()
	}
	return c.Account()
}

// putFeedback adds feedback in place of an earlier copy, and deletes the oldest
// if the bucket is full.
func (ib *Inbox) putFeedback(tx *rows.Tx, text feedbackText, same []byte, now time.Time) error {
	newest, err := newestInRing(tx, BucketFeedback)
	if err != nil {
		return err
	}
	out, err := pushedOut(tx, BucketFeedback, newest+1)
	if err != nil {
		return err
	}
	if same != nil {
		out = append(out, same)
	}
	for _, key := range out {
		if err := dropFeedback(tx, key); err != nil {
			return err
		}
	}
	key := ringKey(newest + 1)
	r := Record{created: now, age: feedbackToday, sealed: ib.keys.SealField(fieldFeedback, key, text.encode())}
	if err := tx.Put(BucketFeedback, key, r.encode()); err != nil {
		return err
	}
	if err := countAge(tx, r.age, 1); err != nil {
		return err
	}
	if err := counter.Add(tx, counter.Change{Counter: counter.Feedback, By: 1}); err != nil {
		return err
	}
	return sweep.PutDue(tx, r.turns(), sweep.DueFeedback, key)
}

// dropFeedback deletes feedback, even if it cannot be read.
func dropFeedback(tx *rows.Tx, key []byte) error {
	r, err := getFeedback(tx, key)
	if errors.Is(err, refusal.ErrNotFound) {
		return nil
	}
	if err == nil {
		err = countAge(tx, r.age, -1)
	} else if errors.Is(err, rows.ErrDamaged) {
		err = nil
	}
	if err != nil {
		return err
	}
	if err := counter.Add(tx, counter.Change{Counter: counter.Feedback, By: -1}); err != nil {
		return err
	}
	return tx.Delete(BucketFeedback, key)
}

func getFeedback(tx *rows.Tx, key []byte) (*Record, error) {
	return rows.Load(tx, BucketFeedback, key, decodeFeedback)
}

// ageAt returns the age of the feedback.
func (r *Record) ageAt(now time.Time) feedbackAge {
	const day = 24 * time.Hour
	return feedbackAge(min(max(0, now.Sub(r.created)/day), time.Duration(feedbackOlder)))
}

// turns returns when the feedback leaves its age, or is deleted.
func (r *Record) turns() time.Time {
	if r.age >= feedbackOlder {
		return r.created.Add(FeedbackTime)
	}
	return r.created.Add(time.Duration(r.age+1) * 24 * time.Hour)
}

// EndFeedback moves feedback to its next age and deletes it at the end of the
// last. This keeps the counts of the ages without a scan.
func (ib *Inbox) EndFeedback(tx *rows.Tx, key []byte, now time.Time) (time.Time, error) {
	r, err := getFeedback(tx, key)
	if errors.Is(err, refusal.ErrNotFound) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, err
	}
	if !now.Before(r.created.Add(FeedbackTime)) {
		return time.Time{}, dropFeedback(tx, key)
	}
	if age := r.ageAt(now); age != r.age {
		if err := countAge(tx, r.age, -1); err != nil {
			return time.Time{}, err
		}
		r.age = age
		if err := countAge(tx, r.age, 1); err != nil {
			return time.Time{}, err
		}
		if err := tx.Put(BucketFeedback, key, r.encode()); err != nil {
			return time.Time{}, err
		}
	}
	return r.turns(), nil
}

// findSame returns the row of an equal text, nil if there is none among the
// newest.
func (ib *Inbox) findSame(ctx context.Context, text feedbackText, now time.Time) (key []byte, err error) {
	var found []keptFeedback
	err = ib.store.View(ctx, func(tx *rows.Tx) (err error) {
		found, err = rangeFeedback(tx, nil, nil, feedbackSameLooked)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, f := range found {
		if now.Sub(f.record.created) >= feedbackSameTime {
			break
		}
		if kept, err := ib.openFeedback(f); err == nil && kept == text {
			return f.key, nil
		}
	}
	return nil, nil
}
