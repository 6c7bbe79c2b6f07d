package feedback

import (
	"fmt"
	"sort"
	"time"

	"hush/vault/rows"
)

// Feedback is a stored message.
type Feedback struct {
	// Message has been scrubbed, with time zone and version appended.
	Message string
	// Sender is the id of an account, or a masked network.
	Sender  string
	Created time.Time
}

// keptFeedback is stored feedback that is still sealed.
type keptFeedback struct {
	key    []byte
	record *Record
}

// rangeFeedback reads rows between two keys, up to most of them, newest first.
// It skips rows that cannot be read: the sweeper reports them when they are due.
func rangeFeedback(tx *rows.Tx, from, to []byte, most int) (found []keptFeedback, err error) {
	err = tx.Range(BucketFeedback, from, to, func(key, value []byte) error {
		if len(found) == most {
			return rows.ErrEnough
		}
		if r, err := decodeFeedback(append([]byte(nil), value...)); err == nil {
			found = append(found, keptFeedback{append([]byte(nil), key...), r})
		}
		return nil
	})
	return found, rows.IgnoreEnough(err)
}

// feedbackBefore returns the first key of the feedback received at or before a
// time. It uses a binary search.
func feedbackBefore(tx *rows.Tx, at time.Time) ([]byte, error) {
	newest, err := newestInRing(tx, BucketFeedback)
	if err != nil {
		return nil, err
	}
	steps := sort.Search(int(min(newest, ringSize)), func(back int) bool {
		found, rangeErr := rangeFeedback(tx, ringKey(newest-uint64(back)), nil, 1)
		if rangeErr != nil {
			err = rangeErr
		}
		return len(found) == 0 || !found[0].record.created.After(at)
	})
	return ringKey(newest - uint64(steps)), err
}

// openFeedback opens the text of a row.
func (ib *Inbox) openFeedback(f keptFeedback) (feedbackText, error) {
	plain, err := ib.keys.OpenField(fieldFeedback, f.key, f.record.sealed)
	if err != nil {
		return feedbackText{}, fmt.Errorf("opening feedback: %w", err)
	}
	return decodeFeedbackText(plain)
}

// Show opens a list. It logs and leaves out what does not open: the rest is
// still worth showing.
func (ib *Inbox) Show(found []keptFeedback) []Feedback {
	var list []Feedback
	for _, f := range found {
		text, err := ib.openFeedback(f)
		if err != nil {
			ib.log.Error("feedback does not open", "cause", err)
			continue
		}
		list = append(list, Feedback{Message: text.shown(), Sender: text.sender, Created: f.record.created})
	}
	return list
}

// shown returns the message with time zone and version.
func (r feedbackText) shown() string {
	shown := r.message
	if r.zone != "" {
		shown += " [TZ: " + r.zone + "]"
	}
	if r.version != "" {
		shown += " [v" + r.version + "]"
	}
	return shown
}
