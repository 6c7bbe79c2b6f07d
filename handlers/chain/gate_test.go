package chain_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers"
)

// watchedBody is a body that records whether it was read.
type watchedBody struct{ read bool }

func (g *watchedBody) Read([]byte) (int, error) { g.read = true; return 0, errors.New("read") }
func (g *watchedBody) Close() error             { return nil }

// unread sends a request whose body must not be read, and returns the response.
func unread(t *testing.T, name string, tree http.Handler, r *http.Request) string {
	t.Helper()
	body := new(watchedBody)
	r.Body = body
	r.ContentLength = 4 << 20
	rec := httptest.NewRecorder()
	tree.ServeHTTP(rec, r)
	if body.read {
		t.Errorf("%s: got its body read, want it refused before", name)
	}
	res := rec.Result()
	whole, _ := json.Marshal([]any{rec.Code, res.Header, res.Trailer, rec.Body.String()})
	return string(whole)
}

// A caller without the right credential sends bodies of four megabytes to every
// method. None of them may be read.
func TestEveryMethodIsGatedBeforeItsBody(t *testing.T) {
	t.Parallel()
	api, log := newAPI(t, nil)
	tree := treeOf(api)
	methods := 0
	for _, mount := range api.Mounts {
		for _, procedure := range mount.Procedures {
			methods++
			for _, w := range append(wires(), wire{contentType: "application/connect+proto", enveloped: true}) {
				streams := strings.HasSuffix(procedure, "/WatchMetadata") || strings.HasSuffix(procedure, "/WatchCollection")
				if !w.enveloped && streams || strings.Contains(w.contentType, "connect+") && !streams {
					continue // the protocol does not reach that method
				}
				r := w.request(t, procedure, &hushv1.GetStatusRequest{})
				r.Header.Set("Authorization", "Bearer nonsense")
				answer := unread(t, procedure+" over "+w.String(), tree, r)
				refused := strings.Contains(answer, `unauthenticated`) || strings.Contains(answer, `Grpc-Status":["16"]`)
				hidden := strings.Contains(answer, "unknown procedure") // methods for colonels
				// Parts of files are never compressed.
				packed := strings.HasSuffix(procedure, "Part") && strings.Contains(answer, "unknown compression")
				if strings.HasSuffix(procedure, "Part") && w.zipped != packed || !packed && !refused && !hidden {
					t.Errorf("%s over %s: got %.400s, want UNAUTHENTICATED", procedure, w, answer)
				}
			}
		}
	}
	if methods < 59 {
		t.Errorf("methods: got %d, want all of the contract", methods)
	}
	if !strings.Contains(log.String(), "rpc=/hush.v1.SecretService/ConcealSecret code=unauthenticated") {
		t.Error("log: got no line of a refusal with procedure and code, want one")
	}
}

// A network that has used up its budget keeps sending. Its bodies are not read,
// and the response says when to retry.
func TestSpentBudgetsReadNoBody(t *testing.T) {
	t.Parallel()
	api, _ := newAPI(t, func(o *handlers.Options) { o.RateLimits = true })
	tree := treeOf(api)
	const procedure = "/hush.v1.IntakeService/ReceiveFeedback"
	for range 10 {
		r := wire{contentType: "application/json"}.request(t, procedure, &hushv1.ReceiveFeedbackRequest{})
		tree.ServeHTTP(httptest.NewRecorder(), r) // refused by validation, but counted
	}
	for _, w := range wires() {
		r := w.request(t, procedure, &hushv1.ReceiveFeedbackRequest{Message: "hello"})
		answer := unread(t, w.String(), tree, r)
		if !strings.Contains(answer, "rate limited") {
			t.Errorf("%s: got %.400s, want it rate limited", w, answer)
		}
	}
}

// A call that passed the gate over the wire is counted once.
func TestWireCallsCostOneUnit(t *testing.T) {
	t.Parallel()
	for _, w := range wires() {
		api, _ := newAPI(t, func(o *handlers.Options) { o.RateLimits = true })
		tree := treeOf(api)
		for i := range 11 {
			r := w.request(t, "/hush.v1.IntakeService/ReceiveFeedback", &hushv1.ReceiveFeedbackRequest{Message: "hello"})
			_, answer, _ := weigh(tree, r)
			if limited := strings.Contains(answer, "rate limited"); limited != (i == 10) {
				t.Fatalf("call %d over %s: got %.400s, want the eleventh alone to be limited", i+1, w, answer)
			}
		}
	}
}
