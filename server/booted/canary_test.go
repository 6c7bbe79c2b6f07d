package booted_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"hush/routes/apitest"
	"hush/server/servertest"
	"hush/vault/caller"
)

// A thief of logs, or of the data folder, gets neither a secret nor a key, a
// passphrase, a credential or an address; and an error never tells back what
// was sent, because clients log errors. Every field gets a value of its own,
// and then everything that Hush wrote is searched for all of them.
func TestCanary(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"text", "json"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			s := servertest.Start(t, "--log-level=debug", "--log-format="+format, "--trusted-proxies=127.0.0.1")
			sent := &apitest.Canaries{}
			answers := &listener{}
			for _, http2 := range []bool{false, true} {
				header := canaryHeader(sent, http2)
				client := servertest.HTTPClient(t, http2, header)
				client.Transport = answers.listenTo(client.Transport)
				for i, d := range driversOn(client, s, http2) {
					liveOn(t, sent, d, fmt.Sprintf("%s over HTTP/2 %t, %d", d.Name(), http2, i))
				}
				provokeErrors(t, sent, client, s)
			}
			callRefused(t, sent, answers, s)
			sent.Search(t, "the data folder of a running server", servertest.ReadFolder(t, s.Data))
			key, err := os.ReadFile(filepath.Join(s.Data, "root.key"))
			if err != nil {
				t.Fatal(err)
			}
			s.Stop(t)
			sent.Search(t, "the data folder", servertest.ReadFolder(t, s.Data))
			sent.Add("root key", strings.TrimSpace(string(key)))
			log := []byte(s.Log.String())
			sent.Search(t, "the log", log)
			for _, address := range []string{"127.0.0.1", "198.51.100.7", "2001:db8:0:7:"} {
				rest := bytes.ReplaceAll(log, []byte(s.Addr), nil)
				if at := bytes.Index(rest, []byte(address)); at >= 0 {
					t.Errorf("the log: got an address in %q, want networks only", apitest.Around(rest, at))
				}
			}
			if !bytes.Contains(log, []byte("198.51.100.0/24")) || !bytes.Contains(log, []byte("/hush.v1.SecretService/RevealSecret")) {
				t.Errorf("the log: got no network or no route, want the lines of the requests:\n%s", log)
			}
			answers.search(t, sent)
		})
	}
}

// driversOn makes the drivers that the client's version of HTTP allows.
func driversOn(client *http.Client, s *servertest.Server, http2 bool) []apitest.Driver {
	drivers := []apitest.Driver{
		apitest.NewV1Driver("v1", client, s.URL),
		apitest.NewV2Driver("v2", client, s.URL),
		apitest.NewRPCDriver("connect-json", client, s.URL, apitest.ConnectJSON()...),
		apitest.NewRPCDriver("connect-proto", client, s.URL, apitest.ConnectProto()...),
		apitest.NewRPCDriver("grpc-web", client, s.URL, apitest.GRPCWeb()...),
	}
	if http2 {
		drivers = append(drivers, apitest.NewRPCDriver("grpc", client, s.URL, apitest.GRPCProto()...))
	}
	return drivers
}

// canaryHeader is what goes with every request.
func canaryHeader(c *apitest.Canaries, http2 bool) http.Header {
	address := "198.51.100.7"
	if http2 {
		address = "2001:db8:0:7:1234:5678:9abc:def1"
	}
	return http.Header{
		"X-Forwarded-For": {address},
		"Cookie":          {"session=" + c.Word("cookie")},
		"User-Agent":      {c.Word("user agent")},
		"X-Unknown":       {c.Word("header")},
		"Referer":         {"https://elsewhere.example/" + c.Word("referer")},
		"O-Shrimp":        {c.Word("shrimp")},
	}
}

