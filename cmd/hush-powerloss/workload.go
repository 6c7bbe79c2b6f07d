package main

import (
	"context"
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
)

const (
	clients   = 4
	firstMany = 3 // conceals of each client before anything is opened
	steps     = 11
	// shortest is the shortest lifetime of a secret.
	shortest = time.Minute
	// sweepTime is how long after its end a secret may take to be swept.
	sweepTime = 22 * time.Second
)

var errAnswer = errors.New("unexpected answer")

// workload is the load of one session over its lives.
type workload struct {
	mu      sync.Mutex
	random  *rand.Rand
	kept    []kept
	waiting []kept
	number  int
	wrong   []string
}

func newWorkload(seed uint64) *workload {
	return &workload{random: rand.New(rand.NewPCG(seed, 1))}
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
				draw := w.random.IntN(10)
				if total++; total > clients*(firstMany+steps)-clients {
					killing.Do(func() { go kill() })
				}
				w.mu.Unlock()
				if !w.step(ctx, base, draw, step < firstMany) {
					return
				}
			}
		})
	}
	all.Wait()
}

// step does one thing and reports whether it was answered.
func (w *workload) step(ctx context.Context, base string, draw int, first bool) bool {
	w.mu.Lock()
	var chosen *kept
	if n := len(w.waiting); n > 0 && draw >= 5 && !first {
		at := w.random.IntN(n)
		chosen = &kept{}
		*chosen = w.waiting[at]
		w.waiting[at] = w.waiting[n-1]
		w.waiting = w.waiting[:n-1]
	}
	w.mu.Unlock()
	switch {
	case chosen == nil:
		return w.conceal(ctx, base, 0)
	case draw < 8:
		return w.call(ctx, base+"/api/v1/secret/"+chosen.Key, nil, nil)
	default:
		return w.call(ctx, base+"/api/v1/private/"+chosen.MetadataKey+"/burn", nil, nil)
	}
}

func (w *workload) conceal(ctx context.Context, base string, ttl time.Duration) bool {
	w.mu.Lock()
	w.number++
	k := kept{Text: fmt.Sprintf("secret %d", w.number), TTL: ttl}
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
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, target, strings.NewReader(form.Encode()))
	if err != nil {
		return false
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
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
	if res.StatusCode != http.StatusOK || err != nil {
		w.mu.Lock()
		w.wrong = append(w.wrong, fmt.Sprintf("%s: %.200s", res.Status, body))
		w.mu.Unlock()
		return false
	}
	return true
}

// expire conceals secrets that expire within the record, among others that do
// not, and waits until they were swept.
func (w *workload) expire(ctx context.Context, base string) {
	for i := range 12 {
		ttl := shortest
		if i%3 == 2 {
			ttl = 0
		}
		w.conceal(ctx, base, ttl)
	}
	select {
	case <-ctx.Done():
	case <-time.After(shortest + sweepTime):
	}
	w.conceal(ctx, base, 0)
}
