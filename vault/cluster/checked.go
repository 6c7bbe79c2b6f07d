package cluster

import (
	"context"

	"hush/vault/rows"
)

// checkKey is the key of the check of Checked in a context.
type checkKey struct{}

// Checked returns a context whose updates run check first, in their transaction.
// If it fails, the update changes nothing and returns its error. Transactions are
// serializable, so what check saw is so when the update commits.
func Checked(ctx context.Context, check func(*rows.Tx) error) context.Context {
	return context.WithValue(ctx, checkKey{}, check)
}

// Unchecked returns a context without the check of Checked. It is for what must
// follow an update that has passed: a call whose credential ends in between still
// destroys what it ended.
func Unchecked(ctx context.Context) context.Context {
	if check, ok := ctx.Value(checkKey{}).(func(*rows.Tx) error); !ok || check == nil {
		return ctx
	}
	return Checked(ctx, nil)
}
