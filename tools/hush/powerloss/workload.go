package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"hush/vault/claim"
)

const (
	clients   = 4
	firstMany = 3 // conceals of each client before anything is opened
	steps     = 11
	// shortest is the shortest lifetime of a secret.
	shortest = time.Minute
	// sweepTime is how long after its end a secret may take to be swept.
	sweepTime = 22 * time.Second
	// extendTime is how old a claim is when a word of its caller extends it durably.
	extendTime = claim.ExtendEvery + 5*time.Second
)

var errAnswer = errors.New("unexpected answer")

// workload is the load of one session over its lives.
type workload struct {
	mu       sync.Mutex
	random   *rand.ChaCha8
	kept     []*kept
	waiting  []*kept
	bound    []*kept // to their claims
	number   int
	wrong    []string
	failures bool // the server may refuse anything
}

func newWorkload(seed uint64) *workload {
	return &workload{random: rand.NewChaCha8([32]byte(binary.BigEndian.AppendUint64(make([]byte, 24), seed)))}
}

// run has several clients work. When most of it is done kill is called, in the
// middle of the rest.
func (w *workload) run(ctx context.Context, base string, kill func()) {
	var all sync.WaitGroup
	var killing sync.Once
	total := 0
	for range clients {
		all.Go(func() {
			for step := range firstMany + steps {
				w.mu.Lock()
				do := doConceal
				if step >= firstMany {
					do = draws()[w.draw(len(draws()))]
				}
				if total++; total > clients*(firstMany+steps)-clients {
					killing.Do(func() { go kill() })
				}
				w.mu.Unlock()
				if !w.step(ctx, base, do) {
					return
				}
			}
		})
	}
	all.Wait()
}

// draw returns a number below n.
func (w *workload) draw(n int) int { return rand.New(w.random).IntN(n) }

// doing is what a client does in a step.
type doing int

const (
	doConceal doing = iota
	doReveal
	doBurn
	doClaim       // reveals with a claim
	doRepeat      // asks for the content of a claim again
	doKeep        // says that it still wants that
	doAcknowledge // ends a claim
)

// draws are what clients draw from. Where what they draw is not there, they conceal.
func draws() []doing {
	return []doing{
		doConceal, doConceal, doConceal, doConceal, doConceal, doReveal, doReveal, doBurn, doBurn,
		doClaim, doClaim, doClaim, doRepeat, doKeep, doAcknowledge, doAcknowledge,
	}
}

// step does one thing and reports whether it was answered.
func (w *workload) step(ctx context.Context, base string, do doing) bool {
	from := &w.waiting
	if do >= doRepeat {
		from = &w.bound
	}
	chosen := w.take(from, do)
	if chosen == nil {
		return w.conceal(ctx, base, 0)
	}
	switch do {
	case doReveal:
		return w.call(ctx, base+"/api/v1/secret/"+chosen.Key, nil, nil)
	case doBurn:
		return w.call(ctx, base+"/api/v1/private/"+chosen.MetadataKey+"/burn", nil, nil)
	case doAcknowledge:
		return w.speak(ctx, base, pathAcknowledge, chosen, false)
	default:
		if !w.speak(ctx, base, pathClaim, chosen, do == doKeep) {
			return false
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		w.bound = append(w.bound, chosen)
		return true
	}
}

// take takes a secret from a list, and draws a claim for one that needs it. It returns
// nil if there is none.
func (w *workload) take(from *[]*kept, do doing) *kept {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := len(*from)
	if n == 0 || do == doConceal {
		return nil
	}
	at := w.draw(n)
	chosen := (*from)[at]
	(*from)[at] = (*from)[n-1]
	*from = (*from)[:n-1]
	if do == doClaim {
		chosen.Claim = make([]byte, claim.Size)
		_, _ = w.random.Read(chosen.Claim) // never fails
	}
	return chosen
}

// speak says something about a claim, in the form that callForm reads.
func (w *workload) speak(ctx context.Context, base, method string, k *kept, keep bool) bool {
	body, err := json.Marshal(struct {
		Key   string `json:"secretKey"`
		Claim []byte `json:"claim"`
		Keep  bool   `json:"keepClaim,omitempty"`
	}{k.Key, k.Claim, keep})
	return err == nil && w.post(ctx, base+"/hush.v1.SecretService/"+method, "application/json", string(body), nil)
}

func (w *workload) conceal(ctx context.Context, base string, ttl time.Duration) bool {
	w.mu.Lock()
	w.number++
	k := &kept{Text: fmt.Sprintf("secret %d", w.number), TTL: ttl}
	w.mu.Unlock()
	form := url.Values{"secret": {k.Text}}
	if ttl > 0 {
		form.Set("ttl", strconv.Itoa(int(ttl.Seconds())))
	}
	var told struct {
		Key      string `json:"secret_key"`
		Metadata string `json:"metadata_key"`
	}
	if !w.call(ctx, base+"/api/v1/share", form, &told) {
		return false
	}
	k.Key, k.MetadataKey = told.Key, told.Metadata
	w.mu.Lock()
	defer w.mu.Unlock()
	w.kept = append(w.kept, k)
	if ttl == 0 {
		w.waiting = append(w.waiting, k)
	}
	return true
}

// call posts a form and reports whether it was answered.
func (w *workload) call(ctx context.Context, target string, form url.Values, into any) bool {
	return w.post(ctx, target, "application/x-www-form-urlencoded", form.Encode(), into)
}

func (w *workload) post(ctx context.Context, target, kind, text string, into any) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, target, strings.NewReader(text))
	if err != nil {
		return false
	}
	req.Header.Set("Content-Type", kind)
	req.Header.Set("Accept-Encoding", "identity") // the record is read
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return false // the server was killed
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return false
	}
	if res.StatusCode == http.StatusOK && into != nil {
		err = json.Unmarshal(body, into)
	}
	if res.StatusCode != http.StatusOK && w.failures {
		return false
	}
	if res.StatusCode != http.StatusOK || err != nil {
		w.mu.Lock()
		w.wrong = append(w.wrong, fmt.Sprintf("%s: %.200s", res.Status, body))
		w.mu.Unlock()
		return false
	}
	return true
}

// expire conceals secrets that expire within the record, among others that do
// not, and waits until they were swept. Of three claims one is extended, one is
// acknowledged late, and the caller of one is silent.
func (w *workload) expire(ctx context.Context, base string) {
	for i := range 12 {
		ttl := shortest
		if i%2 == 1 {
			ttl = 0
		}
		w.conceal(ctx, base, ttl)
	}
	for range 3 {
		w.step(ctx, base, doClaim)
	}
	if len(w.bound) < 3 {
		return // a call has failed, which wrong has
	}
	wait := func(long time.Duration) {
		select {
		case <-ctx.Done():
		case <-time.After(long):
		}
	}
	wait(extendTime)
	w.speak(ctx, base, pathClaim, w.bound[0], true)
	wait(shortest + sweepTime - extendTime)
	w.speak(ctx, base, pathAcknowledge, w.bound[1], false)
	w.conceal(ctx, base, 0)
}
