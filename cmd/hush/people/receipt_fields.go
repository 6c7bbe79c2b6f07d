package people

import (
	"fmt"
	"strings"
	"time"

	"hush/cli/console"
	"hush/client"
)

// receiptFields are what people read of a receipt, a name and a value each. What the server
// does not say is left out.
func receiptFields(r client.Receipt, now time.Time) []console.Fact {
	list := []console.Fact{{Name: "state", Value: outcomeText(r, now)}, {Name: "ID", Value: r.ShortID}}
	add := func(name, value string) {
		if value != "" {
			list = append(list, console.Fact{Name: name, Value: value})
		}
	}
	add("label", r.Label)
	add("kind", encryptionText(r.Encryption))
	if r.File != nil {
		add("file", fileText(r))
	}
	if r.State == client.StateWaiting {
		add("passphrase", passphraseText(r))
	}
	if r.TTL > 0 {
		add("lifetime", spanText(r.TTL))
	}
	add("shared", timeText(r.Created, agoText, now))
	add(endedName(r.State), timeText(r.Ended, agoText, now))
	if r.State == client.StateWaiting {
		add("expires", timeText(r.Expires, untilText, now))
	}
	add("domain", r.Domain)
	add("recipients", strings.Join(r.Recipients, ", "))
	add("mails", mailsText(r.Mails))
	return append(list, timelineFields(r.Events, now)...)
}

// fileText is how far a file is. Only its sender knows its name.
func fileText(r client.Receipt) string {
	text := "about " + sizeText(r.File.Size)
	switch {
	case isArriving(r):
		return text + fmt.Sprintf(", %d %% arrived", r.File.ArrivedPercent())
	case r.State == client.StateOpened:
		return text + fmt.Sprintf(", %d %% fetched", r.File.FetchedPercent())
	default:
		return text
	}
}

func passphraseText(r client.Receipt) string {
	switch {
	case r.LockedForGood:
		return "required, and no longer accepted"
	case r.HasPassphrase:
		return "required"
	default:
		return "none"
	}
}

// endedName names the fact that has the time of the end of a secret.
func endedName(state client.State) string {
	if state == client.StateWaiting || state == client.StateUnknown {
		return "ended"
	}
	return state.String()
}

// timeText is a time with how far away it is, as distance says; empty for no time.
func timeText(at time.Time, distance func(at, now time.Time) string, now time.Time) string {
	if at.IsZero() {
		return ""
	}
	return momentText(at) + " (" + distance(at, now) + ")"
}

func mailsText(list []client.Mail) string {
	states := make([]string, len(list))
	for i, mail := range list {
		states[i] = mail.Recipient + ": " + mail.State
	}
	return strings.Join(states, ", ")
}

// timelineFields has a fact for each event, the first of which has the name.
func timelineFields(events []client.Event, now time.Time) (list []console.Fact) {
	name := "timeline"
	for _, event := range events {
		list = append(list, console.Fact{Name: name, Value: timeText(event.Time, agoText, now) + ": " + eventText(event)})
		name = ""
	}
	return list
}
