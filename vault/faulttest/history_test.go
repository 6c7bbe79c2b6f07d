package faulttest_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// never is the end of an operation whose outcome no client learned: it may take
// effect at any later time, or not at all. A step that comes after all others
// has no effect that a client saw, so models let it always take place.
const never = math.MaxInt64

// history records the operations on many objects, each with a model of its
// kind. It is safe for concurrent use.
type history struct {
	began time.Time

	mu      sync.Mutex
	objects []*object
	broken  []string // what no model is needed to find wrong
	answers int
	unknown int
}

// object is one secret, account or token with its history.
type object struct {
	name  string
	model porcupine.Model
	in    *history
	ops   []porcupine.Operation
}

func newHistory() *history { return &history{began: time.Now()} }

// now returns the time since the history began, in nanoseconds.
func (h *history) now() int64 { return int64(time.Since(h.began)) }

// object adds an object.
func (h *history) object(name string, model porcupine.Model) *object {
	h.mu.Lock()
	defer h.mu.Unlock()
	o := &object{name: name, model: model, in: h}
	h.objects = append(h.objects, o)
	return o
}

// count returns how many of the operations to be checked were answered, and how
// many were not. Those that a fault refused are neither.
func (h *history) count() (answers, unknown int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.answers, h.unknown
}

// wrongf records an answer that is wrong whatever came before it.
func (h *history) wrongf(format string, args ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.broken = append(h.broken, fmt.Sprintf(format, args...))
}

// add records an operation that began at call. One of unknown outcome has no
// end.
func (o *object) add(call int64, in, out any, known bool) {
	o.in.mu.Lock()
	defer o.in.mu.Unlock()
	ends := int64(never)
	if known {
		ends = o.in.now()
		o.in.answers++
	} else {
		o.in.unknown++
	}
	o.addAt(call, ends, in, out)
}

func (o *object) addAt(call, end int64, in, out any) {
	o.ops = append(o.ops, porcupine.Operation{Input: timed{in, call, end}, Call: call, Output: out, Return: end})
}

// timed is an input with the times of its operation, for models that know of
// time.
type timed struct {
	in        any
	call, end int64
}

// checkLimit bounds the check of one object, which takes milliseconds unless
// very many operations overlapped.
const checkLimit = 30 * time.Second

// violations checks all objects and returns what is wrong with which, and which
// could not be decided within checkLimit.
func (h *history) violations() (found, undecided []string) {
	for _, o := range h.objects {
		switch porcupine.CheckOperationsTimeout(o.model, o.ops, checkLimit) {
		case porcupine.Illegal:
			found = append(found, fmt.Sprintf("%s: not linearizable\n%s", o.name, o))
		case porcupine.Unknown:
			undecided = append(undecided, fmt.Sprintf("%s: got no result in %v, want one\n%s", o.name, checkLimit, o))
		case porcupine.Ok:
		}
	}
	return found, undecided
}

func (h *history) linearizable() bool {
	found, undecided := h.violations()
	return len(found)+len(undecided) == 0
}

// String lists the operations in the order of their beginnings.
func (o *object) String() string {
	slices.SortStableFunc(o.ops, func(a, b porcupine.Operation) int { return cmp.Compare(a.Call, b.Call) })
	var s strings.Builder
	for _, op := range o.ops {
		end := "never"
		if op.Return != never {
			end = time.Duration(op.Return).String()
		}
		fmt.Fprintf(&s, "\t%v to %s: %+v -> %+v\n", time.Duration(op.Call), end, op.Input.(timed).in, op.Output)
	}
	return s.String()
}

// report fails the test for each thing that is wrong, up to a few.
func (h *history) report(t *testing.T) {
	t.Helper()
	found, undecided := h.violations()
	for i, text := range slices.Concat(h.broken, found, undecided) {
		if i == 10 {
			t.Fatalf("and more")
		}
		t.Error(text)
	}
}
