package people

import (
	"strings"
	"time"

	"hush/cli/console"
	"hush/client"
)

// outcome says what became of a secret, as of now.
func outcome(r client.Receipt, now time.Time) string {
	switch r.State {
	case client.StateWaiting:
		return waiting(r, now)
	case client.StateOpened:
		return opened(r, now)
	case client.StateBurned:
		return "burned" + since(r.Ended, now)
	case client.StateExpired:
		return "expired" + since(r.Ended, now)
	default:
		return "unknown: the server does not say"
	}
}

// waiting says what is known of a secret that waits.
func waiting(r client.Receipt, now time.Time) string {
	text := "waiting"
	if r.LockedForGood {
		text = "locked for good after too many wrong passphrases: it can only be burned"
	}
	if !r.Expires.IsZero() {
		text += "; expires " + until(r.Expires, now)
	}
	if n := times(r, "looked"); n > 0 {
		text += "; link viewed " + console.Count(n, "times")
	}
	if n := times(r, "passphrase"); n > 0 && !r.LockedForGood {
		text += "; " + console.Count(n, "wrong passphrases")
	}
	return text
}

// opened says whether the content of a secret arrived.
func opened(r client.Receipt, now time.Time) string {
	text := "opened" + since(r.Ended, now)
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

// times returns how often an event of a kind happened.
func times(r client.Receipt, kind string) (n int) {
	for _, event := range r.Events {
		if event.Kind == kind {
			n += max(event.Count, 1)
		}
	}
	return n
}

// wordLocked is the state of a secret that no passphrase opens any more.
const wordLocked = "locked"

// short is outcome in one word, for a table.
func short(r client.Receipt) string {
	switch {
	case r.State == client.StateWaiting && r.LockedForGood:
		return wordLocked
	case r.State == client.StateOpened && r.Delivery != client.DeliveryUnknown && r.Delivery != client.DeliveryPending:
		return r.Delivery.String()
	default:
		return r.State.String()
	}
}

// kind says who encrypted a secret. It is empty where the server does not say.
func kind(e client.Encryption) string {
	switch e {
	case client.EncryptionEndToEnd:
		return "end-to-end encrypted"
	case client.EncryptionServer:
		return "encrypted by the server"
	default:
		return ""
	}
}

// happened says what an event of a timeline is.
func happened(event client.Event) string {
	words := map[string]string{
		"created": "shared", "looked": "link viewed", "passphrase": "wrong passphrase", "revealed": "opened",
		"burned": "burned", "expired": "expired", "delivered": "delivered", "lapsed": "delivery never confirmed",
	}
	text := words[event.Kind]
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

// Span says how long something lasts, in its two largest units, as in "6 days 23
// hours".
func Span(d time.Duration) string { return span(d, 2) }

// span is Span with any number of units.
func span(d time.Duration, units int) string {
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

// since says how long ago a time was, after a space. It is empty for no time.
func since(at, now time.Time) string {
	if at.IsZero() {
		return ""
	}
	return " " + ago(at, now)
}

// ago says how long ago a time was. The clocks of two machines differ, so a time that
// is still to come was just now.
func ago(at, now time.Time) string {
	d := now.Sub(at)
	if d < time.Second {
		return "just now"
	}
	return span(d, 1) + " ago"
}

// until says how long it is until a time.
func until(at, now time.Time) string {
	d := at.Sub(now)
	if d < time.Second {
		return "any moment"
	}
	return "in " + span(d, 2)
}

// moment is a time in the local zone.
func moment(at time.Time) string { return at.Local().Format("2006-01-02 15:04:05 MST") } //nolint:gosmopolitan // for the person at this machine

// minute is moment for a table; a dash for no time.
func minute(at time.Time) string {
	if at.IsZero() {
		return "-"
	}
	return at.Local().Format("2006-01-02 15:04") //nolint:gosmopolitan // as above
}
