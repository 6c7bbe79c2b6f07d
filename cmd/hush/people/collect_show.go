package people

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"hush/cli/command"
	"hush/cli/console"
	"hush/client"
)

// show prints a request and its answers to standard output.
func (o *collectCommand) show(ctx context.Context, x *collector) error {
	found, err := x.requests.Collect(ctx, x.link)
	if err != nil {
		return withExitCode(err)
	}
	x.warnOfLink(found)
	if o.asJSON {
		return printJSON(o.console, x.json(found))
	}
	return printCollection(o.console, found)
}

// warnOfLink says that the request link does not lead to the host of the collect link: each
// answer of the server says anew where it leads. A custom domain of the account is such a
// host, too.
func (x *collector) warnOfLink(found client.Collection) {
	if text := linkHostWarning(found.Link.Server, x.link.Server, ""); text != "" {
		x.console.Tellf("%s", text)
	}
}

// tell prints a request and its answers to standard error.
func (x *collector) tell(found client.Collection) error {
	x.warnOfLink(found)
	return printCollection(&console.Console{Out: x.console.Err}, found)
}

// printCollection prints a request and its answers for people.
func printCollection(to *console.Console, found client.Collection) error {
	facts := cardFacts(found.Card, columnsOfConsole(to.Out))
	facts = append(facts, console.Fact{Name: "state", Value: requestText(found.Request, time.Now())}, console.Fact{Name: "link", Value: found.Link.Expose()})
	if err := to.Facts(facts); err != nil || len(found.Answers) == 0 {
		return err
	}
	rows := make([][]string, len(found.Answers))
	for i, a := range found.Answers {
		rows[i] = answerRow(i+1, a)
	}
	if _, err := fmt.Fprintln(to.Out); err != nil {
		return err
	}
	return to.Table("ANSWER,STATE,CAME,SIZE,PASSPHRASE,NAME", rows)
}

// answerRow is an answer in a table.
func answerRow(number int, a client.Answer) []string {
	passphrase := "-"
	if a.HasPassphrase && a.State == client.StateWaiting {
		passphrase = "yes"
	}
	return []string{
		strconv.Itoa(number), answerWord(a), minuteText(a.Created), console.Count(a.Size, "bytes"), passphrase, console.OrDash(shortName(a.Name)),
	}
}

// nameMax is how many characters of a file name a table has: a longer one would be wrapped on
// a terminal, into what could look like another row.
const nameMax = 40

// shortName is the name of a file for a table.
func shortName(name string) string {
	if runes := []rune(name); len(runes) > nameMax {
		return string(runes[:nameMax-1]) + "…"
	}
	return name
}

// receiptOf is an answer as its responder's receipt shows it.
func receiptOf(a client.Answer) client.Receipt {
	r := client.Receipt{State: a.State, HasPassphrase: a.HasPassphrase, Created: a.Created, Expires: a.Expires, Events: a.Events}
	if a.State == client.StateExpired {
		r.Ended = a.Expires
	}
	for _, event := range a.Events {
		switch event.Kind {
		case "delivered":
			r.Delivery = client.DeliveryConfirmed
		case "lapsed":
			r.Delivery = client.DeliveryLapsed
		case "revealed", "burned":
			r.Ended = event.Time
		}
	}
	if r.State == client.StateOpened && r.Delivery == client.DeliveryUnknown && a.CanOpen() {
		r.Delivery = client.DeliveryPending
	}
	return r
}

// answerText says what became of an answer, as of now.
func answerText(a client.Answer, now time.Time) string {
	switch r := receiptOf(a); {
	case a.Fault == client.AnswerAltered:
		return "what should open it was altered, or is another answer's"
	case a.Fault == client.AnswerRepeated:
		return "it repeats another answer"
	case r.Delivery == client.DeliveryPending:
		return "another device began to open it" + sinceText(r.Ended, now)
	case r.Delivery == client.DeliveryConfirmed:
		return "it was opened" + sinceText(r.Ended, now) + ", and a device with the collect link has the content"
	case r.Delivery == client.DeliveryLapsed:
		return "it was opened" + sinceText(r.Ended, now) + ", and the device never confirmed that it has the content"
	default:
		return "it was " + outcomeText(r, now)
	}
}

