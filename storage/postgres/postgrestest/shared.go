package postgrestest

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// Variable is the environment variable that names a server for all tests of a
// run, as a URL. Tests that can use either store then use PostgreSQL.
const Variable = "TEST_STORE"

// Shared returns the URL of the server that Variable names, or "".
func Shared() string { return os.Getenv(Variable) }

// NewName returns a name that no other schema or database has.
func NewName() string { return "test_" + strings.ToLower(rand.Text()) }

// DropSchema deletes a schema with all that is in it.
func DropSchema(ctx context.Context, target, name string) error {
	return execute(ctx, target, `DROP SCHEMA IF EXISTS "`+name+`" CASCADE`)
}

// FlipShare changes one bit of a stored share.
func FlipShare(ctx context.Context, target, schema string, number uint64) error {
	return execute(ctx, target, fmt.Sprintf(
		`UPDATE "%s".share SET share = set_byte(share, 0, get_byte(share, 0) # 1) WHERE number = %d`, schema, number))
}

// Dump returns all rows and shares of a schema.
func Dump(ctx context.Context, target, schema string) ([]byte, error) {
	pg, err := pgconn.Connect(ctx, target)
	if err != nil {
		return nil, fmt.Errorf("connecting to the test server: %w", err)
	}
	tables, err := pg.Exec(ctx, `SELECT tablename FROM pg_tables WHERE schemaname = '`+schema+`' ORDER BY 1`).ReadAll()
	if err != nil {
		return nil, errors.Join(err, pg.Close(ctx))
	}
	var all bytes.Buffer
	for _, row := range tables[0].Rows {
		if _, err := pg.CopyTo(ctx, &all, `COPY (TABLE "`+schema+`"."`+string(row[0])+`") TO STDOUT (FORMAT binary)`); err != nil {
			return nil, errors.Join(err, pg.Close(ctx))
		}
	}
	return all.Bytes(), pg.Close(ctx)
}

// ErrExists reports that a database of that name exists.
var ErrExists = errors.New("postgres: the database exists")

// DatabaseURL returns the URL of another database of the server.
func DatabaseURL(target, name string) (string, error) {
	u, err := url.Parse(target)
	if err != nil {
		return "", errors.New("the URL of the test server cannot be parsed")
	}
	u.Path = "/" + name
	return u.String(), nil
}

// CreateDatabase creates a database as a copy of template, which nothing may be
// connected to, or an empty one if template is "".
func CreateDatabase(ctx context.Context, target, name, template string) error {
	create := `CREATE DATABASE "` + name + `"`
	if template != "" {
		create += ` TEMPLATE "` + template + `"`
	}
	err := execute(ctx, target, create)
	if reported, ok := errors.AsType[*pgconn.PgError](err); ok && reported.Code == "42P04" {
		return ErrExists
	}
	return err
}

// DropDatabase deletes a database and breaks the connections to it.
func DropDatabase(ctx context.Context, target, name string) error {
	return execute(ctx, target, `DROP DATABASE IF EXISTS "`+name+`" WITH (FORCE)`)
}

func execute(ctx context.Context, target, sql string) error {
	pg, err := pgconn.Connect(ctx, target)
	if err != nil {
		return fmt.Errorf("connecting to the test server: %w", err)
	}
	_, err = pg.Exec(ctx, sql).ReadAll()
	return errors.Join(err, pg.Close(ctx))
}
