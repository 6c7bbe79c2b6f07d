package onetime

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"

	"hush/client"
)

// The types of v1 and v2 change with the release, and with whether a record was
// just created or read from the store. These read them all.

// jsonNumber is a number, or one in a text. Anything else is 0.
type jsonNumber float64

// UnmarshalJSON implements json.Unmarshaler.
func (n *jsonNumber) UnmarshalJSON(value []byte) error {
	*n = 0
	text := string(value)
	if unquoted := ""; json.Unmarshal(value, &unquoted) == nil {
		text = unquoted
	}
	if parsed, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err == nil && !math.IsNaN(parsed) {
		*n = jsonNumber(parsed)
	}
	return nil
}

// longest bounds what servers say of times: longer ones overflow.
const longest = 100 * 365 * 24 * time.Hour

// duration returns a number of seconds as duration.
func (n jsonNumber) duration() time.Duration {
	bounded := max(min(float64(n), longest.Seconds()), -longest.Seconds())
	return time.Duration(bounded * float64(time.Second))
}

// time returns a number of seconds since 1970 as time; the zero time for none. Some
// releases write fractions, which mean nothing.
func (n jsonNumber) time() time.Time {
	if n <= 0 {
		return time.Time{}
	}
	return time.Unix(0, 0).Add(n.duration()).UTC().Truncate(time.Second)
}

// jsonBool is a truth value, or one in a text or a number.
type jsonBool bool

// UnmarshalJSON implements json.Unmarshaler.
func (f *jsonBool) UnmarshalJSON(value []byte) error {
	text := strings.Trim(string(value), `"`)
	*f = text == "true" || text == "1"
	return nil
}

// jsonString is a text. Anything else is empty.
type jsonString string

// UnmarshalJSON implements json.Unmarshaler.
func (w *jsonString) UnmarshalJSON(value []byte) error {
	*w = ""
	if text := ""; json.Unmarshal(value, &text) == nil {
		*w = jsonString(text)
	}
	return nil
}

// jsonList is a list of texts, or one text with commas.
type jsonList []string

// UnmarshalJSON implements json.Unmarshaler.
func (w *jsonList) UnmarshalJSON(value []byte) error {
	*w = nil
	var list []string
	if json.Unmarshal(value, &list) != nil {
		text := ""
		_ = json.Unmarshal(value, &text) // anything else is none
		list = strings.Split(text, ",")
	}
	for _, text := range list {
		if text = strings.TrimSpace(text); text != "" {
			*w = append(*w, client.Plain(text))
		}
	}
	return nil
}

// jsonTime is a time such as 2026-11-21@04:52:15 UTC. Anything else is the zero time,
// as is 1970, which stands for none.
type jsonTime time.Time

// UnmarshalJSON implements json.Unmarshaler.
func (s *jsonTime) UnmarshalJSON(value []byte) error {
	*s = jsonTime{}
	text := ""
	_ = json.Unmarshal(value, &text) // anything else is none
	if parsed, err := time.Parse("2006-01-02@15:04:05 MST", text); err == nil && parsed.Unix() > 0 {
		*s = jsonTime(parsed.UTC())
	}
	return nil
}

// isTrue reports whether an optional flag is set.
func isTrue(f *jsonBool) bool { return f != nil && bool(*f) }

// stateOf returns the state for the name that any release gives it.
func stateOf(state jsonString) client.State {
	switch state {
	case "new", "viewed", "previewed", "shared":
		return client.StateWaiting
	case "received", "revealed":
		return client.StateOpened
	case "burned":
		return client.StateBurned
	case "expired":
		return client.StateExpired
	default:
		return client.StateUnknown
	}
}