// answerWord is answerText in one word, for a table.
func answerWord(a client.Answer) string {
	if a.Fault != client.AnswerSound {
		return a.Fault.String()
	}
	return stateText(receiptOf(a))
}

// collectionJSON is a request with its answers as programs read it.
type collectionJSON struct {
	Title    string       `json:"title"`
	Note     string       `json:"note"`
	State    string       `json:"state"`
	Link     string       `json:"link"`
	Server   string       `json:"server"`
	Created  *time.Time   `json:"created"`
	Expires  *time.Time   `json:"expires"`
	Wanted   int          `json:"wanted"`
	Answered int          `json:"answered"`
	Answers  []answerJSON `json:"answers"`
}

type answerJSON struct {
	Number        int        `json:"number"`
	State         string     `json:"state"`
	Delivery      string     `json:"delivery"`
	HasPassphrase bool       `json:"has_passphrase"`
	Size          int64      `json:"size"`
	FileName      string     `json:"file_name"`
	Created       *time.Time `json:"created"`
	Expires       *time.Time `json:"expires"`
	// Fault is why it is never opened.
	Fault string `json:"fault,omitempty"`
	// Opens: this device can open it now.
	Opens bool `json:"opens"`
}

// faultJSON is empty for an answer without a fault.
func faultJSON(a client.Answer) string {
	if a.Fault == client.AnswerSound {
		return ""
	}
	return a.Fault.String()
}

func (x *collector) json(found client.Collection) collectionJSON {
	object := collectionJSON{
		Title: found.Card.Title, Note: found.Card.Note, State: found.Request.State.String(), Link: found.Link.Expose(), Server: x.link.Server,
		Created: timeJSON(found.Request.Created), Expires: timeJSON(found.Request.Expires),
		Wanted: found.Card.Answers, Answered: found.Request.Answered,
		Answers: make([]answerJSON, len(found.Answers)),
	}
	for i, a := range found.Answers {
		object.Answers[i] = answerJSON{
			Number: i + 1, State: a.State.String(), Delivery: receiptOf(a).Delivery.String(), Fault: faultJSON(a), HasPassphrase: a.HasPassphrase, Size: a.Size,
			FileName: a.Name, Created: timeJSON(a.Created), Expires: timeJSON(a.Expires), Opens: x.canOpen(a),
		}
	}
	return object
}

// burn destroys an answer unread, after a yes.
func (o *collectCommand) burn(ctx context.Context, x *collector) error {
	found, err := x.requests.Collect(ctx, x.link)
	if err != nil {
		return withExitCode(err)
	}
	if o.burned > len(found.Answers) {
		return command.Usage("there is no answer %d: %s", o.burned, requestText(found.Request, time.Now()))
	}
	a := found.Answers[o.burned-1]
	if a.State != client.StateWaiting {
		return &command.ExitError{Code: command.ExitGone, Cause: fmt.Errorf("nothing to burn: answer %d is gone: %s", o.burned, answerText(a, time.Now()))}
	}
	others := slices.Delete(slices.Clone(found.Answers), o.burned-1, o.burned)
	if slices.ContainsFunc(others, func(other client.Answer) bool { return other.Number == a.Number }) {
		return fmt.Errorf("answer %d is in the list twice, and another one might be burned: nothing was burned", o.burned)
	}
	if !o.sure {
		sure, err := o.console.Confirm(ctx, fmt.Sprintf("Burn answer %d to %s, unread?", o.burned, quoted(found.Card.Title)))
		if err == nil && !sure {
			err = errors.New("nothing was burned")
		}
		if err != nil {
			return err
		}
	}
	if found, err = x.requests.BurnAnswer(ctx, x.link, a.Number); err != nil {
		return withExitCode(err)
	}
	if o.asJSON {
		x.warnOfLink(found)
		return printJSON(o.console, x.json(found))
	}
	o.console.Tellf("burned answer %d", o.burned)
	return nil
}
