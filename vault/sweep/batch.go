package sweep

import (
	"context"
	"log/slog"
	"runtime"
	"slices"
	"time"

	"hush/vault/rows"
)

const (
	// DamagedPause is how long the sweeper waits before it retries a record
	// that cannot be read.
	DamagedPause = 24 * time.Hour
)

// Batch handles some of the due rows in bounded transactions. It returns how
// many, 0 if nothing is due, and adds the records that it could not read to
// lost.
type Batch func(ctx context.Context, now time.Time, lost *rows.Damage) (int, error)

// Rounds runs one batch of each kind in turn until nothing is due. Other
// callers get access to the store between any two transactions. A batch that
// fails and handles nothing is not run again; the others go on. Rounds returns
// the first error.
func Rounds(ctx context.Context, log *slog.Logger, now time.Time, kinds ...Batch) (total int, err error) {
	var lost rows.Damage
	defer lost.Report(log)
	for len(kinds) > 0 {
		kinds = slices.DeleteFunc(kinds, func(next Batch) bool {
			n, failed := next(ctx, now, &lost)
			total += n
			if err == nil {
				err = failed
			}
			return n == 0
		})
		if ctx.Err() != nil {
			return total, ctx.Err()
		}
		runtime.Gosched()
	}
	return total, err
}
