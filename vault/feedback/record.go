package feedback

import (
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

func (r *Record) fields(c *rows.Codec) {
	c.Version(feedbackVersion)
	c.Time(&r.created)
	rows.Between(c, &r.age, feedbackToday, feedbackOlder)
	c.Sized(&r.sealed)
}

// encode encodes feedback.
func (r *Record) encode() []byte { return rows.Encode(14+len(r.sealed), r, (*Record).fields) }

func decodeFeedback(data []byte) (*Record, error) {
	r := new(Record)
	return r, rows.Decode(data, r, (*Record).fields)
}

// feedbackText is the part of a message that is sealed because people may write
// anything.
//
//	version 1 │ sender, message, time zone, client's version (each 4, text)
type feedbackText struct{ sender, message, zone, version string }

func (r *feedbackText) fields(c *rows.Codec) {
	c.Version(feedbackTextVersion)
	c.Text(&r.sender)
	c.Text(&r.message)
	c.Text(&r.zone)
	c.Text(&r.version)
}

func (r feedbackText) encode() []byte {
	return rows.Encode(17+len(r.sender)+len(r.message)+len(r.zone)+len(r.version), &r, (*feedbackText).fields)
}

func decodeFeedbackText(data []byte) (r feedbackText, err error) {
	err = rows.Decode(data, &r, (*feedbackText).fields)
	return r, err
}

// feedbackAges counts the feedback of today and of yesterday. The rest is
// older.
//
//	version 1 │ today 8 │ yesterday 8
type feedbackAges [feedbackOlder]int64

func (r *feedbackAges) fields(c *rows.Codec) {
	c.Version(feedbackAgesVersion)
	for i := range r {
		c.Int64(&r[i])
		c.Refuse(r[i] < 0)
	}
}

func (r feedbackAges) encode() []byte { return rows.Encode(17, &r, (*feedbackAges).fields) }

func decodeFeedbackAges(data []byte) (r feedbackAges, err error) {
	err = rows.Decode(data, &r, (*feedbackAges).fields)
	return r, err
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
