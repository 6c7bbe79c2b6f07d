package people

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"reflect"
	"time"

	"hush/cli/command"
	"hush/cli/console"
	"hush/client"
)

// receiptView is where and how receipts are shown.
type receiptView struct {
	// to gets the receipts.
	to io.Writer
	// asJSON makes each receipt an object on a line of its own.
	asJSON bool
	// messages, unless nil, is the console whose messages come between the lines of a
	// terminal. follow puts a writer of its own before its Err, for good.
	messages *console.Console
}

// follow shows receipts as they change, each as client.Client.Watch yields it, until
// nothing of them will change any more. On a terminal it is one line that is
// redrawn, with the time that is left; elsewhere, and as JSON, each change is a
// line.
//
// It returns nil if each secret was opened and nothing says that its content did not
// arrive. It returns an error with the exit code ExitGone, and without a cause, if one
// was burned or expired, or if the delivery of its content was never confirmed: the
// last line says so. When ctx ends it returns an error that says what still waits.
// Errors of package client are returned as withExitCode makes them. The sequences must
// end when ctx does.
func (v receiptView) follow(ctx context.Context, receipts ...iter.Seq2[client.Receipt, error]) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	line := newLine(v)
	if v.messages != nil && line.terminal {
		v.messages.Err = &besideLine{line: line, to: v.messages.Err}
	}
	changes := make(chan receiptChange)
	for at, sequence := range receipts {
		go sendChanges(ctx, changes, at, sequence)
	}
	f := &receiptFollower{view: v, line: line, last: make([]followedReceipt, len(receipts))}
	defer f.line.end()
	redraw := time.NewTicker(time.Second)
	defer redraw.Stop()
	for open := len(receipts); open > 0; {
		select {
		case c := <-changes:
			if c.ended {
				open--
			} else if err := f.take(ctx, c); err != nil {
				return err
			}
		case <-redraw.C:
			f.line.draw(f.liveText(time.Now()))
		case <-ctx.Done():
			return f.interrupted()
		}
	}
	if ctx.Err() != nil {
		return f.interrupted()
	}
	return f.result()
}

// receiptChange is what one sequence yielded, or its end.
type receiptChange struct {
	at      int
	receipt client.Receipt
	err     error
	ended   bool
}

// sendChanges sends what a sequence yields, and its end, until ctx ends.
func sendChanges(ctx context.Context, changes chan<- receiptChange, at int, sequence iter.Seq2[client.Receipt, error]) {
	send := func(c receiptChange) bool {
		select {
		case changes <- c:
			return true
		case <-ctx.Done():
			return false
		}
	}
	for receipt, err := range sequence {
		if !send(receiptChange{at: at, receipt: receipt, err: err}) {
			return
		}
	}
	send(receiptChange{at: at, ended: true})
}

// receiptFollower is what is known of the receipts that are followed.
type receiptFollower struct {
	view receiptView
	line *liveLine
	last []followedReceipt
}

// followedReceipt is a receipt as it was last.
type followedReceipt struct {
	client.Receipt

	known bool
	json  string
}

// take shows a change.
func (f *receiptFollower) take(ctx context.Context, c receiptChange) error {
	switch {
	case c.err != nil && ctx.Err() != nil:
		return f.interrupted()
	case c.err != nil:
		return withExitCode(c.err)
	}
	encoded, err := encodeJSON(newReceiptJSON(c.receipt))
	if err != nil {
		return err
	}
	before := f.last[c.at]
	if !f.view.asJSON && !f.line.terminal && before.known && isProgressAlone(before.Receipt, c.receipt) {
		return nil
	}
	f.last[c.at] = followedReceipt{Receipt: c.receipt, known: true, json: string(encoded)}
	if before.json == string(encoded) {
		return nil // the connection broke, and nothing changed meanwhile
	}
	now := time.Now()
	switch {
	case f.view.asJSON:
		_, err = f.view.to.Write(encoded)
	case !f.line.terminal || len(f.last) > 1 || c.receipt.IsFinal():
		err = f.line.keep(f.outcomeLine(c.receipt, now))
	}
	f.line.draw(f.liveText(now))
	return err
}

// progressStep is how much more of a file must have moved for another line, in percent.
const progressStep = 10

// isProgressAlone reports whether nothing changed but that a little more of a file has
// arrived or was fetched.
func isProgressAlone(before, now client.Receipt) bool {
	if before.File == nil || now.File == nil {
		return false
	}
	a, b := *before.File, *now.File
	if b.ArrivedPercent()-a.ArrivedPercent() >= progressStep || b.FetchedPercent()-a.FetchedPercent() >= progressStep || a.Complete != b.Complete {
		return false
	}
	before.File, now.File = nil, nil
	return reflect.DeepEqual(newReceiptJSON(before), newReceiptJSON(now))
}

// outcomeLine is the outcome of a receipt, behind its ID if there are several.
func (f *receiptFollower) outcomeLine(r client.Receipt, now time.Time) string {
	if len(f.last) == 1 {
		return outcomeText(r, now)
	}
	return console.Visible(r.ShortID) + "  " + outcomeText(r, now)
}

// liveText is the line that a terminal shows while something may change; empty if
// nothing may.
func (f *receiptFollower) liveText(now time.Time) string {
	var open []client.Receipt
	for _, r := range f.last {
		if r.known && !r.IsFinal() {
			open = append(open, r.Receipt)
		}
	}
	switch {
	case len(open) == 0:
		return ""
	case len(f.last) == 1:
		return outcomeText(open[0], now)
	default:
		return fmt.Sprintf("%d of %s may still change", len(open), console.Count(len(f.last), "secrets"))
	}
}

// interrupted is the error for a wait that was interrupted.
func (f *receiptFollower) interrupted() error {
	waiting := 0
	for _, r := range f.last {
		if r.State == client.StateWaiting {
			waiting++
		}
	}
	switch {
	case waiting == 0:
		return errors.New("interrupted")
	case len(f.last) == 1:
		return errors.New("interrupted; the secret still waits")
	default:
		return fmt.Errorf("interrupted; secrets that still wait: %d", waiting)
	}
}

// result is what follow returns once nothing changes any more.
func (f *receiptFollower) result() error {
	for _, r := range f.last {
		if r.State != client.StateOpened || r.Delivery == client.DeliveryLapsed {
			return &command.ExitError{Code: command.ExitGone}
		}
	}
	return nil
}
