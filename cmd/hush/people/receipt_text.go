package people

import (
	"fmt"
	"strings"
	"time"

	"hush/cli/console"
	"hush/client"
)

// outcomeText says what became of a secret, as of now.
func outcomeText(r client.Receipt, now time.Time) string {
	switch r.State {
	case client.StateWaiting:
		return waitingText(r, now)
	case client.StateOpened:
		return openedText(r, now)
	case client.StateBurned:
		return "burned" + sinceText(r.Ended, now)
	case client.StateExpired:
		return "expired" + sinceText(r.Ended, now)
	default:
		return "unknown: the server does not say"
	}
}

// waitingText says what is known of a secret that waits.
func waitingText(r client.Receipt, now time.Time) string {
	text := "waiting"
	if isArriving(r) {
		text = fmt.Sprintf("arriving, %d %%", r.File.ArrivedPercent())
	}
	if r.LockedForGood {
		text = "locked for good after too many wrong passphrases: it can only be burned"
	}
	if !r.Expires.IsZero() {
		text += "; expires " + untilText(r.Expires, now)
	}
	if n := countEvents(r, "looked"); n > 0 {
		text += "; link viewed " + console.Count(n, "times")
	}
	if n := countEvents(r, "passphrase"); n > 0 && !r.LockedForGood {
		text += "; " + console.Count(n, "wrong passphrases")
	}
	return text
}

// isArriving reports whether a secret is a file that is still being sent.
func isArriving(r client.Receipt) bool {
	return r.State == client.StateWaiting && r.File != nil && !r.File.Complete
}

// openedText says whether the content of a secret arrived.
func openedText(r client.Receipt, now time.Time) string {
	text := "opened" + sinceText(r.Ended, now)
	if r.File != nil && r.Delivery != client.DeliveryConfirmed {
		text += fmt.Sprintf(", %d %% fetched", r.File.FetchedPercent())
	}
	switch r.Delivery {
	case client.DeliveryConfirmed:
		return "delivered: " + text + ", and the recipient's device has the content"
	case client.DeliveryPending:
		return text + "; the recipient's device has not confirmed yet that it has the content"
	case client.DeliveryLapsed:
		return "lapsed: " + text + ", but the recipient's device never confirmed that it has the content"
	default:
		return text
	}
}

// countEvents returns how often an event of a kind happened.
func countEvents(r client.Receipt, kind string) (n int) {
	for _, event := range r.Events {
		if event.Kind == kind {
			n += max(event.Count, 1)
		}
	}
	return n
}

// stateLocked is the state of a secret that no passphrase opens any more.
const stateLocked = "locked"

// stateArriving is the state of a file that is still being sent.
const stateArriving = "arriving"

// stateText is outcomeText in one word, for a table.
func stateText(r client.Receipt) string {
	switch {
	case r.State == client.StateWaiting && r.LockedForGood:
		return stateLocked
	case isArriving(r):
		return stateArriving
	case r.State == client.StateOpened && r.Delivery != client.DeliveryUnknown && r.Delivery != client.DeliveryPending:
		return r.Delivery.String()
	default:
		return r.State.String()
	}
}

// encryptionText says who encrypted a secret. It is empty where the server does not say.
func encryptionText(e client.Encryption) string {
	switch e {
	case client.EncryptionEndToEnd:
		return "end-to-end encrypted"
	case client.EncryptionServer:
		return "encrypted by the server"
	default:
		return ""
	}
}

// eventText says what an event of a timeline is.
func eventText(event client.Event) string {
	texts := map[string]string{
		"created": "shared", "looked": "link viewed", "passphrase": "wrong passphrase", "revealed": "opened",
		"burned": "burned", "expired": "expired", "delivered": "delivered", "lapsed": "delivery never confirmed",
	}
	text := texts[event.Kind]
	if text == "" {
		text = event.Kind
	}
	if event.Count > 1 {
		text += ", " + console.Count(event.Count, "times")
	}
	if event.Network != "" {
		text += ", from " + event.Network
	}
	return text
}

// spanText says how long something lasts, in its two largest units, as in "6 days 23
// hours".
func spanText(d time.Duration) string { return spanOfUnits(d, 2) }

// spanOfUnits is spanText with any number of units.
func spanOfUnits(d time.Duration, units int) string {
	var parts []string
	for _, unit := range []struct {
		size   time.Duration
		plural string
	}{{24 * time.Hour, "days"}, {time.Hour, "hours"}, {time.Minute, "minutes"}, {time.Second, "seconds"}} {
		n := d / unit.size
		d %= unit.size
		if n > 0 && units > 0 {
			parts = append(parts, console.Count(int64(n), unit.plural))
		}
		if len(parts) > 0 {
			units--
		}
	}
	if len(parts) == 0 {
		return "less than a second"
	}
	return strings.Join(parts, " ")
}

// sinceText says how long ago a time was, after a space. It is empty for no time.
func sinceText(at, now time.Time) string {
	if at.IsZero() {
		return ""
	}
	return " " + agoText(at, now)
}

// agoText says how long ago a time was. The clocks of two machines differ, so a time that
// is still to come was just now.
func agoText(at, now time.Time) string {
	d := now.Sub(at)
	if d < time.Second {
		return "just now"
	}
	return spanOfUnits(d, 1) + " ago"
}

// untilText says how long it is until a time.
func untilText(at, now time.Time) string {
	d := at.Sub(now)
	if d < time.Second {
		return "any moment"
	}
	return "in " + spanOfUnits(d, 2)
}

// momentText is a time in the local zone.
func momentText(at time.Time) string { return at.Local().Format("2006-01-02 15:04:05 MST") } //nolint:gosmopolitan // for the person at this machine

// minuteText is momentText for a table; a dash for no time.
func minuteText(at time.Time) string {
	if at.IsZero() {
		return "-"
	}
	return at.Local().Format("2006-01-02 15:04") //nolint:gosmopolitan // as above
}
