package chain

import (
	"context"
	"net/http"
	"strconv"

	"github.com/go-chi/chi/v5"
)

// exchange is a request on its way through the tree, with all that the
// middleware keeps of it: one value, and so one piece of memory, instead of a
// context, a record, a response and a body. It is the request's context, with
// the record and what chi, which routes the request, would keep in a context of
// its own.
type exchange struct {
	context.Context //nolint:containedctx // it is a context

	record  record
	answer  answer
	body    body
	routing chi.Context
	// The first matches of routing: a service below a path has two.
	patterns, names, values [2]string
}

// newExchange returns the exchange of a request.
func newExchange(w http.ResponseWriter, r *http.Request, pace *Pace) *exchange {
	e := &exchange{Context: r.Context(), answer: answer{ResponseWriter: w, sending: sending{pace: pace}}}
	e.answer.record = &e.record
	e.routing.RoutePatterns = e.patterns[:0]
	e.routing.URLParams = chi.RouteParams{Keys: e.names[:0], Values: e.values[:0]}
	return e
}

// Value implements context.Context.
func (e *exchange) Value(key any) any {
	switch key {
	case recordKey{}:
		return &e.record
	case chi.RouteCtxKey:
		return &e.routing
	default:
		return e.Context.Value(key)
	}
}

// answer is a response. It notes the status and the bytes for the log line.
type answer struct {
	http.ResponseWriter

	status int // 0 before the header was sent
	bytes  int
	record *record // nil for a response without cookies and deadlines of its own
	sending
}

// settle completes the header before it is sent: by WriteHeader, or by the server
// for a handler that wrote nothing.
func (a *answer) settle() {
	if a.record != nil && a.status == 0 {
		a.record.cookies.apply(a.Header())
	}
}

// WriteHeader implements http.ResponseWriter. Only the first status counts,
// besides those of information, which precede it.
func (a *answer) WriteHeader(status int) {
	switch informs := status >= 100 && status <= 199 && status != http.StatusSwitchingProtocols; {
	case informs:
	case a.status != 0:
		return
	default:
		a.settle()
		a.status = status
	}
	a.ResponseWriter.WriteHeader(status)
}

// Write implements io.Writer.
func (a *answer) Write(b []byte) (int, error) {
	if a.status == 0 && a.record != nil && a.record.whole && len(b) >= writeStep {
		// net/http states it for short ones only, and readers show how far they are.
		a.Header().Set("Content-Length", strconv.Itoa(len(b)))
	}
	a.WriteHeader(http.StatusOK)
	written := 0
	for {
		piece := b[written:]
		if a.record != nil && a.record.control == nil {
			piece = piece[:min(len(piece), writeStep)]
			a.advance(a.ResponseWriter, a.record, a.bytes)
		}
		n, err := a.ResponseWriter.Write(piece)
		written += n
		a.bytes += n
		if err != nil || written == len(b) {
			return written, err
		}
	}
}

// Flush implements http.Flusher. Every connection of net/http can be flushed.
func (a *answer) Flush() {
	if to, ok := a.ResponseWriter.(http.Flusher); ok {
		a.WriteHeader(http.StatusOK)
		to.Flush()
	}
}

// Unwrap is for http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }
