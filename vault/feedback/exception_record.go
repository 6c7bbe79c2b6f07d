package feedback

import (
	"time"

	"hush/vault/rows"
)

// Exception is a browser's report of an error in a page.
type Exception struct {
	// ID is 31 characters 0-9 and a-z that open nothing. The vault sets it.
	ID string
	// Message is the thrown message, 1 to ExceptionLength characters. Type is
	// its type, up to 400 bytes, and Stack its stack, up to
	// ExceptionStackLength characters.
	Message, Type, Stack string
	// URL is the page, up to 2,048 bytes. Only scheme, host and path are
	// stored.
	URL string
	// UserAgent is the browser, up to 400 bytes. Environment and Release are
	// the client's, up to 200 bytes each.
	UserAgent, Environment, Release string
	// User is the id of an account, or a masked network. The vault sets it.
	User string
	// Line and Column are where it was thrown, signed 32-bit numbers.
	Line, Column int
	// Created is when it was received. The vault sets it.
	Created time.Time
}

// The sizes of a page of exceptions.
const (
	ExceptionsDefault = 50
	ExceptionsMost    = 500
)

// BucketException has ^sequence number (8) -> ExceptionRecord.
const BucketException = "exception"

const (
	exceptionVersion     = 1
	exceptionTextVersion = 1

	// fieldException is the label of the sealed report; the row is its key.
	fieldException = "exception"
)

// ExceptionRecord is a stored report.
//
//	version 1 │ created 8 │ sealed report (4, bytes)
type ExceptionRecord struct {
	created time.Time
	sealed  []byte // SealField fieldException of encodeReport
}

// encode encodes an exception.
func (r *ExceptionRecord) encode() []byte {
	w := make(rows.Writer, 0, 13+len(r.sealed))
	w.Byte(exceptionVersion)
	w.Time(r.created)
	w.Sized(r.sealed)
	return w
}

func decodeException(data []byte) (*ExceptionRecord, error) {
	in := rows.NewReader(data)
	in.Version(exceptionVersion)
	r := &ExceptionRecord{created: in.Time(), sealed: in.Sized()}
	return r, in.End()
}

// encodeReport encodes the part of a report that is sealed because it may
// contain anything from a page. The time is in the record.
//
//	version 1 │ line 4 │ column 4
//	│ id, message, type, stack, url, user agent, environment, release, user (each 4, text)
func encodeReport(e *Exception) []byte {
	w := make(rows.Writer, 0, 256+len(e.Message)+len(e.Stack)+len(e.URL))
	w.Byte(exceptionTextVersion)
	w.Uint32(uint32(int32(e.Line)))
	w.Uint32(uint32(int32(e.Column)))
	for _, text := range e.texts() {
		w.Text(*text)
	}
	return w
}

func decodeReport(data []byte) (Exception, error) {
	in := rows.NewReader(data)
	var e Exception
	in.Version(exceptionTextVersion)
	e.Line, e.Column = int(int32(in.Uint32())), int(int32(in.Uint32()))
	for _, text := range e.texts() {
		*text = in.Text()
	}
	return e, in.End()
}

// texts returns the texts of a report in the order in which they are stored.
func (e *Exception) texts() []*string {
	return []*string{
		&e.ID, &e.Message, &e.Type, &e.Stack, &e.URL, &e.UserAgent, &e.Environment, &e.Release, &e.User,
	}
}

func getException(tx *rows.Tx, key []byte) (*ExceptionRecord, error) {
	return rows.Load(tx, BucketException, key, decodeException)
}
