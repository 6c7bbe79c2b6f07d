package remote

import (
	"slices"
	"testing"

	"hush/client"
	"hush/client/otstest"
	"hush/cmd/hush/profile"
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
			x, _ := choose(t, given.variables, given.flags)
			if c, err := x.Connect(t.Context()); !isUsage(err, finding) {
				t.Errorf("Connect(%v) with %v: got %v, %v, want the usage error %q", release, given, c, err, finding)
			}
		}
		for _, call := range s.Calls() {
			if call.User != "" {
				t.Errorf("Connect(%v): got the user %q sent, want none", release, call.User)
			}
		}
	}
}

// A profile, the flag and the variable say what a server speaks: it is not asked.
func TestSettledIsNotAskedTwice(t *testing.T) {
	t.Parallel()
	s := newRecorder(t, nil)
	one := profile.Profile{Name: "default", Server: s.URL, Protocol: client.ProtocolV1}
	for _, given := range []struct{ environment, flags []string }{
		{stored(t, one), nil}, {nil, []string{"--server", s.URL, "--protocol", "hush"}},
		{[]string{"HUSH_SERVER=" + s.URL, "HUSH_PROTOCOL=v2"}, nil},
	} {
		x, _ := choose(t, given.environment, given.flags)
		if _, err := x.Connect(t.Context()); err != nil {
			t.Errorf("Connect with %v: got %v, want no error", slices.Concat(given.environment, given.flags), err)
		}
	}
	if got := s.tokens(); len(got) > 0 {
		t.Errorf("Connect: got %d calls, want none", len(got))
	}
}
