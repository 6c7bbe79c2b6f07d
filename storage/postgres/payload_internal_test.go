package postgres

import (
	"encoding/base64"
	"slices"
	"strings"
	"testing"

	"hush/storage"
)

func topicsOf(n int) []storage.Topic {
	all := make([]storage.Topic, n)
	for i := range all {
		all[i] = storage.Topic{byte(i), byte(i >> 8), 3}
	}
	return all
}

func TestPayloads(t *testing.T) {
	from := sender{1, 2, 3, 4, 5, 6, 7, 8}
	for _, lost := range []bool{false, true} {
		for _, n := range []int{0, 1, 2, payloadMost, payloadMost + 1, storage.TopicsMost} {
			var got []storage.Topic
			told, all := false, payloads(from, topicsOf(n), lost)
			for _, p := range all {
				if len(p) >= 8000 {
					t.Errorf("payloads(%d topics): got %d bytes, want fewer than 8000", n, len(p))
				}
				who, topics, missing, ok := readPayload(p)
				if !ok || who != from {
					t.Errorf("readPayload(%q): got %x, %v, want %x", p, who, ok, from)
				}
				got, told = append(got, topics...), told || missing
			}
			if !slices.Equal(got, topicsOf(n)) || told != lost || len(all) == 0 {
				t.Errorf("payloads(%d topics, lost %v): got %d payloads with %d topics, lost %v", n, lost, len(all), len(got), told)
			}
		}
	}
}

func TestChannelOf(t *testing.T) {
	long := strings.Repeat("x", 60)
	for _, schema := range []string{"hush", long, long + "y"} {
		if got := channelOf(schema); len(got) > maxName {
			t.Errorf("channelOf(%s): got %d bytes, want at most %d", schema, len(got), maxName)
		}
	}
	if channelOf(long) == channelOf(long+"y") {
		t.Errorf("channelOf: got one channel for two schemas")
	}
}

// FuzzReadPayload: every role may send anything. What is accepted is what payloads
// writes.
func FuzzReadPayload(f *testing.F) {
	for _, p := range payloads(sender{9}, topicsOf(3), true) {
		f.Add(p)
	}
	f.Add("")
	f.Add("AX0000\r000000")
	f.Add(base64.RawStdEncoding.EncodeToString([]byte("\x03nodenode")))
	f.Fuzz(func(t *testing.T, text string) {
		from, topics, lost, ok := readPayload(text)
		if !ok {
			return
		}
		if len(topics) > payloadMost {
			return // split
		}
		all := payloads(from, topics, lost)
		if len(all) != 1 {
			t.Fatalf("payloads(%d topics, %v): got %d payloads, want 1", len(topics), lost, len(all))
		}
		if again := all[0]; again != text && !lost {
			t.Errorf("readPayload(%q): encodes again as %q", text, again)
		}
	})
}
