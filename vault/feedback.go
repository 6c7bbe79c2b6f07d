package vault

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"hush/storage"
)

const (
	// FeedbackLength is the most characters of a message.
	FeedbackLength = 1500
	// FeedbackTime is how long feedback is kept.
	FeedbackTime = 30 * 24 * time.Hour

	feedbackZoneSize    = 64 // bytes
	feedbackVersionSize = 32 // bytes
	// feedbackSameLooked and feedbackSameTime bound where somebody's message
	// is looked for who sends it again.
	feedbackSameLooked = 100
	feedbackSameTime   = 24 * time.Hour
)

// NewFeedback is what somebody has to say.
type NewFeedback struct {
	// Message is 1 to FeedbackLength characters, not all of them white space.
	Message string
	// TimeZone and Version are the sender's and the client's, up to 64 and 32
	// bytes; empty if they are not told.
	TimeZone, Version string
	// Challenge is a solved challenge of the action feedback. Callers with an
	// account need none.
	Challenge string
}

// Feedback is a message as it was kept.
type Feedback struct {
	// Message has been scrubbed; time zone and version stand at its end.
	Message string
	// Sender is the id of an account, or a masked network.
	Sender  string
	Created time.Time
}

// ReceiveFeedback keeps a message for the colonels for FeedbackTime, unless
// newer ones push it out. What may open anything is taken out before. The same
// from the same sender within a day replaces what was kept. It returns
// ErrInvalid or ErrChallenge, and then has kept nothing.
func (v *Vault) ReceiveFeedback(ctx context.Context, c Caller, f NewFeedback) error {
	if err := f.check(); err != nil {
		return err
	}
	if err := v.checkRoom(); err != nil {
		return err
	}
	now := v.clock.now()
	if c.Anonymous() {
		if err := v.spendChallenge(ctx, f.Challenge, ActionFeedback, now); err != nil {
			return err
		}
	}
	text := feedbackText{
		sender: senderOf(c), message: scrub(strings.TrimSpace(f.Message)), zone: scrub(f.TimeZone), version: scrub(f.Version),
	}
	same, err := v.findSame(ctx, text, now)
	if err != nil {
		return err
	}
	return v.store.Update(ctx, func(tx storage.Tx) error { return v.putFeedback(tx, text, same, now) })
}

func (f *NewFeedback) check() error {
	if strings.TrimSpace(f.Message) == "" {
		return &InvalidError{Field: "message", Text: "You can be more original than that!"}
	}
	if utf8.RuneCountInString(f.Message) > FeedbackLength {
		return &InvalidError{Field: "message", Text: fmt.Sprintf("must be at most %d characters long", FeedbackLength)}
	}
	return checkTexts(
		sizedText{"message", f.Message, 4 * FeedbackLength},
		sizedText{"time_zone", f.TimeZone, feedbackZoneSize},
		sizedText{"version", f.Version, feedbackVersionSize},
	)
}

// sizedText is an argument and the most bytes that it may have.
type sizedText struct {
	field, text string
	most        int
}

func checkTexts(texts ...sizedText) error {
	for _, t := range texts {
		if len(t.text) > t.most {
			return &InvalidError{Field: t.field, Text: fmt.Sprintf("must be at most %d bytes long", t.most)}
		}
		if !utf8.ValidString(t.text) {
			return &InvalidError{Field: t.field, Text: "is not valid UTF-8"}
		}
	}
	return nil
}

// checkRoom returns ErrUnavailable while the disk may not take more.
func (v *Vault) checkRoom() error {
	if v.room != nil && !v.room() {
		return unavailable(storage.ErrFull)
	}
	return nil
}

// senderOf is what is kept of who sent something.
func senderOf(c Caller) string {
	if c.Anonymous() {
		return c.Network.Masked()
	}
	return c.Account
}

// putFeedback adds feedback in place of what it repeats, and pushes out what
// there is no room for.
func (v *Vault) putFeedback(tx storage.Tx, text feedbackText, same []byte, now time.Time) error {
	newest, err := newestInRing(tx, bucketFeedback)
	if err != nil {
		return err
	}
	out, err := pushedOut(tx, bucketFeedback, newest+1)
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
	r := feedbackRecord{created: now, age: feedbackToday, sealed: v.keys.SealField(fieldFeedback, key, text.encode())}
	if err := tx.Put(bucketFeedback, key, r.encode()); err != nil {
		return err
	}
	if err := countAge(tx, r.age, 1); err != nil {
		return err
	}
	if err := tally(tx, tallied{countFeedback, 1}); err != nil {
		return err
	}
	return putDue(tx, r.turns(), dueFeedback, key)
}

// dropFeedback deletes feedback. What cannot be read goes, too.
func dropFeedback(tx storage.Tx, key []byte) error {
	r, err := getFeedback(tx, key)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err == nil {
		err = countAge(tx, r.age, -1)
	} else if errors.Is(err, errDamaged) {
		err = nil
	}
	if err != nil {
		return err
	}
	if err := tally(tx, tallied{countFeedback, -1}); err != nil {
		return err
	}
	return tx.Delete(bucketFeedback, key)
}

func getFeedback(tx storage.Tx, key []byte) (*feedbackRecord, error) {
	data, err := tx.Get(bucketFeedback, key)
	if errors.Is(err, storage.ErrNotFound) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	return decodeFeedback(data)
}

// ageAt is how old the feedback is.
func (r *feedbackRecord) ageAt(now time.Time) feedbackAge {
	const day = 24 * time.Hour
	return feedbackAge(min(max(0, now.Sub(r.created)/day), time.Duration(feedbackOlder)))
}

// turns is when the feedback leaves its age, or goes.
func (r *feedbackRecord) turns() time.Time {
	if r.age >= feedbackOlder {
		return r.created.Add(FeedbackTime)
	}
	return r.created.Add(time.Duration(r.age+1) * 24 * time.Hour)
}

// endFeedback moves feedback on to its next age, which is how ages are counted
// without looking at all of it, and deletes it at the end of the last.
func (v *Vault) endFeedback(tx storage.Tx, key []byte, now time.Time) (time.Time, error) {
	r, err := getFeedback(tx, key)
	if errors.Is(err, ErrNotFound) {
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
		if err := tx.Put(bucketFeedback, key, r.encode()); err != nil {
			return time.Time{}, err
		}
	}
	return r.turns(), nil
}

// findSame returns the row of the same text, nil if there is none among the
// newest.
func (v *Vault) findSame(ctx context.Context, text feedbackText, now time.Time) (key []byte, err error) {
	var found []keptFeedback
	err = v.store.View(ctx, func(tx storage.Tx) (err error) {
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
		if kept, err := v.openFeedback(f); err == nil && kept == text {
			return f.key, nil
		}
	}
	return nil, nil
}
