package people

import (
	"strings"
	"testing"
	"time"

	"hush/client"
)

// A profile or a variable names a server by http://, and everyone on the way to it can
// read the token. The command says so, once.
func TestWarningOfServersWithoutTLS(t *testing.T) {
	t.Parallel()
	for server, want := range map[string]int{
		"http://hush.example": 1, "http://192.0.2.1:7143": 1, "http://127.0.0.1.example": 1,
		"https://hush.example": 0, "http://127.0.0.1:7143": 0, "http://localhost:7143": 0, "http://[::1]": 0,
	} {
		x, said := newTestConnector(t, nil, nil)
		for range 2 {
			if _, err := x.newClient(t.Context(), serverTarget{server: server}); err != nil {
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
	x, _ := newTestConnector(t, nil, nil)
	_, err := readLink(t.Context(), x.console, []string{"@https://a.example/s#" + testKey}, "", client.ParseLink)
	if !isUsage(err, "behind the @ must stand the name of a file") || strings.Contains(err.Error(), testKey) {
		t.Errorf("readLink of @ and a link: got %v, want a usage error without the link", err)
	}
}

// A pause is never shown as 0s.
func TestNoticeOfAPause(t *testing.T) {
	t.Parallel()
	for wait, want := range map[time.Duration]string{
		0: "trying again", 20 * time.Millisecond: "trying again",
		400 * time.Millisecond: "trying again in 400ms", 1240 * time.Millisecond: "trying again in 1.2s",
		3 * time.Second: "trying again in 3s", 9990 * time.Millisecond: "trying again in 10s", 12400 * time.Millisecond: "trying again in 12s",
	} {
		x, said := newTestConnector(t, nil, nil)
		x.tellRetry(errTimeout, wait)
		if got := said.String(); got != "hush: "+errTimeout.Error()+"; "+want+"\n" {
			t.Errorf("notice of a pause of %s: got %q, want that it ends with %q", wait, got, want)
		}
		limited := withExitCode(&client.Error{Kind: client.KindLimited, Message: "too many calls", RetryAfter: wait})
		if wait > time.Second && !strings.HasSuffix(limited.Error(), strings.TrimPrefix(want, "trying ")) || strings.HasSuffix(limited.Error(), " 0s") {
			t.Errorf("error with a pause of %s: got %q, want the same pause", wait, limited)
		}
	}
}
