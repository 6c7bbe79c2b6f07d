package v2

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/types/known/timestamppb"

	hushv1 "hush/gen/hush/v1"
	"hush/routes/version"
)

// textOrNull returns nil for an empty text.
func textOrNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// vocabulary is the words of version 2 for states. Paths that clients only know since
// two of the words changed answer in the later ones, all others in the first ones.
type vocabulary int

const (
	firstWords vocabulary = iota // viewed and received
	laterWords                   // previewed and revealed
)

// state returns the word for a state.
func (v vocabulary) state(s hushv1.State) string {
	switch {
	case v == laterWords && s == hushv1.State_STATE_VIEWED:
		return "previewed"
	case v == laterWords && s == hushv1.State_STATE_RECEIVED:
		return "revealed"
	default:
		return version.StateWord(s)
	}
}

// recipients returns obscured addresses: in the first vocabulary as one text, in the
// later one as a list, or null for none.
func (v vocabulary) recipients(addresses []string) any {
	switch {
	case v == firstWords:
		return strings.Join(addresses, ", ")
	case len(addresses) == 0:
		return nil
	default:
		return addresses
	}
}

// short returns the beginning of a key, enough to recognize it.
func short(key string, length int) string {
	return key[:min(length, len(key))]
}

// utcWords formats a time, such as 2026-11-21@04:53:52 UTC.
func utcWords(t *timestamppb.Timestamp) string {
	return t.AsTime().Format("2006-01-02@15:04:05 UTC")
}

// lifetimeWords formats a lifetime, such as 60 minutes or 7 days.
func lifetimeWords(seconds int64) string {
	switch {
	case seconds <= 60:
		return fmt.Sprintf("%d seconds", seconds)
	case seconds <= 60*60:
		return fmt.Sprintf("%d minutes", seconds/60)
	case seconds <= 24*60*60:
		return fmt.Sprintf("%d hours", seconds/(60*60))
	default:
		return fmt.Sprintf("%d days", seconds/(24*60*60))
	}
}

// agoWords formats how long ago a time was.
func agoWords(then, now time.Time) string {
	age := max(0, int64(now.Sub(then)/time.Second))
	switch {
	case age < 10:
		return "a moment ago"
	case age < 40:
		return fmt.Sprintf("about %d0 seconds ago", age*3/20)
	case age < 60:
		return "about a minute ago"
	case age < 78:
		return "1 minute ago"
	case age < 120:
		return "2 minutes ago"
	case age < 3000:
		return fmt.Sprintf("%d minutes ago", age/60)
	case age < 5040:
		return "about 1 hour ago"
	case age < 84706:
		return fmt.Sprintf("about %d hours ago", (age+1800)/3600)
	case age < 138240:
		return "yesterday"
	case age < 7*24*60*60:
		return "on " + strings.ToLower(then.UTC().Weekday().String())
	}
	if weeks := age / (7 * 24 * 60 * 60); weeks > 1 {
		return fmt.Sprintf("%d weeks ago", weeks)
	}
	return "1 week ago"
}

// displayLines returns how many lines of a text a browser should show.
func displayLines(text string) int {
	characters := utf8.RuneCountInString(text)
	return min(30, (80+characters)/80+strings.Count(text, "\n")+3)
}
