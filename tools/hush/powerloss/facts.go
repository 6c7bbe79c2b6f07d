package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"hush/vault/claim"
)

// kept is what the load knows of a secret that it was answered a key for.
type kept struct {
	Key         string        `json:"key"`
	MetadataKey string        `json:"metadata_key"`
	Text        string        `json:"text"`
	TTL         time.Duration `json:"ttl"`             // zero: longer than the record
	Claim       []byte        `json:"claim,omitempty"` // that the load revealed it with, or tried to
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
	claimed             // of one with a claim

	share [shareSize]byte // found by look
}

// conversation is one connection.
type conversation struct {
	request []byte // what was read since the last answer
	key     string // of the secret or receipt that the request names
	path    string
	asked   time.Time // when that was read
}

// The paths of requests that name a secret or a receipt.
const (
	pathReveal      = "secret"
	pathBurn        = "private"
	pathClaim       = "RevealSecret"
	pathAcknowledge = "AcknowledgeReveal"
)

var (
	requestForm = regexp.MustCompile(`^POST /api/v1/(secret|private)/([0-9a-z]{31})(/burn)? HTTP/1\.1\r\n`)
	// A call over Connect has the key in its body, as the load writes it.
	callForm = regexp.MustCompile(`(?s)^POST /hush\.v1\.SecretService/(\w+) HTTP/1\.1\r\n.*\r\n\r\n{"secretKey":"([0-9a-z]{31})"`)
)

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
		s := &keptSecret{kept: k, concealed: never, asked: never, ended: never, claimed: unclaimed()}
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

// request records that the server has read a request that ends a secret or its claim.
// Until the read has ended it is unknown.
func (h *history) request(c *call, talk *conversation, data []byte) {
	talk.request = append(talk.request, data...)
	m := requestForm.FindSubmatch(talk.request)
	if m == nil {
		m = callForm.FindSubmatch(talk.request)
	}
	if m == nil || talk.path != "" {
		return
	}
	talk.path, talk.key, talk.asked = string(m[1]), string(m[2]), c.until
	s := h.named(talk)
	if s == nil {
		return
	}
	h.cuts[c.end+1] = struct{}{}
	if talk.path == pathAcknowledge {
		s.acknowledging = min(s.acknowledging, c.end)
		return
	}
	if s.asked == never && talk.path == pathClaim {
		s.lapses = talk.asked.Add(claim.Lifetime)
	}
	s.asked = min(s.asked, c.end)
}

func (h *history) named(talk *conversation) *keptSecret {
	if talk.path == pathBurn {
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
	if s := h.named(talk); s != nil {
		if err := s.told(c, talk, body); err != nil {
			return err
		}
	} else if kept, err := h.concealed(c, body); err != nil || !kept {
		return err
	}
	h.cuts[c.start+1] = struct{}{}
	return nil
}

// concealed notes an answer to a conceal. kept is false if the load was killed before
// it read that.
func (h *history) concealed(c *call, body string) (kept bool, err error) {
	var told struct {
		Key string `json:"secret_key"`
	}
	if err := json.Unmarshal([]byte(body), &told); err != nil {
		return false, err
	}
	s := h.byKey[told.Key]
	if s == nil {
		return false, nil
	}
	s.concealed = min(s.concealed, c.start)
	if s.TTL > 0 {
		s.expires = c.at.Add(s.TTL)
	}
	return true, nil
}

// told notes an answer to a request that names a secret.
func (s *keptSecret) told(c *call, talk *conversation, body string) error {
	switch talk.path {
	case pathAcknowledge:
		s.acknowledged = min(s.acknowledged, c.start)
		return nil
	case pathClaim:
		left, err := claimLeft(body)
		if err != nil {
			return err
		}
		s.words = append(s.words, word{c.start, talk.asked.Add(left)})
	}
	s.ended, s.burned = min(s.ended, c.start), talk.path == pathBurn
	return nil
}

// over counts what has ended by itself at a time: two starts on one image differ by
// that.
func (h *history) over(now time.Time) (n int) {
	for _, s := range h.secrets {
		if !s.expires.IsZero() && !now.Before(s.expires) {
			n++
		}
		for _, at := range s.lapseTimes() {
			if !now.Before(at) {
				n++
			}
		}
	}
	return n
}
