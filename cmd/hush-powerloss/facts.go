package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// kept is what the load knows of a secret that it was answered a key for.
type kept struct {
	Key         string        `json:"key"`
	MetadataKey string        `json:"metadata_key"`
	Text        string        `json:"text"`
	TTL         time.Duration `json:"ttl"` // zero: longer than the record
}

// keptSecret is a secret and the lines on which its life was told of. never stands
// for what did not happen.
type keptSecret struct {
	kept
	concealed int // the answer with its key began
	asked     int // a request to reveal or burn it was read
	ended     int // the answer to that began
	burned    bool
	expires   time.Time // zero: not within the record

	share [shareSize]byte // found by look
}

// conversation is one connection.
type conversation struct {
	request []byte // what was read since the last answer
	key     string // of the secret or receipt that the request names
	path    string
}

var requestForm = regexp.MustCompile(`^POST /api/v1/(secret|private)/([0-9a-z]{31})(/burn)? HTTP/1\.1\r\n`)

// history is what callers were told, and when.
type history struct {
	secrets   []*keptSecret
	byKey     map[string]*keptSecret
	byReceipt map[string]*keptSecret
	cuts      map[int]struct{}
}

func newHistory(known []kept) *history {
	h := &history{byKey: map[string]*keptSecret{}, byReceipt: map[string]*keptSecret{}, cuts: map[int]struct{}{}}
	for _, k := range known {
		s := &keptSecret{kept: k, concealed: never, asked: never, ended: never}
		h.secrets = append(h.secrets, s)
		h.byKey[k.Key], h.byReceipt[k.MetadataKey] = s, s
	}
	return h
}

// spoken orders the calls on connections: a read counts when it ends, since it
// may begin while the last answer is on its way, and a write when it begins.
func spoken(calls []*call) []*call {
	var talk []*call
	for _, c := range calls {
		if strings.HasPrefix(c.target(0), "socket:") && (c.name == "read" || c.name == "write") {
			talk = append(talk, c)
		}
	}
	slices.SortStableFunc(talk, func(a, b *call) int { return cmp.Compare(a.spokenAt(), b.spokenAt()) })
	return talk
}

func (c *call) spokenAt() int {
	if c.name == "read" {
		return c.end
	}
	return c.start
}

// read follows the connections of the record.
func (h *history) read(calls []*call) error {
	talks := map[string]*conversation{}
	for _, c := range spoken(calls) {
		socket := c.target(0)
		talk := talks[socket]
		if talk == nil {
			talk = &conversation{}
			talks[socket] = talk
		}
		data, err := c.bytes(1)
		if err != nil || c.name == "read" && c.result <= 0 {
			continue // nothing was there to be read
		}
		if c.name == "read" {
			h.request(c, talk, data)
		} else if err := h.answer(c, talk, string(data)); err != nil {
			return fmt.Errorf("line %d: %w", c.start+1, err)
		}
	}
	for _, s := range h.secrets {
		if s.concealed == never {
			return fmt.Errorf("the record lacks the answer to a conceal: %w", errTrace)
		}
	}
	return nil
}

// request records that the server has read a request that ends a secret. Until
// the read has ended it is unknown.
func (h *history) request(c *call, talk *conversation, data []byte) {
	talk.request = append(talk.request, data...)
	m := requestForm.FindSubmatch(talk.request)
	if m == nil {
		return
	}
	talk.path, talk.key = string(m[1]), string(m[2])
	if s := h.named(talk); s != nil {
		s.asked = min(s.asked, c.end)
		h.cuts[c.end+1] = struct{}{}
	}
}

func (h *history) named(talk *conversation) *keptSecret {
	if talk.path == "private" {
		return h.byReceipt[talk.key]
	}
	return h.byKey[talk.key]
}

// answer notes what a caller was told. As soon as the write has begun, it may
// have reached the caller.
func (h *history) answer(c *call, talk *conversation, data string) error {
	defer func() { *talk = conversation{} }()
	head, body, found := strings.Cut(data, "\r\n\r\n")
	if !found || !strings.HasPrefix(head, "HTTP/1.1 200 ") {
		return nil
	}
	s := h.named(talk)
	if s == nil {
		var told struct {
			Key string `json:"secret_key"`
		}
		if err := json.Unmarshal([]byte(body), &told); err != nil {
			return err
		}
		if s = h.byKey[told.Key]; s == nil {
			return nil // the load was killed before it read the answer
		}
		s.concealed = min(s.concealed, c.start)
		if s.TTL > 0 {
			s.expires = c.at.Add(s.TTL)
		}
	} else {
		s.ended, s.burned = min(s.ended, c.start), talk.path == "private"
	}
	h.cuts[c.start+1] = struct{}{}
	return nil
}
