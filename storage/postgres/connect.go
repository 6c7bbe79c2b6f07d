package postgres

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// connector opens connections, and refuses servers that must not be used.
type connector struct {
	target string
	config *pgconn.Config                // as it was read first
	reread atomic.Pointer[pgconn.Config] // as it was read last
	opts   Options
	// identity is that of the store, which migrate finds.
	identity string
	extra    []statement // for tests and measurements
	seen     seen
	// numbers returns the numbers of buckets that are known on a timeline; nil for none.
	numbers func(timeline string) map[string]int16
}

// newConnector reads a connection string, a URL or keywords and values. A
// server on another machine has to prove its name by a certificate.
func newConnector(target string, opts Options) (*connector, error) {
	if err := checkTableNames(opts.OwnTables); err != nil {
		return nil, err
	}
	c := &connector{target: target, opts: opts}
	var err error
	if c.config, err = c.read(); err != nil {
		return nil, err
	}
	c.reread.Store(c.config)
	return c, nil
}

// read reads the connection string and the files that it names.
func (c *connector) read() (*pgconn.Config, error) {
	config, err := parseTarget(c.target)
	if err != nil {
		return nil, err
	}
	if mode := sslMode(c.target); !verifiesRemote(config) {
		if mode != "" {
			return nil, fmt.Errorf("%w: sslmode=%s does not prove which server answers; use sslmode=verify-full", ErrRefused, mode)
		}
		if config, err = parseTarget(withVerifyFull(c.target)); err != nil {
			return nil, err
		}
		if !verifiesRemote(config) {
			return nil, fmt.Errorf("%w: the connection string leaves open which server answers; add sslmode=verify-full", ErrRefused)
		}
	}
	if err := checkPassfile(c.target, config); err != nil {
		return nil, err
	}
	if namesSeveral(config) && config.ValidateConnect == nil {
		// The primary is meant.
		config.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsPrimary
	}
	config.ConnectTimeout = c.opts.ConnectTimeout
	config.RuntimeParams["application_name"] = c.opts.ApplicationName
	return config, nil
}

// latest returns what to connect with. Certificates and passwords may have been
// replaced; while one cannot be read, what was read last is good.
func (c *connector) latest() *pgconn.Config {
	if config, err := c.read(); err == nil {
		c.reread.Store(config)
	}
	return c.reread.Load()
}

// namesSeveral reports whether config names more than one server.
func namesSeveral(config *pgconn.Config) bool {
	for _, f := range config.Fallbacks {
		if f.Host != config.Host || f.Port != config.Port {
			return true
		}
	}
	return false
}

// verifiesRemote reports whether every address of config is on this machine or
// reached by TLS that checks the server's name.
func verifiesRemote(config *pgconn.Config) bool {
	verified := func(host string, fallback *pgconn.FallbackConfig) bool {
		secure := config.TLSConfig
		if fallback != nil {
			secure = fallback.TLSConfig
		}
		return isLocal(host) || secure != nil && !secure.InsecureSkipVerify && secure.ServerName != ""
	}
	ok := verified(config.Host, nil)
	for _, f := range config.Fallbacks {
		ok = ok && verified(f.Host, f)
	}
	return ok
}

