package feedback

import (
	"math"
	"time"

	"hush/storage"
	"hush/vault/rows"
)

// BucketFeedback has ^sequence number (8) -> Record.
const BucketFeedback = "feedback"

const (
	feedbackVersion     = 1
	feedbackTextVersion = 1
	feedbackAgesVersion = 1

	// fieldFeedback is the label of the sealed text; the row is its key.
	fieldFeedback = "feedback"
	// systemFeedbackAges is the name of the stored feedbackAges.
	systemFeedbackAges = "feedback ages"
)

// feedbackAge is the age of feedback when it was last checked. The numbers are
// stored.
type feedbackAge byte

// The ages of feedback. Their numbers are stored.
const (
	feedbackToday     feedbackAge = 0 // less than 24 hours
	feedbackYesterday feedbackAge = 1 // less than 48 hours
	feedbackOlder     feedbackAge = 2
)

// Record is a stored message.
//
//	version 1 │ created 8 │ age 1 │ sealed text (4, bytes)
type Record struct {
	created time.Time
	age     feedbackAge
	sealed  []byte // SealField fieldFeedback of a feedbackText
}

// encode encodes feedback.
func (r *Record) encode() []byte {
	w := make(rows.Writer, 0, 14+len(r.sealed))
	w.Byte(feedbackVersion)
	w.Time(r.created)
	w.Byte(byte(r.age))
	w.Sized(r.sealed)
	return w
}

func decodeFeedback(data []byte) (*Record, error) {
	in := rows.NewReader(data)
	in.Version(feedbackVersion)
	r := &Record{created: in.Time(), age: feedbackAge(in.Byte()), sealed: in.Sized()}
	in.Refuse(r.age > feedbackOlder)
	return r, in.End()
}

// feedbackText is the part of a message that is sealed because people may write
// anything.
//
//	version 1 │ sender, message, time zone, client's version (each 4, text)
type feedbackText struct{ sender, message, zone, version string }

func (r feedbackText) encode() []byte {
	w := make(rows.Writer, 0, 17+len(r.sender)+len(r.message)+len(r.zone)+len(r.version))
	w.Byte(feedbackTextVersion)
	for _, text := range []string{r.sender, r.message, r.zone, r.version} {
		w.Text(text)
	}
	return w
}

func decodeFeedbackText(data []byte) (feedbackText, error) {
	in := rows.NewReader(data)
	var r feedbackText
	in.Version(feedbackTextVersion)
	for _, text := range []*string{&r.sender, &r.message, &r.zone, &r.version} {
		*text = in.Text()
	}
	return r, in.End()
}

// feedbackAges counts the feedback of today and of yesterday. The rest is
// older.
//
//	version 1 │ today 8 │ yesterday 8
type feedbackAges [feedbackOlder]int64

func (r feedbackAges) encode() []byte {
	w := make(rows.Writer, 0, 17)
	w.Byte(feedbackAgesVersion)
	for _, n := range r {
		w.Uint64(uint64(n))
	}
	return w
}

func decodeFeedbackAges(data []byte) (feedbackAges, error) {
	in := rows.NewReader(data)
	var r feedbackAges
	in.Version(feedbackAgesVersion)
	for i := range r {
		n := in.Uint64()
		in.Refuse(n > math.MaxInt64)
		r[i] = int64(n)
	}
	return r, in.End()
}

func getFeedbackAges(tx storage.Tx) (feedbackAges, error) {
	return rows.LoadSystemOr(tx, systemFeedbackAges, decodeFeedbackAges, feedbackAges{})
}

// countAge changes the count of an age. It never falls below zero.
func countAge(tx *rows.Tx, age feedbackAge, by int64) error {
	if age >= feedbackOlder {
		return nil
	}
	r, err := getFeedbackAges(tx)
	if err != nil {
		return err
	}
	r[age] = max(0, r[age]+by)
	return rows.PutSystem(tx, systemFeedbackAges, r.encode())
}
