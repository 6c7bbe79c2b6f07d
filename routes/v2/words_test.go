package v2

import (
	"strings"
	"testing"
	"time"

	"hush/routes/routestest"
)

func TestLifetimeWords(t *testing.T) {
	for seconds, want := range map[int64]string{
		0: "0 seconds", 60: "60 seconds", 61: "1 minutes", 3600: "60 minutes", 3601: "1 hours",
		86400: "24 hours", 86401: "1 days", 604800: "7 days", 2592000: "30 days",
	} {
		if got := lifetimeWords(seconds); got != want {
			t.Errorf("lifetimeWords(%d): got %q, want %q", seconds, got, want)
		}
	}
}

func TestAgoWords(t *testing.T) {
	for seconds, want := range map[int]string{
		-5: "a moment ago", 9: "a moment ago", 10: "about 10 seconds ago", 20: "about 30 seconds ago",
		39: "about 50 seconds ago", 40: "about a minute ago", 60: "1 minute ago", 78: "2 minutes ago",
		120: "2 minutes ago", 2999: "49 minutes ago", 3000: "about 1 hour ago", 7200: "about 2 hours ago",
		84706: "yesterday", 138240: "on thursday", 7 * 86400: "1 week ago", 15 * 86400: "2 weeks ago",
	} {
		then := routestest.Now().Add(-time.Duration(seconds) * time.Second)
		if got := agoWords(then, routestest.Now()); got != want {
			t.Errorf("agoWords(%d s): got %q, want %q", seconds, got, want)
		}
	}
}

func TestDisplayLines(t *testing.T) {
	for text, want := range map[string]int{
		"": 4, "abc": 4, "a\nb\nc": 6, strings.Repeat("é", 80): 5, strings.Repeat("\n", 1000): 30,
	} {
		if got := displayLines(text); got != want {
			t.Errorf("displayLines(%d bytes): got %d, want %d", len(text), got, want)
		}
	}
}
