package people

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"hush/cli/command"
	"hush/client"
	"hush/client/otstest"
	"hush/cmd/hush/people/profile"
)

// A server that no profile has is asked what it speaks before anything is sent to it. One
// that sees every text is not used without a yes.
func TestSettled(t *testing.T) {
	t.Parallel()
	for release, want := range map[otstest.Release]string{otstest.ReleaseV1Only: "v1", otstest.Release0266: "v2"} {
		s := otstest.Start(t, otstest.Options{Release: release, NoGuests: true})
		finding := s.URL + " is not Hush: it speaks the Onetime Secret interface " + want
		for _, given := range []struct{ flags, variables []string }{
			{[]string{"--server", s.URL}, nil}, {nil, []string{"HUSH_SERVER=" + s.URL, "HUSH_TOKEN=a@a.example:t"}},
		} {
			x, _ := newTestConnector(t, given.variables, given.flags)
			if c, err := x.connect(t.Context()); !isUsage(err, finding) {
				t.Errorf("connect(%v) with %v: got %v, %v, want the usage error %q", release, given, c, err, finding)
			}
		}
		for _, call := range s.Calls() {
			if call.User != "" {
				t.Errorf("connect(%v): got the user %q sent, want none", release, call.User)
			}
		}
	}
}

// The defect: an address at which no server speaks any protocol was taken for a refusal,
// without advice.
func TestSettledAtNoServer(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(s.Close)
	x, _ := newTestConnector(t, nil, []string{"--server", s.URL})
	_, err := x.connect(t.Context())
	exit, ok := errors.AsType[*command.ExitError](err)
	if !ok || exit.Code != command.ExitUsage || !strings.Contains(err.Error(), s.URL+": the server speaks neither Hush, nor v2, nor v1; is the address right") {
		t.Errorf("connect(404 for all): got %v, want exit code %d and what to look at", err, command.ExitUsage)
	}
}

// A profile, the flag and the variable say what a server speaks: it is not asked.
func TestSettledIsNotAskedTwice(t *testing.T) {
	t.Parallel()
	s := newRecorder(t, nil)
	one := profile.Profile{Name: "default", Server: s.URL, Protocol: client.ProtocolV1}
	for _, given := range []struct{ environment, flags []string }{
		{storeProfiles(t, one), nil}, {nil, []string{"--server", s.URL, "--protocol", "hush"}},
		{[]string{"HUSH_SERVER=" + s.URL, "HUSH_PROTOCOL=v2"}, nil},
	} {
		x, _ := newTestConnector(t, given.environment, given.flags)
		if _, err := x.connect(t.Context()); err != nil {
			t.Errorf("connect with %v: got %v, want no error", slices.Concat(given.environment, given.flags), err)
		}
	}
	if got := s.tokens(); len(got) > 0 {
		t.Errorf("connect: got %d calls, want none", len(got))
	}
}
