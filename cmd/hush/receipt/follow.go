package receipt

import (
	"context"
	"io"
	"iter"

	"hush/client"
)

// View is where and how receipts are shown.
type View struct {
	// To gets the receipts.
	To io.Writer
	// JSON makes each receipt an object on a line of its own.
	JSON bool
}

// Follow shows receipts as they change, each as client.Client.Watch yields it, until
// nothing of them will change any more. On a terminal it is one line that is
// redrawn, with the time that is left; elsewhere, and as JSON, each change is a
// line.
//
// It returns nil if each secret was opened and nothing says that its content did not
// arrive. It returns an error with the exit code ExitGone, and without a cause, if one
// was burned or expired, or if the delivery of its content was never confirmed: the
// last line says so. When ctx ends it returns an error that says what still waits.
// Errors of package client are returned as remote.Fail makes them.
func (v View) Follow(ctx context.Context, receipts ...iter.Seq2[client.Receipt, error]) error {
	panic("to be written")
}
