package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// migrateLimit bounds the creation or a change of the schema.
const migrateLimit = 10 * time.Minute

// migrate brings the schema to schemaVersion. Nodes that start at the same time
// take turns by an advisory lock.
func (c *connector) migrate(ctx context.Context) error {
	return c.bare(ctx, migrateLimit, func(ctx context.Context, pg *pgconn.PgConn) error {
		found, err := c.setUp(ctx, pg)
		if err == nil {
			err = found.checkCommit()
		}
		if err != nil {
			return err
		}
		if found.hasSchema {
			current, err := readVersion(ctx, pg)
			if err != nil {
				return err
			}
			c.identity = current.store
			if current.version >= schemaVersion {
				apart, err := c.hasOwnTables(ctx, pg)
				if err := errors.Join(err, current.check("")); err != nil || apart {
					return err
				}
			}
		}
		if c.opts.Existing {
			return errors.Join(ErrNoStore, c.checkMayCreate(ctx, pg))
		}
		return c.migrateLocked(ctx, pg)
	})
}

// checkMayCreate returns ErrRefused if createSchema would, and changes nothing.
func (c *connector) checkMayCreate(ctx context.Context, pg *pgconn.PgConn) error {
	may, err := isTrue(ctx, pg, "SELECT coalesce((SELECT has_schema_privilege(oid, 'USAGE') AND has_schema_privilege(oid, 'CREATE')"+
		" FROM pg_namespace WHERE nspname = "+quoteText(c.opts.Schema)+"), has_database_privilege(current_database(), 'CREATE'))")
	if err != nil || may {
		return err
	}
	return c.refuseCreate(errNoPrivilege)
}

// refuseCreate says what an administrator has to do.
func (c *connector) refuseCreate(cause error) error {
	schema, owner := quoteIdentifier(c.opts.Schema), quoteIdentifier(c.config.User)
	return fmt.Errorf("%w: user %s may not create schema %s or tables in it (%w); as an administrator, run "+
		"CREATE SCHEMA IF NOT EXISTS %s; ALTER SCHEMA %s OWNER TO %s", ErrRefused, owner, schema, cause, schema, schema, owner)
}

// migrateLocked changes the schema in one transaction. Its statements may take as long as
// migrateLimit: those that work on many rows, or on a machine that does other work.
func (c *connector) migrateLocked(ctx context.Context, pg *pgconn.PgConn) error {
	limit := strconv.FormatInt(migrateLimit.Milliseconds(), 10)
	err := execute(ctx, pg, "BEGIN; SET LOCAL statement_timeout = "+limit+"; SET LOCAL idle_in_transaction_session_timeout = "+limit+
		"; SELECT pg_advisory_xact_lock(hashtextextended('hush schema ' || "+quoteText(c.opts.Schema)+", 0))")
	if err != nil {
		return err
	}
	if err := c.createSchema(ctx, pg); err != nil {
		return err
	}
	current, err := readVersion(ctx, pg)
	if err != nil {
		return err
	}
	c.identity = current.store
	if current.version < schemaVersion {
		// Commits of nodes that become too old have ended then, or begin afterwards.
		if err := execute(ctx, pg, "LOCK TABLE version IN ACCESS EXCLUSIVE MODE"); err != nil {
			return err
		}
	}
	for version := current.version; version < schemaVersion; version++ {
		if err := execute(ctx, pg, migrations[version]); err != nil {
			return fmt.Errorf("bringing the schema to version %d: %w", version+1, withoutDetail(err))
		}
	}
	if current.version < schemaVersion {
		set := fmt.Sprintf("UPDATE version SET version = %d, oldest = %d", schemaVersion, oldestProgram)
		if err := execute(ctx, pg, set); err != nil {
			return err
		}
	}
	for _, name := range c.opts.OwnTables {
		if err := c.addOwnTable(ctx, pg, name); err != nil {
			return fmt.Errorf("giving bucket %s a table: %w", name, withoutDetail(err))
		}
	}
	return execute(ctx, pg, "COMMIT")
}

// createSchema creates the schema, which an administrator may have done, and the
// table of its version. The existence is asked for, because CREATE SCHEMA IF NOT
// EXISTS needs the right to create schemas where it is there already.
func (c *connector) createSchema(ctx context.Context, pg *pgconn.PgConn) error {
	schema := quoteIdentifier(c.opts.Schema)
	missing, err := isTrue(ctx, pg, "SELECT to_regnamespace("+quoteText(schema)+") IS NULL")
	if err == nil && missing {
		err = execute(ctx, pg, "CREATE SCHEMA "+schema)
	}
	if err == nil {
		// By its name alone a table would become a temporary one where the schema is
		// another's: that part of the search path is passed over.
		err = execute(ctx, pg,
			"CREATE TABLE IF NOT EXISTS "+schema+".version (version int NOT NULL, oldest int NOT NULL, store uuid NOT NULL);"+
				"INSERT INTO version SELECT 0, 0, gen_random_uuid() WHERE NOT EXISTS (SELECT FROM version)")
	}
	if state := stateOf(err); state == statePrivilege || state == stateNoSchema {
		return c.refuseCreate(withoutDetail(err))
	}
	if err != nil {
		return fmt.Errorf("creating schema %s: %w", schema, withoutDetail(err))
	}
	return nil
}

func execute(ctx context.Context, pg *pgconn.PgConn, sql string) error {
	_, err := pg.Exec(ctx, sql).ReadAll()
	return err
}

func quoteText(s string) string {
	quoted := []byte{'\''}
	for _, b := range []byte(s) {
		if b == '\'' {
			quoted = append(quoted, '\'')
		}
		quoted = append(quoted, b)
	}
	return string(append(quoted, '\''))
}

// storeVersion is the row of the version table.
type storeVersion struct {
	version int
	oldest  int
	store   string // identity of the store, random
}

func readVersion(ctx context.Context, pg *pgconn.PgConn) (storeVersion, error) {
	results, err := pg.Exec(ctx, "SELECT version, oldest, store FROM version").ReadAll()
	if err != nil {
		return storeVersion{}, fmt.Errorf("reading the schema's version: %w", withoutDetail(err))
	}
	if len(results) != 1 || len(results[0].Rows) != 1 {
		return storeVersion{}, errProtocol
	}
	row := results[0].Rows[0]
	v := storeVersion{store: string(row[2])}
	v.version, _ = strconv.Atoi(string(row[0]))
	v.oldest, _ = strconv.Atoi(string(row[1]))
	return v, nil
}

// check refuses a schema that a newer program has changed, and another
// database than the one that the store was opened on.
func (v storeVersion) check(store string) error {
	if v.oldest > schemaVersion {
		return fmt.Errorf("%w: it has version %d and needs a program that knows version %d, this one knows %d; upgrade hush",
			ErrNewerSchema, v.version, v.oldest, schemaVersion)
	}
	if store != "" && v.store != store {
		return fmt.Errorf("%w: it holds another store than before; restart hush if that is meant", ErrRefused)
	}
	return nil
}
