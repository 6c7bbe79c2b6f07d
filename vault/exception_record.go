package vault

import (
	"errors"
	"time"

	"hush/storage"
)

const (
	exceptionVersion     = 1
	exceptionTextVersion = 1

	// fieldException is the label under which the report is sealed; the row is
	// its key.
	fieldException = "exception"
)

// exceptionRecord is a browser's report as it is kept.
//
//	version 1 │ created 8 │ sealed report (4, bytes)
type exceptionRecord struct {
	created time.Time
	sealed  []byte // SealField fieldException of encodeReport
}

func (r *exceptionRecord) encode() []byte {
	w := make(writer, 0, 13+len(r.sealed))
	w.byte(exceptionVersion)
	w.time(r.created)
	w.sized(r.sealed)
	return w
}

func decodeException(data []byte) (*exceptionRecord, error) {
	in := reader{rest: data}
	in.version(exceptionVersion)
	r := &exceptionRecord{created: in.time(), sealed: in.sized()}
	return r, in.end()
}

// encodeReport writes what is sealed of a report, for it may hold anything
// that a page showed. The time stands in the record.
//
//	version 1 │ line 4 │ column 4
//	│ id, message, type, stack, url, user agent, environment, release, user (each 4, text)
func encodeReport(e *Exception) []byte {
	w := make(writer, 0, 256+len(e.Message)+len(e.Stack)+len(e.URL))
	w.byte(exceptionTextVersion)
	w.uint32(uint32(int32(e.Line)))
	w.uint32(uint32(int32(e.Column)))
	for _, text := range e.texts() {
		w.text(*text)
	}
	return w
}

func decodeReport(data []byte) (Exception, error) {
	in := reader{rest: data}
	var e Exception
	in.version(exceptionTextVersion)
	e.Line, e.Column = int(int32(in.uint32())), int(int32(in.uint32()))
	for _, text := range e.texts() {
		*text = in.text()
	}
	return e, in.end()
}

// texts are the texts of a report in the order in which they are stored.
func (e *Exception) texts() []*string {
	return []*string{
		&e.ID, &e.Message, &e.Type, &e.Stack, &e.URL, &e.UserAgent, &e.Environment, &e.Release, &e.User,
	}
}

func getException(tx storage.Tx, key []byte) (*exceptionRecord, error) {
	data, err := tx.Get(bucketException, key)
	if errors.Is(err, storage.ErrNotFound) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	return decodeException(data)
}
