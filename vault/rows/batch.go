package rows

import (
	"context"
	"log/slog"
	"runtime"
	"slices"
	"time"
)

const (
	// SweepBatch bounds one transaction of the sweeper.
	SweepBatch = 256
	// DamagedPause is how long a record that cannot be read is left alone.
	DamagedPause = 24 * time.Hour
)

// Batch handles some of the rows that are due, in bounded transactions, and
// returns how many, 0 if nothing is due. It adds what it could not read to lost.
type Batch func(ctx context.Context, now time.Time, lost *Damage) (int, error)

// Rounds runs one batch of each kind in turn until nothing is due. Callers get
// at the store between any two transactions. A batch that failed and handled
// nothing is over; the others go on. The first error is returned.
func Rounds(ctx context.Context, log *slog.Logger, now time.Time, kinds ...Batch) (total int, err error) {
	var lost Damage
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
