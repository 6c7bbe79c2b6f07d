package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"hush/storage"
)

// The errors of this package, beside those of package storage.
var (
	// ErrUnavailable: the database did not serve the operation within
	// Options.Patience. The operation was not applied; it may be tried again.
	ErrUnavailable = fmt.Errorf("%w: the database does not serve", storage.ErrUnavailable)
	// ErrRefused: the server does not keep the promises that Hush makes. The
	// error says which, and what to do.
	ErrRefused = errors.New("postgres: server refused")
	// ErrNewerSchema: a newer version of Hush has changed the schema, so that
	// this one must not use it.
	ErrNewerSchema = errors.New("postgres: the schema belongs to a newer version of hush")
	// ErrNoStore: the schema is missing or not up to date; see Options.Existing.
	ErrNoStore = errors.New("postgres: the database holds no store of this version of hush")

	errReadOnly    = errors.New("postgres: write in a read-only transaction")
	errTxDone      = errors.New("postgres: transaction is over")
	errRanging     = errors.New("postgres: write to a bucket while ranging over it")
	errBadKey      = errors.New("postgres: key is not 1 to 1024 bytes long")
	errBadBucket   = errors.New("postgres: invalid bucket name")
	errUnconfirmed = errors.New("postgres: the server did not wait for its standbys")
	errMoved       = errors.New("postgres: a standby took the place of the database")
	errChanged     = errors.New("postgres: the server or its schema is not what it was when the connection was opened")
	errForgotten   = errors.New("postgres: the row that shows whether the commit was made was removed, a week after it")
	errIdle        = errors.New("postgres: nothing was read of the snapshot for too long, and others needed its connection")
	errCrowded     = errors.New("postgres: as many views as may be open are, and none ended in time")
	errNoPrivilege = errors.New("postgres: the privilege is missing")
	errProtocol    = errors.New("postgres: unexpected answer from the server")
)

// The conditions that are recognised, by SQLSTATE.
const (
	stateSerialization    = "40001"
	stateDeadlock         = "40P01"
	stateDiskFull         = "53100"
	stateLockTimeout      = "55P03"
	stateQueryCanceled    = "57014"
	stateCannotConnectNow = "57P03"
	stateIdleInTx         = "25P03"
	statePrivilege        = "42501"
	stateNoSchema         = "3F000"
	stateReadOnly         = "25006"
)

// serverError is an error that the server reported. It leaves out the detail,
// the context and the query of the report, which may hold values.
type serverError struct {
	code    string
	message string
	fatal   bool
}

func (e *serverError) Error() string {
	return fmt.Sprintf("postgres: %s (SQLSTATE %s)", e.message, e.code)
}

// brokenError says that the connection is lost: whether the server has done
// what it was asked is not known.
type brokenError struct{ cause error }

func (e *brokenError) Error() string { return "postgres: connection lost: " + e.cause.Error() }
func (e *brokenError) Unwrap() error { return e.cause }

func isBroken(err error) bool {
	_, broken := errors.AsType[*brokenError](err)
	return broken
}

// stateOf returns the SQLSTATE of err, or "".
func stateOf(err error) string {
	if ours, ok := errors.AsType[*serverError](err); ok {
		return ours.code
	}
	if theirs, ok := errors.AsType[*pgconn.PgError](err); ok {
		return theirs.Code
	}
	return ""
}

// isConflict reports whether the transaction has to run again from its start.
func isConflict(err error) bool {
	state := stateOf(err)
	return state == stateSerialization || state == stateDeadlock
}

// isPassing reports whether err may go away by itself: no connection, no
// resources, an operator who stops the server, a lock that was not granted, a
// database that may not be written, as some services do when its disk fills up.
func isPassing(err error) bool {
	switch state := stateOf(err); {
	case state == stateDiskFull:
		return false
	case isConflict(err), state == stateLockTimeout, state == stateQueryCanceled, state == stateIdleInTx,
		state == stateReadOnly:
		return true
	case strings.HasPrefix(state, "08"), strings.HasPrefix(state, "53"), strings.HasPrefix(state, "57"):
		return true
	case state != "":
		return false
	}
	return isBroken(err) || errors.Is(err, ErrRefused)
}

// isRepeatable reports whether an operation may succeed that runs again from its
// start.
func isRepeatable(err error) bool {
	return isPassing(err) || errors.Is(err, errMoved) || errors.Is(err, errChanged) ||
		errors.Is(err, errIdle) || errors.Is(err, errCrowded)
}

// outward returns err as callers may see it.
func outward(err error) error {
	switch {
	case err == nil, errors.Is(err, storage.ErrClosed), errors.Is(err, storage.ErrUnknownOutcome), errors.Is(err, ErrUnavailable):
		return err
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded) && !isBroken(err):
		return err
	case stateOf(err) == stateDiskFull:
		return fmt.Errorf("%w: %w", storage.ErrFull, err)
	case isRepeatable(err):
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return err
}
