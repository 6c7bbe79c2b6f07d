package postgres

import "time"

// Options are the optional settings of a Store. The zero value is usable.
type Options struct {
	// Schema is the schema in which the tables lie; "hush" if empty.
	Schema string
	// ApplicationName shows in the server's list of connections; "hush" if
	// empty.
	ApplicationName string
	// OwnTables names buckets that get a table of their own, record_ and the name,
	// so that a logical backup can leave their rows out. The names consist of
	// small letters, digits and underscores. All nodes must name the same; a
	// bucket that is named once stays apart.
	OwnTables []string
	// Existing leaves the database as it is: Open returns ErrNoStore instead of
	// creating a store, or bringing one of an older version up to date.
	Existing bool
	// ReadOnly refuses updates, and gives no bucket a number: one without a number has
	// no rows.
	ReadOnly bool
	// MaxConns bounds the connections that the store has open; 16 if zero, and
	// at least 4. The one that listens for notifications is not counted.
	MaxConns int
	// ConnectTimeout bounds one attempt to connect; 5 seconds if zero.
	ConnectTimeout time.Duration
	// StatementTimeout bounds each statement; 10 seconds if zero.
	StatementTimeout time.Duration
	// LockTimeout bounds each wait for a lock; 5 seconds if zero.
	LockTimeout time.Duration
	// Patience is how long an operation is tried again while the database
	// cannot be reached, how long an update then waits for those before it, and
	// how long the outcome of a commit is asked for; 15 seconds if zero.
	Patience time.Duration
	// Wait is how long Open tries again while the database cannot be reached, if
	// that is longer than Patience.
	Wait time.Duration
	// Waiting, unless nil, is called once by Open when the first attempt failed
	// and it tries again.
	Waiting func(cause error)
	// Warn, unless nil, is called by Open for each limit on connections that is lower
	// than what the store needs for itself.
	Warn func(text string, allowed, needed int)
}

const minConns = 4

func (o Options) withDefaults() Options {
	set(&o.Schema, "hush")
	set(&o.ApplicationName, "hush")
	set(&o.MaxConns, 16)
	o.MaxConns = max(o.MaxConns, minConns)
	set(&o.ConnectTimeout, 5*time.Second)
	set(&o.StatementTimeout, 10*time.Second)
	set(&o.LockTimeout, 5*time.Second)
	set(&o.Patience, 15*time.Second)
	return o
}

// answerTimeout is how long the server may take for one exchange. It gives up by
// itself before that, unless it is gone.
func (o Options) answerTimeout() time.Duration {
	return o.StatementTimeout + o.LockTimeout + 5*time.Second
}

func set[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}
