package vault

import (
	"context"
	"fmt"
	"log/slog"

	"hush/storage"
	"hush/vault/cluster"
	"hush/vault/rows"
)

// Upgrade raises the format of a store that nothing serves, as Open does: what was
// restored may have the format of an earlier release, and its shares have the newest.
func Upgrade(ctx context.Context, opts Options) error {
	return upgrade(ctx, cluster.NewStore(opts.Store, nil), opts.Shares, opts.Log)
}

// upgrade raises the format of a store that is this process's alone, and says so:
// releases before that format can then no longer open it.
func upgrade(ctx context.Context, store cluster.Store, shares storage.Shares, log *slog.Logger) error {
	before, err := cluster.RaiseFormat(ctx, store, shares.BarOlder)
	if err != nil {
		return fmt.Errorf("upgrading the format of the data: %w", err)
	}
	if now := rows.FormatNewest(); before.Format < now {
		log.Warn("upgraded the format of the data: earlier releases no longer open it",
			"from", before.Format, "to", now, "first_release", now.FirstRelease())
	}
	return nil
}
