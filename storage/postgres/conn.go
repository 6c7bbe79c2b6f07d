package postgres

import (
	"errors"
	"net"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// conn is one connection with its prepared statements. Parameters and results
// are binary. It is used by one goroutine at a time.
type conn struct {
	net     net.Conn
	front   *pgproto3.Frontend
	timeout time.Duration // of one exchange

	owed    int  // answers that no caller waited for, before those of the next
	awaited int  // all answers that were not read yet
	warned  bool // the server warned during the last exchange
	broken  bool
	dropped uint64 // pool.drops when it was opened

	timeline string // of the database; see timelineOf
}

// binary1 says that all parameters, or all results, are binary.
var binary1 = []int16{1}

// queue adds one execution of a prepared statement to what flush sends.
func (c *conn) queue(statement string, params ...[]byte) {
	c.front.SendBind(&pgproto3.Bind{
		PreparedStatement: statement, Parameters: params,
		ParameterFormatCodes: binary1, ResultFormatCodes: binary1,
	})
	c.front.SendExecute(&pgproto3.Execute{})
}

// sync ends what was queued; the server answers it as a whole, and commits it
// unless a transaction was begun.
func (c *conn) sync() {
	c.front.SendSync(&pgproto3.Sync{})
	c.awaited++
}

// flush sends what was queued. The answers follow with receive, one a sync.
func (c *conn) flush() error {
	if c.broken {
		return c.lost(net.ErrClosed)
	}
	if err := c.net.SetDeadline(time.Now().Add(c.timeout)); err != nil {
		return c.lost(err)
	}
	if err := c.front.Flush(); err != nil {
		return c.lost(err)
	}
	return nil
}

// row takes a row of the statement with that index since the last sync. The
// slices are valid until it returns.
type row func(statement int, columns [][]byte) error

// receive reads the answer up to the next sync. It returns the first error that
// the server reported, or a brokenError. each may be nil.
func (c *conn) receive(each row) error {
	for ; c.owed > 0; c.owed-- {
		if err := c.receiveOne(nil); isBroken(err) {
			return err
		}
	}
	c.warned = false
	return c.receiveOne(each)
}

func (c *conn) receiveOne(each row) error {
	var failed error
	statement := 0
	for {
		msg, err := c.front.Receive()
		if err != nil {
			// What the server said before it hung up tells more than the end of
			// the stream.
			return c.lost(errors.Join(failed, err))
		}
		switch msg := msg.(type) {
		case *pgproto3.DataRow:
			if each != nil && failed == nil {
				failed = each(statement, msg.Values)
			}
		case *pgproto3.CommandComplete, *pgproto3.EmptyQueryResponse:
			statement++
		case *pgproto3.ErrorResponse:
			reported := pgconn.ErrorResponseToPgError(msg)
			fatal := reported.SeverityUnlocalized == "FATAL" || reported.SeverityUnlocalized == "PANIC"
			err := &serverError{code: reported.Code, message: reported.Message, fatal: fatal}
			if fatal {
				return c.lost(err)
			}
			if failed == nil {
				failed = err
			}
		case *pgproto3.NoticeResponse:
			c.warned = c.warned || msg.SeverityUnlocalized == "WARNING"
		case *pgproto3.ReadyForQuery:
			c.awaited--
			return failed
		}
	}
}

// exchange sends what was queued and reads its answer.
func (c *conn) exchange(each row) error {
	c.sync()
	if err := c.flush(); err != nil {
		return err
	}
	return c.receive(each)
}

// leave sends what was queued without waiting for the answer, which the next
// receive skips.
func (c *conn) leave() {
	c.sync()
	if c.flush() == nil {
		c.owed++
	}
}

func (c *conn) lost(cause error) error {
	if !c.broken {
		c.broken = true
		_ = c.net.Close()
	}
	return &brokenError{cause}
}

// changed ends a connection on which a statement would not have been kept: the next one is
// refused with the reason, unless it has passed.
func (c *conn) changed() error { return c.lost(errChanged) }

// close says goodbye. Nothing that it could report matters.
func (c *conn) close() {
	if c.broken {
		return
	}
	c.broken = true
	_ = c.net.SetDeadline(time.Now().Add(time.Second))
	c.front.Send(&pgproto3.Terminate{})
	_ = c.front.Flush()
	_ = c.net.Close()
}
