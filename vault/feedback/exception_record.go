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

func (r *ExceptionRecord) fields(c *rows.Codec) {
	c.Version(exceptionVersion)
	c.Time(&r.created)
	c.Sized(&r.sealed)
}

// encode encodes an exception.
func (r *ExceptionRecord) encode() []byte {
	return rows.Encode(13+len(r.sealed), r, (*ExceptionRecord).fields)
}

func decodeException(data []byte) (*ExceptionRecord, error) {
	r := new(ExceptionRecord)
	return r, rows.Decode(data, r, (*ExceptionRecord).fields)
}

// reportFields carries the part of a report that is sealed because it may
// contain anything from a page. The time is in the record.
//
//	version 1 │ line 4 │ column 4
//	│ id, message, type, stack, url, user agent, environment, release, user (each 4, text)
func (e *Exception) reportFields(c *rows.Codec) {
	c.Version(exceptionTextVersion)
	for _, n := range []*int{&e.Line, &e.Column} {
		signed := uint32(int32(*n))
		c.Uint32(&signed)
		*n = int(int32(signed))
	}
	c.Text(&e.ID)
	c.Text(&e.Message)
	c.Text(&e.Type)
	c.Text(&e.Stack)
	c.Text(&e.URL)
	c.Text(&e.UserAgent)
	c.Text(&e.Environment)
	c.Text(&e.Release)
	c.Text(&e.User)
}

func encodeReport(e *Exception) []byte {
	return rows.Encode(256+len(e.Message)+len(e.Stack)+len(e.URL), e, (*Exception).reportFields)
}

func decodeReport(data []byte) (e Exception, err error) {
	err = rows.Decode(data, &e, (*Exception).reportFields)
	return e, err
}

func getException(tx *rows.Tx, key []byte) (*ExceptionRecord, error) {
	return rows.Load(tx, BucketException, key, decodeException)
}
