package people

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"hush/cli/command"
	"hush/cli/console"
	"hush/client"
	"hush/cmd/hush/people/pending"
)

// collector is what the commands share that collect answers: collect, request and run. It
// opens none.
type collector struct {
	console  *console.Console
	server   *client.Client
	requests client.Requests
	link     client.CollectLink
	claims   *pending.Store
	// name is what messages call the request; empty where there is only one.
	name string
}

// newCollector returns the collector of a link to a server.
func newCollector(on *console.Console, server *client.Client, link client.CollectLink, claims *pending.Store) (*collector, error) {
	requests, err := server.Requests()
	if err != nil {
		return nil, withExitCode(err)
	}
	return &collector{console: on, server: server, requests: requests, link: link, claims: claims}, nil
}

// canOpen reports whether this device can open an answer now: one that waits, or one that
// an earlier run began to open, as long as its claim may last.
func (x *collector) canOpen(a client.Answer) bool {
	switch {
	case !a.CanOpen():
		return false
	case a.State == client.StateWaiting:
		return true
	default:
		return x.claims.Keeps(a.Link)
	}
}

// wanting says which answers are wanted, by the number in the list and the answer itself.
type wanting func(number int, a client.Answer) bool

// wantsAll wants every answer.
func wantsAll(int, client.Answer) bool { return true }

// ready returns the numbers of the answers that this device can open now, those that are
// wanted alone.
func (x *collector) ready(found client.Collection, wants wanting) (numbers []int) {
	for i, a := range found.Answers {
		if wants(i+1, a) && x.canOpen(a) {
			numbers = append(numbers, i+1)
		}
	}
	return numbers
}

// next returns the collection and the wanted answers that can be opened now. With watch it
// waits for one, until none can come any more.
func (x *collector) next(ctx context.Context, watch bool, wants wanting) (found client.Collection, numbers []int, err error) {
	if watch {
		found, err = x.wait(ctx, func(c client.Collection) bool {
			return len(x.ready(c, wants)) > 0 || c.Request.State != client.RequestOpen
		})
	} else {
		found, err = x.requests.Collect(ctx, x.link)
	}
	if err != nil {
		return found, nil, withExitCode(err)
	}
	return found, x.ready(found, wants), nil
}

// options are what opens an answer.
func (x *collector) options(found client.Collection, number int) revealOptions {
	a := found.Answers[number-1]
	options := revealOptions{
		console: x.console, client: x.server, link: a.Link, claims: x.claims, name: x.name,
		answer: pending.AnswerName(x.link.Fingerprint(), a.Number),
	}
	if options.name == "" && found.Card.Answers > 1 {
		options.name = fmt.Sprintf("answer %d", number)
	}
	return options
}

// sweep removes what killed runs left, but for the claims on these answers.
func (x *collector) sweep(found client.Collection) {
	var links []client.Link
	for _, a := range found.Answers {
		if a.CanOpen() {
			links = append(links, a.Link)
		}
	}
	for _, text := range x.claims.Sweep(links...) {
		x.console.Tellf("%s", text)
	}
}

// nothingToOpen is the error where no answer can be opened: with the code ExitNotYet if one may
// still come, and ExitGone if none will. A number is that of the only answer that is wanted.
func nothingToOpen(found client.Collection, number int) error {
	now := time.Now()
	if number == 0 && found.Card.Answers == 1 && len(found.Answers) == 1 {
		number = 1
	}
	switch {
	case number > found.Card.Answers:
		return command.Usage("there is no answer %d: the request takes %d", number, found.Card.Answers)
	case number > 0 && number <= len(found.Answers):
		text := fmt.Sprintf("answer %d cannot be opened here: ", number)
		if found.Card.Answers == 1 {
			text = "the answer cannot be opened here: "
		}
		return &command.ExitError{Code: command.ExitGone, Cause: errors.New(text + answerText(found.Answers[number-1], now))}
	case found.Request.State == client.RequestOpen && number > 0:
		return &command.ExitError{Code: command.ExitNotYet, Cause: fmt.Errorf("there is no answer %d yet: the request is %s", number, requestText(found.Request, now))}
	case found.Request.State == client.RequestOpen:
		return &command.ExitError{Code: command.ExitNotYet, Cause: fmt.Errorf("no answer waits: the request is %s", requestText(found.Request, now))}
	default:
		return &command.ExitError{Code: command.ExitGone, Cause: fmt.Errorf("no answer waits, and none will come: the request is %s", requestText(found.Request, now))}
	}
}

// collectionChange is what a watch yielded.
type collectionChange struct {
	collection client.Collection
	err        error
}

// wait follows the collection until it is as is wanted, or changes no more, and returns it.
// On a terminal it shows what it waits for in one line, elsewhere it says so once. It
// consumes nothing.
func (x *collector) wait(ctx context.Context, done func(client.Collection) bool) (client.Collection, error) {
	watching, stop := context.WithCancel(ctx)
	w := newWaiting(x) // before anything else uses the console
	defer w.end()
	changes := make(chan collectionChange)
	var sender sync.WaitGroup
	sender.Go(func() { x.send(watching, changes) })
	defer sender.Wait()
	defer stop()
	redraw := time.NewTicker(time.Second)
	defer redraw.Stop()
	for {
		select {
		case c, ok := <-changes:
			switch {
			case ctx.Err() != nil:
				return w.last, w.interrupted()
			case !ok: // the server has forgotten the request
				return w.last, nil
			case c.err != nil:
				return w.last, c.err
			}
			if w.last = c.collection; done(c.collection) {
				return c.collection, nil
			}
			w.show()
		case <-redraw.C:
			w.draw()
		case <-ctx.Done():
			return w.last, w.interrupted()
		}
	}
}

// send sends what a watch yields until ctx ends, and closes changes then.
func (x *collector) send(ctx context.Context, changes chan<- collectionChange) {
	defer close(changes)
	for c, err := range x.requests.WatchCollection(ctx, x.link) {
		select {
		case changes <- collectionChange{c, err}:
		case <-ctx.Done():
			return
		}
	}
}

// waiting is how a wait is shown.
type waiting struct {
	*collector

	line *liveLine
	last client.Collection
	told bool // that there is a wait, where no line is redrawn
}

// newWaiting shows messages beside the line until end.
func newWaiting(x *collector) *waiting {
	w := &waiting{collector: x, line: newLine(receiptView{to: x.console.Err})}
	if w.line.terminal {
		x.console.Err = &besideLine{line: w.line, to: x.console.Err}
	}
	return w
}

// end removes the line.
func (w *waiting) end() {
	w.line.clear()
	if beside, ok := w.console.Err.(*besideLine); ok {
		w.console.Err = beside.to
	}
}

// show shows what is waited for, after a change.
func (w *waiting) show() {
	if !w.line.terminal && !w.told {
		w.told = true
		w.console.Tellf("%s", w.text())
	}
	w.draw()
}

// draw shows the time that is left.
func (w *waiting) draw() {
	if w.last.Request.State == client.RequestOpen {
		w.line.draw("hush: " + w.text())
	}
}

func (w *waiting) text() string {
	text := "waiting for an answer to " + quoted(w.last.Card.Title) + ": " + requestText(w.last.Request, time.Now())
	if w.name != "" {
		text = w.name + ": " + text
	}
	return text
}

func (*waiting) interrupted() error {
	return errors.New("interrupted; what was not opened waits, and the collect link is as good as before")
}
