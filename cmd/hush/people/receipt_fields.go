package people

import (
	"strings"
	"time"

	"hush/cli/console"
	"hush/client"
)

// receiptFields are what people read of a receipt, a name and a value each. What the server
// does not say is left out.
func receiptFields(r client.Receipt, now time.Time) []console.Fact {
	list := []console.Fact{{Name: "state", Value: outcome(r, now)}, {Name: "ID", Value: r.ShortID}}
	add := func(name, value string) {
		if value != "" {
			list = append(list, console.Fact{Name: name, Value: value})
		}
	}
	add("label", r.Label)
	add("kind", kind(r.Encryption))
	if r.State == client.StateWaiting {
		add("passphrase", passphrase(r))
	}
	if r.TTL > 0 {
		add("lifetime", Span(r.TTL))
	}
	add("shared", dated(r.Created, ago, now))
	add(ended(r.State), dated(r.Ended, ago, now))
	if r.State == client.StateWaiting {
		add("expires", dated(r.Expires, until, now))
	}
	add("domain", r.Domain)
	add("recipients", strings.Join(r.Recipients, ", "))
	add("mails", mails(r.Mails))
	return append(list, timeline(r.Events, now)...)
}

func passphrase(r client.Receipt) string {
	switch {
	case r.LockedForGood:
		return "required, and no longer accepted"
	case r.HasPassphrase:
		return "required"
	default:
		return "none"
	}
}

// ended names the fact that has the time of the end of a secret.
func ended(state client.State) string {
	if state == client.StateWaiting || state == client.StateUnknown {
		return "ended"
	}
	return state.String()
}

// dated is a time with how far away it is, as distance says; empty for no time.
func dated(at time.Time, distance func(at, now time.Time) string, now time.Time) string {
	if at.IsZero() {
		return ""
	}
	return moment(at) + " (" + distance(at, now) + ")"
}

func mails(list []client.Mail) string {
	states := make([]string, len(list))
	for i, mail := range list {
		states[i] = mail.Recipient + ": " + mail.State
	}
	return strings.Join(states, ", ")
}

// timeline has a fact for each event, the first of which has the name.
func timeline(events []client.Event, now time.Time) (list []console.Fact) {
	name := "timeline"
	for _, event := range events {
		list = append(list, console.Fact{Name: name, Value: dated(event.Time, ago, now) + ": " + happened(event)})
		name = ""
	}
	return list
}
