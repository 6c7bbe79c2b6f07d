package feedback

import (
	"time"

	"hush/vault/rows"
)

const (
	// IndexFeedback is the maximum number of messages of each age that a
	// colonel sees.
	IndexFeedback = 100

	indexFeedbackTime = 14 * 24 * time.Hour
)

// KeptByAge is the feedback of today, of yesterday and older.
type KeptByAge [3][]keptFeedback

// ByAge returns the newest feedback of today, yesterday and older.
func ByAge(tx *rows.Tx, now time.Time) (ages KeptByAge, err error) {
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

// Ages returns the number of messages of today and of yesterday.
func Ages(tx *rows.Tx) (today, yesterday int64, err error) {
	ages, err := getFeedbackAges(tx)
	return ages[feedbackToday], ages[feedbackYesterday], err
}
