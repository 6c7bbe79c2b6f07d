package chain

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	hushv1 "hush/gen/hush/v1"
)

// panicKey is an argument that must not appear in a log, of the size of a
// link's key.
const panicKey = "q7zk2v9xw4jt8bn3mc5hd6gf1rsp0ya"

//go:noinline
func panicWith(key [31]byte, text string) error {
	if key[0] == panicKey[0] {
		panic(text)
	}
	return nil
}

// leaked returns the part of panicKey that a text shows: four characters in a
// row, in plain, in hex, or as the words of an array.
func leaked(text string) string {
	for i := range len(panicKey) - 3 {
		part := panicKey[i : i+4]
		words := fmt.Sprintf("%#x, %#x, %#x, %#x", part[0], part[1], part[2], part[3])
		for _, form := range []string{part, fmt.Sprintf("%x", part), words} {
			if strings.Contains(text, form) {
				return form
			}
		}
	}
	return ""
}

// The attack: find a request that makes a function with a key as its argument
// panic, and read the log. Go's own stack traces would show the first
// characters of the key.
func TestPanicsShowNoArguments(t *testing.T) {
	t.Parallel()
	fail := func() error { return panicWith([31]byte([]byte(panicKey)), panicKey) }
	for name, panics := range map[string]func(log *strings.Builder){
		"in an RPC": func(log *strings.Builder) {
			method := bind(chainOf(gateOf(t, nil), textLog(log)), "/hush.v1.SystemService/GetStatus",
				func(context.Context, *hushv1.GetStatusRequest) (*hushv1.GetStatusResponse, error) { return nil, fail() })
			if _, err := admitted(t.Context(), &record{}, method, &hushv1.GetStatusRequest{}); err == nil || leaked(err.Error()) != "" {
				t.Errorf("Call: got %v, want an error without the key", err)
			}
		},
		"outside of RPCs": func(log *strings.Builder) {
			m := middleware{log: textLog(log)}
			response := httptest.NewRecorder()
			func() {
				defer func() {
					m.panicked(&answer{ResponseWriter: response}, httptest.NewRequest(http.MethodGet, "/", nil), &record{}, recover())
				}()
				_ = fail()
			}()
			if response.Code != http.StatusInternalServerError || leaked(response.Body.String()) != "" {
				t.Errorf("answer: got %d %s, want 500 without the key", response.Code, response.Body)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log := &strings.Builder{}
			panics(log)
			if found := leaked(log.String()); found != "" {
				t.Errorf("log: got %q in %s, want nothing of the key", found, log)
			}
			if !strings.Contains(log.String(), "chain.panicWith panic_internal_test.go:") {
				t.Errorf("log: got %s, want the function that panicked and its line", log)
			}
		})
	}
}
