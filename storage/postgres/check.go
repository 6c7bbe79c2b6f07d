package postgres

import (
	"context"
	"crypto/rand"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

const oldestServer = 140000

// facts are what a server says of itself.
type facts struct {
	version    int
	replica    bool
	fsync      string
	fullPages  string
	syncCommit string
	standbys   string
	readOnly   string
	pid        uint32
	hasSchema  bool // the version table is there
	timeline   string
}

const factsQuery = `SELECT current_setting('server_version_num'), pg_is_in_recovery(), current_setting('fsync'),
	current_setting('full_page_writes'), current_setting('synchronous_commit'),
	current_setting('synchronous_standby_names'), current_setting('default_transaction_read_only'),
	pg_backend_pid(), to_regclass('version') IS NOT NULL,
	CASE WHEN pg_is_in_recovery() THEN '' ELSE ` + currentTimeline + ` END`

// timelineOf is the key of the timeline in the data of a connection; see
// currentTimeline.
const timelineOf = "timeline"

// setUp sets the session up and checks the server. A proxy may have handed out a
// session that another client left as it was. The session gets a synchronous_commit
// of its own, which a reload of the server's settings does not change.
func (c *connector) setUp(ctx context.Context, pg *pgconn.PgConn) (facts, error) {
	if err := execute(ctx, pg, "DISCARD ALL"); err != nil {
		return facts{}, err
	}
	results, err := pg.Exec(ctx, c.settings()+factsQuery+
		"; SELECT set_config('synchronous_commit', "+durableCommit+", false)").ReadAll()
	if err != nil {
		return facts{}, err
	}
	var f facts
	last := results[len(results)-2]
	if len(last.Rows) != 1 || len(last.Rows[0]) != 10 {
		return facts{}, errProtocol
	}
	text := func(column int) string { return string(last.Rows[0][column]) }
	f.version, _ = strconv.Atoi(text(0))
	f.replica = text(1) == "t"
	f.fsync, f.fullPages, f.syncCommit, f.standbys, f.readOnly = text(2), text(3), text(4), text(5), text(6)
	pid, _ := strconv.ParseUint(text(7), 10, 32)
	f.pid = uint32(pid)
	f.hasSchema, f.timeline = text(8) == "t", text(9)
	pg.CustomData()[timelineOf] = f.timeline
	return f, f.check()
}

func refuse(what, do string) error { return fmt.Errorf("%w: %s; %s", ErrRefused, what, do) }

// check refuses servers that lose what they have confirmed, or cannot confirm
// anything.
func (f facts) check() error {
	switch {
	case f.version < oldestServer:
		return refuse("it is older than PostgreSQL 14", "upgrade it")
	case f.replica:
		return refuse("it is a replica", "connect to the primary, or name all servers and add target_session_attrs=primary")
	case f.readOnly == "on":
		return refuse("default_transaction_read_only is on", "connect to a database that may be written")
	case f.fsync != "on":
		return refuse("fsync is off", "turn it on, and run sync on its machine; a crash would bring revealed secrets back")
	case f.fullPages != "on":
		return refuse("full_page_writes is off", "turn it on; a crash could damage the database")
	}
	return nil
}

// checkCommit refuses a server whose configuration would lose what it has
// confirmed. Sessions of Hush do not follow it (see setUp), so only Open asks: one
// who sets it means the database of Hush too, and has to be told.
func (f facts) checkCommit() error {
	switch {
	case f.syncCommit == "off":
		return refuse("synchronous_commit is off", "turn it on for this user and database; a crash would bring revealed secrets back")
	case f.syncCommit == "local" && f.standbys != "":
		return refuse("synchronous_commit is local although synchronous_standby_names is set",
			"set it to on; a failover would bring revealed secrets back")
	}
	return nil
}

// probes is how many transactions have to find the session as it was left.
const probes = 3

// checkSession refuses a proxy that gives each transaction another session of
// the server, where prepared statements, settings and locks are not kept. A
// value is left in the session and looked for in later transactions. A proxy
// with one idle server connection passes this by luck; checkPair catches that.
func checkSession(ctx context.Context, pg *pgconn.PgConn) error {
	mark, err := leaveMark(ctx, pg)
	if err != nil {
		return err
	}
	for range probes {
		if err := findMark(ctx, pg, mark); err != nil {
			return err
		}
	}
	return nil
}

// checkPair leaves marks over two connections at the same time and looks for
// them in uneven turns. A proxy that pools transactions either serves both from
// one session, where the second mark replaces the first, or moves one of them to
// another session. What passes is a proxy that has as many sessions as clients
// and always gives a client the same one; it keeps sessions until its load
// changes, and then checkSession refuses the connections that are opened.
func (c *connector) checkPair(ctx context.Context) error {
	limit := c.opts.answerTimeout()
	return c.bare(ctx, limit, func(ctx context.Context, first *pgconn.PgConn) error {
		return c.bare(ctx, limit, func(ctx context.Context, second *pgconn.PgConn) error {
			pair := [2]*pgconn.PgConn{first, second}
			var marks [2]mark
			for i, pg := range pair {
				var err error
				if marks[i], err = leaveMark(ctx, pg); err != nil {
					return err
				}
			}
			for _, i := range [...]int{1, 0, 0, 1, 1, 1, 0} {
				if err := findMark(ctx, pair[i], marks[i]); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// bare runs fn on a connection of its own that is closed afterwards.
func (c *connector) bare(ctx context.Context, limit time.Duration, fn func(context.Context, *pgconn.PgConn) error) error {
	conn, err := c.open(ctx, limit, fn)
	if err == nil {
		conn.close()
	}
	return err
}

// mark is what a session is recognised by.
type mark struct{ value, pid string }

func leaveMark(ctx context.Context, pg *pgconn.PgConn) (mark, error) {
	value := rand.Text()
	row, err := oneRow(pg.ExecParams(ctx, "SELECT set_config('hush.session', $1, false), pg_backend_pid()::text",
		[][]byte{[]byte(value)}, nil, nil, nil).Read())
	if err != nil {
		return mark{}, err
	}
	return mark{value: value, pid: string(row[1])}, nil
}

func findMark(ctx context.Context, pg *pgconn.PgConn, want mark) error {
	row, err := oneRow(pg.ExecParams(ctx, "SELECT current_setting('hush.session', true), pg_backend_pid()::text",
		nil, nil, nil, nil).Read())
	if err != nil {
		return err
	}
	if string(row[0]) != want.value || string(row[1]) != want.pid {
		return fmt.Errorf("%w: a proxy in front of it changes the session between transactions; "+
			"connect to PostgreSQL directly, or let the proxy pool sessions", ErrRefused)
	}
	return nil
}

func oneRow(result *pgconn.Result) ([][]byte, error) {
	if result.Err != nil {
		return nil, result.Err
	}
	if len(result.Rows) != 1 {
		return nil, errProtocol
	}
	return result.Rows[0], nil
}
