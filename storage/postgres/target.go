package postgres

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// errTarget does not repeat the connection string, which may hold a password.
var errTarget = errors.New("postgres: the connection string cannot be used")

// errUnescaped is the error for what is not a URL, or not the one that was meant.
var errUnescaped = fmt.Errorf("%w: it is not a valid URL; reserved characters in a password are escaped: write %%40 for @, %%2F for /, %%23 for #, "+
	"%%3F for ? and %%25 for %%, or put the password into a file with ?passfile=", errTarget)

// parseTarget reads a connection string, and the environment and files that it
// names, such as that of a client's certificate. Its errors hold no password.
func parseTarget(target string) (*pgconn.Config, error) {
	if isUnescaped(target) {
		return nil, errUnescaped
	}
	config, err := pgconn.ParseConfig(target)
	if err != nil {
		return nil, describeTargetError(target, err)
	}
	return config, nil
}

// Check returns the error with which Open refuses target before it connects. It
// reads the files that target names.
func Check(target string) error {
	_, err := newConnector(target, Options{}.withDefaults())
	return err
}

// isUnescaped reports whether target is a URL whose password most likely has a
// reserved character in it: then a part of the password was read as the name of
// a server or of a database, which errors and the log would show.
func isUnescaped(target string) bool {
	u, err := url.Parse(target)
	if err != nil || u.Scheme == "" {
		return false
	}
	// pgconn ends the password at the first @, and this package at the last one
	// before a question mark: a URL must mean the same to both.
	_, authority, _ := strings.Cut(target, "://")
	authority, _, _ = strings.Cut(authority, "/")
	user, servers, named := strings.Cut(authority, "@")
	if strings.Contains(servers, "@") || named && strings.ContainsAny(user, "?#") {
		return true
	}
	for parameter := range strings.SplitSeq(u.RawQuery, "&") {
		if name, _, _ := strings.Cut(parameter, "="); strings.Contains(parameter, "@") && !mayHaveAt.MatchString(name) {
			return true
		}
	}
	return strings.Contains(u.EscapedPath(), "@") || u.Fragment != ""
}

// mayHaveAt are the parameters with values of an administrator's. An @ behind any
// other one ends a password.
var mayHaveAt = regexp.MustCompile(`^(user|password|host|dbname|passfile|service|servicefile|ssl[a-z]+|application_name|options)$`)

// describeTargetError keeps what is wrong and drops the connection string.
func describeTargetError(target string, err error) error {
	u, wrong := url.Parse(target)
	if wrong != nil {
		return errUnescaped
	}
	text := err.Error()
	if end := strings.LastIndex(text, "`: "); end >= 0 {
		text = text[end+len("`: "):]
	}
	password, _ := u.User.Password()
	for _, secret := range []string{password, u.Query().Get("password"), u.Query().Get("sslpassword"), os.Getenv("PGPASSWORD"), os.Getenv("PGSSLPASSWORD")} {
		if secret != "" && strings.Contains(text, secret) {
			return errTarget
		}
	}
	return fmt.Errorf("%w: %s", errTarget, text)
}

// parameters returns those behind the question mark of a URL. A plus is itself.
func parameters(target string) url.Values {
	u, err := url.Parse(target)
	if err != nil {
		return nil
	}
	query, _ := url.ParseQuery(strings.ReplaceAll(u.RawQuery, "+", "%2B"))
	return query
}

// checkPassfile refuses a URL that names a file for the password which cannot be
// read, if nothing else gives one. pgconn would go on without a password.
func checkPassfile(target string, config *pgconn.Config) error {
	path := parameters(target).Get("passfile")
	if path == "" || config.Password != "" {
		return nil
	}
	if _, err := os.ReadFile(path); err != nil {
		return fmt.Errorf("%w: unable to read the file of passfile: %w", errTarget, err)
	}
	return nil
}

// Files returns the files that a connection to target reads: certificates, keys
// and passwords. They are read again for new connections, so that they can be
// replaced while the store is open. Some may be missing.
func Files(target string) []string {
	query := parameters(target)
	home, err := os.UserHomeDir()
	var files []string
	for _, f := range [...]struct{ parameter, variable, standard string }{
		{"sslrootcert", "PGSSLROOTCERT", ".postgresql/root.crt"},
		{"sslcert", "PGSSLCERT", ".postgresql/postgresql.crt"},
		{"sslkey", "PGSSLKEY", ".postgresql/postgresql.key"},
		{"passfile", "PGPASSFILE", ".pgpass"},
		{"servicefile", "PGSERVICEFILE", ".pg_service.conf"},
	} {
		switch {
		case query.Get(f.parameter) != "":
			files = append(files, query.Get(f.parameter))
		case os.Getenv(f.variable) != "":
			files = append(files, os.Getenv(f.variable))
		case err == nil:
			files = append(files, filepath.Join(home, f.standard))
		}
	}
	return files
}

// Place describes the database that target names, for people: its name and its
// servers, and neither user nor password.
func Place(target string) string {
	config, err := parseTarget(target)
	if err != nil {
		return "the database"
	}
	name := config.Database
	if name == "" {
		name = config.User // as the server does
	}
	servers := []string{address(config.Host, config.Port)}
	for _, f := range config.Fallbacks {
		if at := address(f.Host, f.Port); !slices.Contains(servers, at) {
			servers = append(servers, at)
		}
	}
	return fmt.Sprintf("the database %q on %s", name, strings.Join(servers, ", "))
}

// address returns a server's address; the default port goes without saying.
func address(host string, port uint16) string {
	if network, path := pgconn.NetworkAddress(host, port); network == "unix" {
		return path
	}
	if port == defaultPort {
		return host
	}
	return net.JoinHostPort(host, strconv.Itoa(int(port)))
}

const defaultPort = 5432
