package vault

import (
	"fmt"
	"sort"
	"time"

	"hush/storage"
)

// keptFeedback is feedback as it was found, before it is opened.
type keptFeedback struct {
	key    []byte
	record *feedbackRecord
}

// rangeFeedback reads at most so many rows from a key up to another, newest
// first. What cannot be read is passed over: the sweeper reports it when it is
// due.
func rangeFeedback(tx storage.Tx, from, to []byte, most int) (found []keptFeedback, err error) {
	err = tx.Range(bucketFeedback, from, to, func(key, value []byte) error {
		if len(found) == most {
			return errEnough
		}
		if r, err := decodeFeedback(append([]byte(nil), value...)); err == nil {
			found = append(found, keptFeedback{append([]byte(nil), key...), r})
		}
		return nil
	})
	return found, ignoreEnough(err)
}

// feedbackBefore returns the key from which on there is only what came at or
// before a time. It halves the ring instead of walking through it.
func feedbackBefore(tx storage.Tx, at time.Time) ([]byte, error) {
	newest, err := newestInRing(tx, bucketFeedback)
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

// openFeedback returns what is sealed in a row.
func (v *Vault) openFeedback(f keptFeedback) (feedbackText, error) {
	plain, err := v.keys.OpenField(fieldFeedback, f.key, f.record.sealed)
	if err != nil {
		return feedbackText{}, fmt.Errorf("opening feedback: %w", err)
	}
	return decodeFeedbackText(plain)
}

// showFeedback opens a list. What does not open is left out and logged: the
// rest is still worth showing.
func (v *Vault) showFeedback(found []keptFeedback) []Feedback {
	var list []Feedback
	for _, f := range found {
		text, err := v.openFeedback(f)
		if err != nil {
			v.log.Error("feedback does not open", "cause", err)
			continue
		}
		list = append(list, Feedback{Message: text.shown(), Sender: text.sender, Created: f.record.created})
	}
	return list
}

// shown is the message with what else was told.
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
