package people

import (
	"encoding/pem"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"hush/cli/command"
	"hush/client"
	"hush/cmd/hush/people/profile"
)

// recorder is a server of no protocol that keeps what it gets.
type recorder struct {
	*httptest.Server
	mu       sync.Mutex
	requests []*http.Request
}

func newRecorder(t *testing.T, answer http.HandlerFunc) *recorder {
	t.Helper()
	r := &recorder{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		r.mu.Lock()
		r.requests = append(r.requests, request)
		r.mu.Unlock()
		answer(w, request)
	}))
	t.Cleanup(r.Close)
	return r
}

// tokens returns the tokens that came, one for each request.
func (r *recorder) tokens() (tokens []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, request := range r.requests {
		tokens = append(tokens, request.Header.Get("Authorization"))
	}
	return tokens
}

// A link, a redirect or a variable leads a command to another server, which records
// what it gets. No token may be in it.
func TestTokenIsSentToItsServerOnly(t *testing.T) {
	t.Parallel()
	evil := newRecorder(t, http.NotFound)
	mine := newRecorder(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, evil.URL+r.URL.Path, http.StatusTemporaryRedirect)
	})
	environment := storeProfiles(t, profile.Profile{Name: "default", Server: mine.URL, Token: profile.PlaceFile})
	key := strings.Repeat("k", 31)
	calls := map[string]func(x *connector, server string) error{
		"receipt": func(x *connector, server string) error {
			link, err := client.ParseReceiptLink(server + "/r#" + key)
			if err != nil {
				return err
			}
			c, err := x.connectToReceipt(t.Context(), link)
			if err != nil {
				return err
			}
			_, err = c.Receipt(t.Context(), link.Keys[0])
			return err
		},
		"link": func(x *connector, server string) error {
			link, err := client.ParseLink(server + "/s#" + key)
			if err != nil {
				return err
			}
			c, err := x.connectToLink(t.Context(), link)
			if err != nil {
				return err
			}
			_, err = c.Look(t.Context(), link)
			return err
		},
	}
	for _, variables := range [][]string{nil, {"HUSH_TOKEN=t"}, {"HUSH_TOKEN=t", "HUSH_SERVER=" + mine.URL}} {
		for name, call := range calls {
			for _, server := range []string{mine.URL, evil.URL} {
				x, _ := newTestConnector(t, append(environment, variables...), nil)
				if err := call(x, server); client.KindOf(err) != client.KindProtocol {
					t.Errorf("%s of %s: got %v, want the error of a server that is no Hush", name, server, err)
				}
				if got := mine.tokens(); name == "link" && server == mine.URL && got[len(got)-1] != "" {
					t.Errorf("%s of %s: got the token %q sent, want none: opening needs none", name, server, got[len(got)-1])
				}
			}
		}
		x, _ := newTestConnector(t, append(environment, variables...), []string{"--server", evil.URL})
		c, err := x.connect(t.Context())
		if variables != nil {
			if _, wrong := errors.AsType[*command.UsageError](err); !wrong {
				t.Errorf("connect(another server) with %q: got %v, want a usage error", variables, err)
			}
			continue
		}
		if client.KindOf(err) != client.KindUnsupported {
			t.Errorf("connect(another server): got %v, %v, want the error of a server that speaks nothing known", c, err)
		}
	}
	for _, token := range evil.tokens() {
		if token != "" {
			t.Errorf("another server got %q, want no token", token)
		}
	}
	if got := strings.Join(mine.tokens(), ","); !strings.Contains(got, "Bearer token-default") || !strings.Contains(got+",", "Bearer t,") {
		t.Errorf("the server of the tokens got %q, want both", got)
	}
	if agent := evil.requests[0].UserAgent(); agent != "hush/1.2.3" {
		t.Errorf("User-Agent: got %q, want hush/1.2.3", agent)
	}
}

func TestCAFile(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // handshakes fail
	server.StartTLS()
	t.Cleanup(server.Close)
	folder := t.TempDir()
	good, empty := filepath.Join(folder, "ca.pem"), filepath.Join(folder, "empty.pem")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := errors.Join(os.WriteFile(good, certificate, 0o600), os.WriteFile(empty, []byte("none"), 0o600)); err != nil {
		t.Fatal(err)
	}
	get := func(flags ...string) error {
		x, _ := newTestConnector(t, nil, flags)
		sender, err := x.newHTTPClient(t.Context(), "")
		if err != nil {
			return err
		}
		response, err := sender.Get(server.URL)
		if err == nil {
			response.Body.Close()
		}
		return err
	}
	if err := get(); err == nil {
		t.Error("without --ca-file: got no error, want one: the system does not know the certificate")
	}
	x, _ := newTestConnector(t, nil, []string{"--server", server.URL})
	if _, err := x.connect(t.Context()); err == nil || !strings.HasSuffix(err.Error(), "; --ca-file names further certificates to trust") {
		t.Errorf("connect without --ca-file: got %v, want the flag named", err)
	}
	if err := get("--ca-file", good); err != nil {
		t.Errorf("with --ca-file: got %v, want no error", err)
	}
	one := profile.Profile{Name: "default", Server: server.URL, CAFile: good}
	x, _ = newTestConnector(t, storeProfiles(t, one), nil)
	if c, err := x.connect(t.Context()); err != nil {
		t.Errorf("connect with the file of the profile: got %v, want no error", err)
	} else if _, err = c.Policy(t.Context()); client.KindOf(err) != client.KindProtocol {
		t.Errorf("Policy with the file of the profile: got %v, want the answer of a server that is no Hush", err)
	}
	one.CAFile = empty
	x, _ = newTestConnector(t, storeProfiles(t, one), nil)
	if _, err := x.connect(t.Context()); !isUsage(err, "the --ca-file of the profile: there is no certificate in ") {
		t.Errorf("connect with a wrong file of the profile: got %v, want a usage error that names it", err)
	}
	for path, want := range map[string]string{empty: "--ca-file: there is no certificate in ", filepath.Join(folder, "none"): "--ca-file: "} {
		if err := get("--ca-file", path); !isUsage(err, want) {
			t.Errorf("with --ca-file %s: got %v, want the usage error %q", path, err, want)
		}
	}
}

// A server begins its answer and never ends it.
func TestTimeout(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		begin, stream bool
	}{"no answer": {}, "half an answer": {begin: true}, "a stream": {begin: true, stream: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			released := make(chan struct{})
			server := newRecorder(t, func(w http.ResponseWriter, _ *http.Request) {
				if c.begin {
					io.WriteString(w, "half")
					w.(http.Flusher).Flush()
				}
				<-released
			})
			x, _ := newTestConnector(t, nil, nil)
			x.timeout = 30 * time.Millisecond
			sender, err := x.newHTTPClient(t.Context(), "")
			if err != nil {
				t.Fatal(err)
			}
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			if c.stream {
				request.Header.Set("Content-Type", "application/connect+proto")
				time.AfterFunc(4*x.timeout, func() { close(released) })
			} else {
				defer close(released)
			}
			response, err := sender.Do(request)
			if err == nil {
				_, err = io.ReadAll(response.Body)
				response.Body.Close()
			}
			if c.stream != (err == nil) || err != nil && !errors.Is(err, errTimeout) {
				t.Errorf("call with --timeout: got %v, want the error of the timeout: %t", err, !c.stream)
			}
		})
	}
}
