package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"hush/storage"
)

const stmtNotify = "notify"

// errDeaf says that a session does not hear what it sends itself.
var errDeaf = errors.New("postgres: notifications do not arrive; a proxy in front of the server may have ended LISTEN or dropped them")

// listen opens a connection that listens on a channel and can notify. The server
// passes the checks of every connection.
func (c *connector) listen(ctx context.Context, channel string) (*conn, error) {
	return c.open(ctx, c.opts.answerTimeout(), func(ctx context.Context, pg *pgconn.PgConn) error {
		if err := c.admit(ctx, pg); err != nil {
			return err
		}
		if err := execute(ctx, pg, "LISTEN "+quoteIdentifier(channel)); err != nil {
			return err
		}
		_, err := pg.Prepare(ctx, stmtNotify, "SELECT pg_notify($1::text, $2::text)", nil)
		return err
	})
}

// listener is a connection that listens. One goroutine receives; another sends,
// one statement at a time.
//
// The server delivers a session's own notifications before it answers the
// statement that sent them. So each answer proves that the session still
// listens, and that nothing in between drops notifications.
type listener struct {
	*notices
	conn    *conn
	heard   *storage.TopicQueue
	answers chan answer
	ended   chan error // has the result of receive
}

// answer is the server's answer to one statement.
type answer struct {
	own int // notifications of this process that came before it
	err error
}

// serve sends what is queued until ctx ends or the connection breaks. It reports
// whether the connection heard anything.
func (l *listener) serve(ctx context.Context) (listened bool, err error) {
	if err := l.send(nil, nil, l.conn.timeout); err != nil {
		return false, err
	}
	l.heard.Lose(storage.ErrListening)
	ping := time.NewTicker(pingEvery)
	defer ping.Stop()
	for {
		limit, idle := l.conn.timeout, false
		select {
		case <-ctx.Done():
			limit = lastWords
		case err := <-l.ended:
			l.ended <- err
			return true, err
		case <-l.sending.Ready():
		case <-ping.C:
			idle = true
		}
		if err := l.sendQueued(limit, idle); err != nil {
			return true, err
		}
		select {
		case <-ctx.Done():
			return true, l.sendQueued(lastWords, false)
		case <-time.After(notifyGap):
		}
	}
}

// sendQueued sends what is queued, and a sign of life if that is nothing and the
// connection is idle. After an error the topics are queued again.
func (l *listener) sendQueued(limit time.Duration, idle bool) error {
	topics, lost := l.sending.Take()
	if len(topics) == 0 && lost == nil && !idle {
		return nil
	}
	err := l.send(topics, lost, limit)
	if err != nil {
		l.sending.Add(topics...)
		if lost != nil {
			l.sending.Lose(lost)
		}
	}
	return err
}

// send notifies others of topics, or that topics were lost, and waits until it
// has heard that itself.
func (l *listener) send(topics []storage.Topic, lost error, limit time.Duration) error {
	all := payloads(l.self, topics, lost != nil)
	for _, p := range all {
		l.conn.queue(stmtNotify, []byte(l.channel), []byte(p))
	}
	l.conn.sync()
	if err := l.conn.net.SetWriteDeadline(time.Now().Add(limit)); err != nil {
		return err
	}
	if err := l.conn.front.Flush(); err != nil {
		return err
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case a := <-l.answers:
		if a.err == nil && a.own < len(all) {
			return errDeaf
		}
		return a.err
	case err := <-l.ended:
		l.ended <- err
		return err
	case <-timer.C:
		return fmt.Errorf("postgres: no answer to a notification within %v", limit)
	}
}

// receive takes what the server sends until the connection ends.
func (l *listener) receive() error {
	var a answer
	for {
		if err := l.conn.net.SetReadDeadline(time.Now().Add(pingEvery + l.conn.timeout)); err != nil {
			return err
		}
		msg, err := l.conn.front.Receive()
		if err != nil {
			return errors.Join(a.err, err)
		}
		switch msg := msg.(type) {
		case *pgproto3.NotificationResponse:
			if l.take(msg) {
				a.own++
			}
		case *pgproto3.ErrorResponse:
			reported := pgconn.ErrorResponseToPgError(msg)
			a.err = &serverError{code: reported.Code, message: reported.Message}
		case *pgproto3.ReadyForQuery:
			select {
			case l.answers <- a:
			default: // no exchange waits for it
			}
			a = answer{}
		}
	}
}

// take hands on a notification, and reports whether it is this process's own.
// Others may use the channel, so what is not understood is ignored.
func (l *listener) take(msg *pgproto3.NotificationResponse) (own bool) {
	if msg.Channel != l.channel {
		return false
	}
	from, topics, lost, ok := readPayload(msg.Payload)
	switch {
	case !ok:
	case from == l.self:
		return true
	case lost:
		l.heard.Lose(storage.ErrOverflow)
	default:
		l.heard.Add(topics...)
	}
	return false
}
