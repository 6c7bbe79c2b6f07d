package vault

import (
	"errors"
	"math"
	"time"

	"hush/storage"
)

const (
	feedbackVersion     = 1
	feedbackTextVersion = 1
	feedbackAgesVersion = 1

	// fieldFeedback is the label under which the text is sealed; the row is
	// its key.
	fieldFeedback = "feedback"
	// systemFeedbackAges is where feedbackAges are kept.
	systemFeedbackAges = "feedback ages"
)

// feedbackAge is how old feedback was when it was last looked at. The numbers
// are stored.
type feedbackAge byte

const (
	feedbackToday     feedbackAge = 0 // less than 24 hours
	feedbackYesterday feedbackAge = 1 // less than 48 hours
	feedbackOlder     feedbackAge = 2
)

// feedbackRecord is feedback as it is kept.
//
//	version 1 │ created 8 │ age 1 │ sealed text (4, bytes)
type feedbackRecord struct {
	created time.Time
	age     feedbackAge
	sealed  []byte // SealField fieldFeedback of a feedbackText
}

func (r *feedbackRecord) encode() []byte {
	w := make(writer, 0, 14+len(r.sealed))
	w.byte(feedbackVersion)
	w.time(r.created)
	w.byte(byte(r.age))
	w.sized(r.sealed)
	return w
}

func decodeFeedback(data []byte) (*feedbackRecord, error) {
	in := reader{rest: data}
	in.version(feedbackVersion)
	r := &feedbackRecord{created: in.time(), age: feedbackAge(in.byte()), sealed: in.sized()}
	in.bad = in.bad || r.age > feedbackOlder
	return r, in.end()
}

// feedbackText is what is sealed of feedback, for it may hold anything that
// somebody wanted to say.
//
//	version 1 │ sender, message, time zone, client's version (each 4, text)
type feedbackText struct{ sender, message, zone, version string }

func (r feedbackText) encode() []byte {
	w := make(writer, 0, 17+len(r.sender)+len(r.message)+len(r.zone)+len(r.version))
	w.byte(feedbackTextVersion)
	for _, text := range []string{r.sender, r.message, r.zone, r.version} {
		w.text(text)
	}
	return w
}

func decodeFeedbackText(data []byte) (feedbackText, error) {
	in := reader{rest: data}
	var r feedbackText
	in.version(feedbackTextVersion)
	for _, text := range []*string{&r.sender, &r.message, &r.zone, &r.version} {
		*text = in.text()
	}
	return r, in.end()
}

// feedbackAges counts the feedback of the two ages that end. What is older is
// the rest.
//
//	version 1 │ today 8 │ yesterday 8
type feedbackAges [feedbackOlder]int64

func (r feedbackAges) encode() []byte {
	w := make(writer, 0, 17)
	w.byte(feedbackAgesVersion)
	for _, n := range r {
		w.uint64(uint64(n))
	}
	return w
}

func decodeFeedbackAges(data []byte) (feedbackAges, error) {
	in := reader{rest: data}
	var r feedbackAges
	in.version(feedbackAgesVersion)
	for i := range r {
		n := in.uint64()
		in.bad = in.bad || n > math.MaxInt64
		r[i] = int64(n)
	}
	return r, in.end()
}

func getFeedbackAges(tx storage.Tx) (feedbackAges, error) {
	data, err := tx.Get(bucketSystem, []byte(systemFeedbackAges))
	if errors.Is(err, storage.ErrNotFound) {
		return feedbackAges{}, nil
	}
	if err != nil {
		return feedbackAges{}, err
	}
	return decodeFeedbackAges(data)
}

// countAge changes how much feedback of an age there is. None falls below
// zero.
func countAge(tx storage.Tx, age feedbackAge, by int64) error {
	if age >= feedbackOlder {
		return nil
	}
	r, err := getFeedbackAges(tx)
	if err != nil {
		return err
	}
	r[age] = max(0, r[age]+by)
	return tx.Put(bucketSystem, []byte(systemFeedbackAges), r.encode())
}
