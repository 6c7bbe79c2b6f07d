package restoration

import (
	"context"

	"hush/storage/spentlog"
	"hush/vault"
)

// Replay is what ends in a restored store by its log.
func Replay(ctx context.Context, opts vault.Options, log *spentlog.Reader, after uint64) (Replayed, error) {
	return replay(ctx, opts, log, after, nil)
}
