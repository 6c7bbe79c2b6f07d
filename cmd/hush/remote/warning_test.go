package remote

import (
	"strings"
	"testing"
)

// A profile or a variable names a server by http://, and everyone on the way to it can
// read the token. The command says so, once.
func TestWarningOfServersWithoutTLS(t *testing.T) {
	t.Parallel()
	for server, want := range map[string]int{
		"http://hush.example": 1, "http://192.0.2.1:7143": 1, "http://127.0.0.1.example": 1,
		"https://hush.example": 0, "http://127.0.0.1:7143": 0, "http://localhost:7143": 0, "http://[::1]": 0,
	} {
		x, said := choose(t, nil, nil)
		for range 2 {
			if _, err := x.Client(Target{Server: server}); err != nil {
				t.Fatal(err)
			}
		}
		if got := strings.Count(said.String(), server+" has no https: "); got != want {
			t.Errorf("Client of %s: it warned %d times, want %d; it said %q", server, got, want, said)
		}
	}
}

// A link behind an @ by mistake is not spent, and error messages end up in logs.
func TestLinkBehindAtIsNotRepeated(t *testing.T) {
	t.Parallel()
	x, _ := choose(t, nil, nil)
	_, err := x.ReadLink("@https://a.example/s#" + keyOfTests)
	if !isUsage(err, "behind the @ must stand the name of a file") || strings.Contains(err.Error(), keyOfTests) {
		t.Errorf("ReadLink of @ and a link: got %v, want a usage error without the link", err)
	}
}
