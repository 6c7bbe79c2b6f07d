package people

import (
	"fmt"
	"strings"
	"time"

	"hush/cli/console"
	"hush/client"
)

// quoted is a title for people: what a requester wrote is shown as that, and is no link.
func quoted(title string) string { return "“" + console.Visible(title) + "”" }

// cardFacts is what a requester wrote.
func cardFacts(card client.Card) []console.Fact {
	facts := []console.Fact{{Name: "request", Value: quoted(card.Title)}}
	name := "note"
	for line := range strings.Lines(card.Note) {
		facts = append(facts, console.Fact{Name: name, Value: "| " + strings.TrimSuffix(line, "\n")})
		name = ""
	}
	return facts
}

// askerText says who asks, as far as the server knows.
func askerText(q client.Question) string {
	switch {
	case q.Domain != "" && q.Address != "":
		return q.Address + ", of " + q.Domain + ", as the server confirmed"
	case q.Domain != "":
		return q.Domain + ", as the server confirmed"
	case q.Address != "":
		return q.Address + ", as the server confirmed"
	default:
		return "someone who sent you this link: the server does not know who"
	}
}

// acceptsText says what a requester accepts.
func acceptsText(card client.Card) string {
	switch {
	case card.Text && card.File:
		return "a text or a file"
	case card.File:
		return "a file"
	default:
		return "a text"
	}
}

// endText is a time to the minute for the person at this machine.
func endText(at time.Time) string { return at.Local().Format("2006-01-02 15:04 MST") } //nolint:gosmopolitan // see above

// requestText says what became of a request, as of now.
func requestText(r client.Request, now time.Time) string {
	text := r.State.String() + ", " + cameText(r)
	if r.State == client.RequestOpen {
		text += "; ends " + untilText(r.Expires, now)
	}
	return text
}

// cameText says how many answers came.
func cameText(r client.Request) string {
	switch {
	case r.Answered == 0 && r.State == client.RequestOpen:
		return "no answer yet"
	case r.Answered == 0:
		return "no answer came"
	case r.Answers == 1:
		return "answered"
	default:
		return fmt.Sprintf("%d of %d answers came", r.Answered, r.Answers)
	}
}