// liveOn sends a canary through every field of a secret's life, and leaves one
// secret behind that waits.
func liveOn(t *testing.T, c *apitest.Canaries, d apitest.Driver, by string) {
	t.Helper()
	right := c.Text("passphrase by " + by)
	for range 2 {
		kept := d.Conceal(t.Context(), apitest.Terms{Secret: c.Text("secret by " + by), Passphrase: right}).Want(t, by+" conceal", apitest.OutcomeOK)
		c.Add("issued secret key by "+by, kept.SecretKey)
		c.Add("issued metadata key by "+by, kept.MetadataKey)
		d.Reveal(t.Context(), kept.SecretKey, c.Text("wrong passphrase by "+by)).Want(t, by+" reveal", d.WrongPassphrase())
		d.Get(t.Context(), kept.SecretKey)
		d.Status(t.Context(), kept.SecretKey)
		d.Metadata(t.Context(), kept.MetadataKey).Want(t, by+" metadata", apitest.OutcomeOK)
		writeMemo(t, c, d, kept.MetadataKey, by)
		if !strings.Contains(by, "waits") {
			d.Reveal(t.Context(), kept.SecretKey, right).Want(t, by+" reveal", apitest.OutcomeOK)
			d.Reveal(t.Context(), kept.SecretKey, right).Want(t, by+" second reveal", apitest.OutcomeUnknown)
		}
		by += ", waits"
	}
	burned := d.Conceal(t.Context(), apitest.Terms{Secret: c.Text("burned secret by " + by)}).Want(t, by+" conceal", apitest.OutcomeOK)
	d.Burn(t.Context(), burned.MetadataKey, "").Want(t, by+" burn", apitest.OutcomeOK)
	d.Conceal(t.Context(), apitest.Terms{Secret: c.Text("refused secret by " + by), Recipients: []string{c.Word("recipient by "+by) + "@example.com"}})
	d.Conceal(t.Context(), apitest.Terms{Secret: c.Text("refused secret by " + by), ShareDomain: c.Word("share domain by "+by) + ".example.com"})
	d.Conceal(t.Context(), apitest.Terms{Secret: strings.Repeat(c.Text("oversized secret by "+by), 10_000)}).Want(t, by+" conceal", apitest.OutcomeTooLarge)
	d.Conceal(t.Context(), apitest.Terms{Secret: c.Text("secret by " + by), Passphrase: strings.Repeat(c.Text("oversized passphrase by "+by), 10)})
	for range 2 {
		d.Reveal(t.Context(), c.Word("secret key by "+by), c.Text("passphrase by "+by)).Want(t, by+" reveal", apitest.OutcomeUnknown)
		d.Burn(t.Context(), c.Text("metadata key by "+by), c.Text("passphrase by "+by)).Want(t, by+" burn", apitest.OutcomeUnknown)
		d.Metadata(t.Context(), c.Word("metadata key by "+by)).Want(t, by+" metadata", apitest.OutcomeUnknown)
		d.Get(t.Context(), c.Word("secret key by "+by))
		d.Status(t.Context(), c.Word("secret key by "+by))
	}
}

// listener keeps every answer.
type listener struct {
	mu  sync.Mutex
	all []heard
}

type heard struct {
	request string
	status  int
	content string
}

func (l *listener) listenTo(next http.RoundTripper) http.RoundTripper {
	return apitest.RoundTripper(func(r *http.Request) (*http.Response, error) {
		res, err := next.RoundTrip(r)
		if err != nil {
			return nil, err
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil {
			return nil, err
		}
		res.Body = io.NopCloser(bytes.NewReader(body))
		content := fmt.Sprintln(res.Header, res.Trailer) + string(body)
		l.mu.Lock()
		defer l.mu.Unlock()
		l.all = append(l.all, heard{r.Method + " " + r.URL.Path, res.StatusCode, content})
		return res, nil
	})
}

var (
	keyEcho = regexp.MustCompile(`"secret_key":"(?:[^"\\]|\\.)*"`)
	grpcOK  = regexp.MustCompile(`(?i)grpc-status:\s*\[?0`)
)

// search looks at the errors among the answers. What they may repeat is the key
// of an unknown secret, in the legacy protocols, and the share domain.
func (l *listener) search(t *testing.T, sent *apitest.Canaries) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	index, errors := sent.Index(), 0
	for _, h := range l.all {
		rpc := strings.HasPrefix(h.request, "POST /hush.v1.")
		success := h.status == http.StatusOK && (!rpc || !strings.Contains(strings.ToLower(h.content), "grpc-status") || grpcOK.MatchString(h.content))
		if success {
			continue
		}
		errors++
		content := h.content
		if !rpc {
			content = keyEcho.ReplaceAllString(content, "")
		}
		apitest.SearchFor(t, index, fmt.Sprintf("answer %d to %s", h.status, h.request), []byte(content), "share domain")
	}
	if errors < 100 {
		t.Errorf("answers: got %d errors, want all that were provoked", errors)
	}
}

// The networks in the log are those that people are told of, not addresses.
func TestMaskedNetworks(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]string{"198.51.100.7": "198.51.100.0/24", "2001:db8:0:7::1": "2001:db8::/48"} {
		if got := caller.NetworkOf(netip.MustParseAddr(addr)).Masked(); got != want {
			t.Errorf("Masked(%s): got %s, want %s", addr, got, want)
		}
	}
}
