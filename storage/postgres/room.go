package postgres

import (
	"context"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5/pgconn"
)

// roomQuery asks how many connections the role, the database and the server allow; -1 for
// no limit. The limits of roles and databases do not hold for superusers.
const roomQuery = `SELECT CASE WHEN rolsuper THEN -1 ELSE rolconnlimit END,
	CASE WHEN rolsuper THEN -1 ELSE (SELECT datconnlimit FROM pg_database WHERE datname = current_database()) END,
	current_setting('max_connections')::int - CASE WHEN rolsuper THEN 0 ELSE
		current_setting('superuser_reserved_connections')::int + coalesce(current_setting('reserved_connections', true)::int, 0) END
	FROM pg_roles WHERE rolname = session_user`

// tellRoom calls Options.Warn for each limit of the server that has no room for all
// connections of this store. A server that does not tell is no reason not to start.
func (c *connector) tellRoom(ctx context.Context) {
	if c.opts.Warn == nil {
		return
	}
	_ = c.bare(ctx, c.opts.answerTimeout(), func(ctx context.Context, pg *pgconn.PgConn) error {
		row, err := oneRow(pg.ExecParams(ctx, roomQuery, nil, nil, nil, nil).Read())
		if err != nil {
			return err
		}
		needed := c.opts.MaxConns + 1 // one listens
		for i, limit := range []struct{ of, do string }{
			{"role", "raise it with ALTER ROLE … CONNECTION LIMIT"},
			{"database", "raise it with ALTER DATABASE … CONNECTION LIMIT"},
			{"server", "raise max_connections"},
		} {
			if allowed, err := strconv.Atoi(string(row[i])); err == nil && allowed >= 0 && allowed < needed {
				c.opts.Warn(fmt.Sprintf("the %s allows fewer connections to the database than this node may open: %s, or lower the number that nodes open", limit.of, limit.do),
					allowed, needed)
			}
		}
		return nil
	})
}
