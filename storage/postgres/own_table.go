package postgres

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"github.com/jackc/pgx/v5/pgconn"
)

var tableName = regexp.MustCompile(`^[a-z0-9_]{1,50}$`)

// errTableName: a table cannot have the name.
var errTableName = errors.New("postgres: a bucket with a table of its own has a name of small letters, digits and underscores")

// checkTableNames refuses names that would need quotes where an administrator gives
// them to pg_dump, and that of the table of all other buckets.
func checkTableNames(names []string) error {
	for _, name := range names {
		if !tableName.MatchString(name) || name == "rest" {
			return fmt.Errorf("%w: %q", errTableName, name)
		}
	}
	return nil
}

// hasOwnTables reports whether the buckets of Options.OwnTables have their tables.
func (c *connector) hasOwnTables(ctx context.Context, pg *pgconn.PgConn) (bool, error) {
	for _, name := range c.opts.OwnTables {
		missing, err := isTrue(ctx, pg, "SELECT to_regclass('record_"+name+"') IS NULL")
		if err != nil || missing {
			return false, err
		}
	}
	return true, nil
}

// addOwnTable gives a bucket a table of its own, and moves its rows there. It runs
// in the transaction of a migration, while no node commits.
func (c *connector) addOwnTable(ctx context.Context, pg *pgconn.PgConn, name string) error {
	missing, err := isTrue(ctx, pg, "SELECT to_regclass('record_"+name+"') IS NULL")
	if err != nil || !missing {
		return err
	}
	number := "(SELECT id FROM bucket WHERE name = '" + name + "')"
	results, err := pg.Exec(ctx, "LOCK TABLE turn IN EXCLUSIVE MODE;"+
		"INSERT INTO bucket (name) VALUES ('"+name+"') ON CONFLICT DO NOTHING;"+
		"CREATE TABLE record_"+name+" (LIKE record INCLUDING ALL) WITH ("+forgotten+");"+
		"WITH moved AS (DELETE FROM record_rest WHERE bucket = "+number+" RETURNING bucket, key, value)"+
		" INSERT INTO record_"+name+" SELECT bucket, key, value FROM moved;"+
		"SELECT "+number).ReadAll()
	if err != nil {
		return err
	}
	row := results[len(results)-1].Rows
	if len(row) != 1 {
		return errProtocol
	}
	return execute(ctx, pg, "ALTER TABLE record ATTACH PARTITION record_"+name+" FOR VALUES IN ("+string(row[0][0])+")")
}

// isTrue returns the answer to a question.
func isTrue(ctx context.Context, pg *pgconn.PgConn, sql string) (bool, error) {
	results, err := pg.Exec(ctx, sql).ReadAll()
	if err != nil {
		return false, err
	}
	if len(results) != 1 || len(results[0].Rows) != 1 {
		return false, errProtocol
	}
	return string(results[0].Rows[0][0]) == "t", nil
}
