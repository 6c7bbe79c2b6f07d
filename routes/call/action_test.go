package call

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"hush/routes/params"
	"hush/routes/refusal"
)

// The gate comes before the body: the body of a refused request is not read.
func TestRunAsksTheGateFirst(t *testing.T) {
	closed := errors.New("closed")
	env := &Env{Gate: func(context.Context, http.Header, ...string) error { return closed }}
	r := httptest.NewRequest(http.MethodPost, "/", failing{t})
	if _, err := env.Run(new(Request), r, Action{}); !errors.Is(err, closed) {
		t.Errorf("Run(closed gate): got error %v, want %v", err, closed)
	}
}

// failing fails the test if it is read.
type failing struct{ t *testing.T }

func (f failing) Read([]byte) (int, error) {
	f.t.Error("Run(closed gate): got the body read, want it left alone")
	return 0, errors.New("read")
}

// An action reads the parameters that it declares and no others.
func TestRunLimitsParams(t *testing.T) {
	env := &Env{Gate: func(context.Context, http.Header, ...string) error { return nil }}
	reads := func(name string) Action {
		return Action{
			Fields: []params.Field{{Name: "a"}},
			Run:    func(_ context.Context, req *Request) (any, error) { return req.Params.Text(name) },
		}
	}
	run := func(name string) (any, error) {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader("a=1&b=2&shrimp=s"))
		return env.Run(new(Request), r, reads(name))
	}
	if got, err := run("a"); got != "1" || err != nil {
		t.Errorf("Run(declared): got %v, %v, want 1", got, err)
	}
	if got, err := run("b"); err == nil || refusal.Read(err).Class != refusal.ClassInternal {
		t.Errorf("Run(undeclared): got %v, %v, want an internal error", got, err)
	}
}

func TestEitherFields(t *testing.T) {
	yes := Action{Fields: []params.Field{{Name: "a", Required: true}, {Name: "b", Required: true}, {Name: "c"}}}
	no := Action{Fields: []params.Field{{Name: "a", Required: true}, {Name: "c", Required: true}}}
	for _, field := range Either(Continues(""), yes, no).Fields {
		if want := field.Name == "a"; field.Required != want {
			t.Errorf("Either().Fields: got %s required %t, want %t", field.Name, field.Required, want)
		}
	}
}
