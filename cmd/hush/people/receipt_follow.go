package people

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"hush/cli/command"
	"hush/cli/console"
	"hush/client"
)

// View is where and how receipts are shown.
type View struct {
	// To gets the receipts.
	To io.Writer
	// JSON makes each receipt an object on a line of its own.
	JSON bool
	// Messages, unless nil, is the console whose messages come between the lines of a
	// terminal. Follow puts a writer of its own before its Err, for good.
	Messages *console.Console
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
// Errors of package client are returned as Fail makes them. The sequences must
// end when ctx does.
func (v View) Follow(ctx context.Context, receipts ...iter.Seq2[client.Receipt, error]) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	line := newLine(v)
	if v.Messages != nil && line.terminal {
		v.Messages.Err = &aside{line: line, to: v.Messages.Err}
	}
	changes := make(chan change)
	for at, sequence := range receipts {
		go pass(ctx, changes, at, sequence)
	}
	f := &follower{view: v, line: line, last: make([]followed, len(receipts))}
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
			f.line.draw(f.live(time.Now()))
		case <-ctx.Done():
			return f.brokenOff()
		}
	}
	if ctx.Err() != nil {
		return f.brokenOff()
	}
	return f.verdict()
}

// change is what one sequence yielded, or its end.
type change struct {
	at      int
	receipt client.Receipt
	err     error
	ended   bool
}

// pass sends what a sequence yields, and its end, until ctx ends.
func pass(ctx context.Context, changes chan<- change, at int, sequence iter.Seq2[client.Receipt, error]) {
	send := func(c change) bool {
		select {
		case changes <- c:
			return true
		case <-ctx.Done():
			return false
		}
	}
	for receipt, err := range sequence {
		if !send(change{at: at, receipt: receipt, err: err}) {
			return
		}
	}
	send(change{at: at, ended: true})
}

// follower is what is known of the receipts that are followed.
type follower struct {
	view View
	line *liveLine
	last []followed
}

// followed is a receipt as it was last.
type followed struct {
	client.Receipt

	known bool
	json  string
}

// take shows a change.
func (f *follower) take(ctx context.Context, c change) error {
	switch {
	case c.err != nil && ctx.Err() != nil:
		return f.brokenOff()
	case c.err != nil:
		return Fail(c.err)
	}
	encoded, err := EncodeJSON(asJSON(c.receipt))
	if err != nil {
		return err
	}
	before := f.last[c.at]
	f.last[c.at] = followed{Receipt: c.receipt, known: true, json: string(encoded)}
	if before.json == string(encoded) {
		return nil // the connection broke, and nothing changed meanwhile
	}
	now := time.Now()
	switch {
	case f.view.JSON:
		_, err = f.view.To.Write(encoded)
	case !f.line.terminal || len(f.last) > 1 || c.receipt.IsFinal():
		err = f.line.keep(f.named(c.receipt, now))
	}
	f.line.draw(f.live(now))
	return err
}

// named is the outcome of a receipt, behind its ID if there are several.
func (f *follower) named(r client.Receipt, now time.Time) string {
	if len(f.last) == 1 {
		return outcome(r, now)
	}
	return console.Visible(r.ShortID) + "  " + outcome(r, now)
}

// live is the line that a terminal shows while something may change; empty if
// nothing may.
func (f *follower) live(now time.Time) string {
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
		return outcome(open[0], now)
	default:
		return fmt.Sprintf("%d of %s may still change", len(open), console.Count(len(f.last), "secrets"))
	}
}

// brokenOff is the error for a wait that was interrupted.
func (f *follower) brokenOff() error {
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

// verdict is what Follow returns once nothing changes any more.
func (f *follower) verdict() error {
	for _, r := range f.last {
		if r.State != client.StateOpened || r.Delivery == client.DeliveryLapsed {
			return &command.ExitError{Code: command.ExitGone}
		}
	}
	return nil
}
