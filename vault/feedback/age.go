package feedback

import (
	"time"

	"hush/storage"
)

const (
	// IndexFeedback is the most feedback of each age that a colonel is shown.
	IndexFeedback = 100

	indexFeedbackTime = 14 * 24 * time.Hour
)

// KeptByAge is the feedback of today, of yesterday and from before.
type KeptByAge [3][]keptFeedback

// ByAge reads the newest feedback of today, yesterday and before.
func ByAge(tx storage.Tx, now time.Time) (ages KeptByAge, err error) {
	const day = 24 * time.Hour
	var from []byte
	for i, age := range [...]time.Duration{day, 2 * day, indexFeedbackTime} {
		to, err := feedbackBefore(tx, now.Add(-age))
		if err != nil {
			return ages, err
		}
		if ages[i], err = rangeFeedback(tx, from, to, IndexFeedback); err != nil {
			return ages, err
		}
		from = to
	}
	return ages, nil
}

// Ages returns how much feedback is of today and of yesterday.
func Ages(tx storage.Tx) (today, yesterday int64, err error) {
	ages, err := getFeedbackAges(tx)
	return ages[FeedbackToday], ages[feedbackYesterday], err
}