func isLocal(host string) bool {
	if network, _ := pgconn.NetworkAddress(host, 0); network == "unix" || host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

var sslModeIn = regexp.MustCompile(`[?&\s]sslmode\s*=\s*'?([a-z-]*)|^sslmode\s*=\s*'?([a-z-]*)`)

// sslMode returns the mode that target or the environment names.
func sslMode(target string) string {
	if found := sslModeIn.FindStringSubmatch(target); found != nil {
		return found[1] + found[2]
	}
	return os.Getenv("PGSSLMODE")
}

func withVerifyFull(target string) string {
	if !strings.Contains(target, "://") {
		return target + " sslmode=verify-full"
	}
	u, err := url.Parse(target)
	if err != nil {
		return target
	}
	// What is there stays as it is: pgconn reads a plus as itself.
	if u.RawQuery != "" {
		u.RawQuery += "&"
	}
	u.RawQuery += "sslmode=verify-full"
	return u.String()
}

// begin checks the server and brings the schema up to date, again while the
// server cannot be reached. A server that must not be used is told at once.
func (c *connector) begin(ctx context.Context) error {
	until := time.Now().Add(max(c.opts.Patience, c.opts.Wait))
	for attempt := 0; ; attempt++ {
		err := c.checkPair(ctx)
		if err == nil {
			err = c.migrate(ctx)
		}
		if err == nil {
			c.tellRoom(ctx)
		}
		if err == nil || errors.Is(err, ErrRefused) || !isPassing(err) {
			return err
		}
		if attempt == 0 && c.opts.Waiting != nil {
			c.opts.Waiting(err)
		}
		if !pause(ctx, attempt, until) {
			return err
		}
	}
}

// connect opens a connection to a server that passes all checks, and prepares
// its statements.
func (c *connector) connect(ctx context.Context) (*conn, error) {
	return c.open(ctx, c.opts.answerTimeout(), func(ctx context.Context, pg *pgconn.PgConn) error {
		if err := c.admit(ctx, pg); err != nil {
			return err
		}
		return c.prepare(ctx, pg)
	})
}

// admit sets a session up and refuses a server that does not pass all checks.
func (c *connector) admit(ctx context.Context, pg *pgconn.PgConn) error {
	found, err := c.setUp(ctx, pg)
	if err != nil {
		return err
	}
	version, err := readVersion(ctx, pg)
	if err != nil {
		return err
	}
	if err := version.check(c.identity); err != nil {
		return err
	}
	if err := checkSession(ctx, pg); err != nil {
		return err
	}
	return c.checkSeen(ctx, pg, found.timeline)
}

// open connects and lets prepare have the connection before it is used, for as
// long as limit: the peer may be gone and leave the connection open.
func (c *connector) open(ctx context.Context, limit time.Duration, prepare func(context.Context, *pgconn.PgConn) error) (*conn, error) {
	connecting, cancel := context.WithTimeout(ctx, 2*c.opts.ConnectTimeout)
	defer cancel()
	pg, err := pgconn.ConnectConfig(connecting, c.latest())
	if err != nil {
		return nil, connectError(err)
	}
	limited, stop := context.WithTimeout(ctx, limit)
	defer stop()
	if err := prepare(limited, pg); err != nil {
		// Between two statements the limit leaves the connection open.
		lost := pg.IsClosed() || limited.Err() != nil && ctx.Err() == nil
		_ = pg.Close(limited)
		if lost {
			return nil, &brokenError{withoutDetail(err)}
		}
		return nil, withoutDetail(err)
	}
	hijacked, err := pg.Hijack()
	if err != nil {
		return nil, &brokenError{err}
	}
	if err := hijacked.Conn.SetDeadline(time.Time{}); err != nil {
		return nil, &brokenError{err}
	}
	timeline, _ := hijacked.CustomData[timelineOf].(string)
	return &conn{
		net: hijacked.Conn, front: hijacked.Frontend, timeline: timeline,
		timeout: c.opts.answerTimeout(),
	}, nil
}

// connectError keeps what pgconn says about a failed attempt, which names the
// host and the user and no password.
func connectError(err error) error {
	if state := stateOf(err); strings.HasPrefix(state, "28") || strings.HasPrefix(state, "3D") {
		return fmt.Errorf("connecting to PostgreSQL: %w", withoutDetail(err))
	}
	if _, untrusted := errors.AsType[*tls.CertificateVerificationError](err); untrusted {
		return fmt.Errorf("%w: its certificate does not prove that it is meant: %w", ErrRefused, err)
	}
	return &brokenError{fmt.Errorf("connecting to PostgreSQL: %w", &attemptsError{err})}
}

// attemptsError is an error of pgconn on one line. pgconn tries each server
// twice if TLS is optional, and reports the same cause twice.
type attemptsError struct{ cause error }

func (e *attemptsError) Error() string {
	lines := slices.Compact(strings.Split(e.cause.Error(), "\n\t"))
	lines[0] = strings.Replace(lines[0], "failed to connect to ", "cannot connect as ", 1)
	if len(lines) == 1 {
		return lines[0]
	}
	return lines[0] + " " + strings.Join(lines[1:], "; ")
}

func (e *attemptsError) Unwrap() error { return e.cause }

// withoutDetail turns a report of the server into one that holds no values.
func withoutDetail(err error) error {
	if reported, ok := errors.AsType[*pgconn.PgError](err); ok {
		return &serverError{code: reported.Code, message: reported.Message}
	}
	return err
}

// settings are those of every session. Plans are chosen once and always use the
// index: a table that is small today is not scanned by a plan that is still in
// use when it is large.
func (c *connector) settings() string {
	ms := func(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }
	values := [][2]string{
		// Where it is not named, the schema of temporary tables comes first.
		{"search_path", quoteIdentifier(c.opts.Schema) + ", pg_temp"},
		// A commit that did not wait for its standbys is told by a warning.
		{"client_min_messages", "warning"},
		{"statement_timeout", ms(c.opts.StatementTimeout)},
		{"lock_timeout", ms(c.opts.LockTimeout)},
		{"idle_in_transaction_session_timeout", ms(c.opts.StatementTimeout)},
		{"tcp_keepalives_idle", "10"},
		{"tcp_keepalives_interval", "5"},
		{"tcp_keepalives_count", "3"},
		{"tcp_user_timeout", "25000"},
		{"default_transaction_isolation", "'read committed'"},
		{"plan_cache_mode", "force_generic_plan"},
		{"enable_seqscan", "off"},
		{"enable_bitmapscan", "off"},
		{"enable_hashjoin", "off"},
		{"enable_mergejoin", "off"},
		{"max_parallel_workers_per_gather", "0"},
		{"jit", "off"},
	}
	var all strings.Builder
	for _, v := range values {
		fmt.Fprintf(&all, "SET %s = %s;", v[0], v[1])
	}
	return all.String()
}

func quoteIdentifier(name string) string {
	return `"` + strings.ReplaceAll(strings.ReplaceAll(name, "\x00", ""), `"`, `""`) + `"`
}

// prepare prepares all statements in one round trip.
func (c *connector) prepare(ctx context.Context, pg *pgconn.PgConn) error {
	p := pg.StartPipeline(ctx)
	is := keptIn(c.identity)
	all := append(append([]statement{}, statements...), c.extra...)
	for _, s := range all {
		p.SendPrepare(s.name, strings.ReplaceAll(s.sql, ifKept, is), nil)
	}
	err := p.Sync()
	for range all {
		if err != nil {
			break
		}
		_, err = p.GetResults()
	}
	return errors.Join(err, p.Close())
}
