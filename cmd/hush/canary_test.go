package main

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"hush/storage/postgres/postgrestest"
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
			s := startHush(t, "--log-level=debug", "--log-format="+format, "--trusted-proxies=127.0.0.1")
			sent := &canaries{}
			answers := &listener{}
			for _, http2 := range []bool{false, true} {
				header := sent.header(http2)
				client := newHTTPClient(t, http2, header)
				client.Transport = answers.listenTo(client.Transport)
				for i, d := range driversOn(client, s, http2) {
					sent.live(t, d, fmt.Sprintf("%s over HTTP/2 %t, %d", d.name(), http2, i))
				}
				sent.provoke(t, client, s)
			}
			sent.refuse(t, answers, s)
			sent.search(t, "the data folder of a running server", readAll(t, s.data))
			key, err := os.ReadFile(filepath.Join(s.data, "root.key"))
			if err != nil {
				t.Fatal(err)
			}
			s.stop(t)
			sent.search(t, "the data folder", readAll(t, s.data))
			sent.add("root key", strings.TrimSpace(string(key)))
			log := []byte(s.log.String())
			sent.search(t, "the log", log)
			for _, address := range []string{"127.0.0.1", "198.51.100.7", "2001:db8:0:7:"} {
				rest := bytes.ReplaceAll(log, []byte(s.addr), nil)
				if at := bytes.Index(rest, []byte(address)); at >= 0 {
					t.Errorf("the log: got an address in %q, want networks only", around(rest, at))
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
func driversOn(client *http.Client, s *testServer, http2 bool) []driver {
	drivers := []driver{
		&v1Driver{legacyClient{"v1", s.url + "/api/v1", client}},
		&v2Driver{legacyClient{"v2", s.url + "/api/v2", client}},
		newRPCDriver("connect-json", client, s.url, connectJSON()...),
		newRPCDriver("connect-proto", client, s.url, connectProto()...),
		newRPCDriver("grpc-web", client, s.url, grpcWeb()...),
	}
	if http2 {
		drivers = append(drivers, newRPCDriver("grpc", client, s.url, grpcProto()...))
	}
	return drivers
}

// header is what goes with every request.
func (c *canaries) header(http2 bool) http.Header {
	address := "198.51.100.7"
	if http2 {
		address = "2001:db8:0:7:1234:5678:9abc:def1"
	}
	return http.Header{
		"X-Forwarded-For": {address},
		"Cookie":          {"session=" + c.word("cookie")},
		"User-Agent":      {c.word("user agent")},
		"X-Unknown":       {c.word("header")},
		"Referer":         {"https://elsewhere.example/" + c.word("referer")},
		"O-Shrimp":        {c.word("shrimp")},
	}
}

// live sends a canary through every field of a secret's life, and leaves one
// secret behind that waits.
func (c *canaries) live(t *testing.T, d driver, by string) {
	t.Helper()
	right := c.text("passphrase by " + by)
	for range 2 {
		kept := d.conceal(t.Context(), wish{secret: c.text("secret by " + by), passphrase: right}).want(t, by+" conceal", outcomeOK)
		c.add("issued secret key by "+by, kept.secretKey)
		c.add("issued metadata key by "+by, kept.metadataKey)
		d.reveal(t.Context(), kept.secretKey, c.text("wrong passphrase by "+by)).want(t, by+" reveal", d.wrongPassphrase())
		d.get(t.Context(), kept.secretKey)
		d.status(t.Context(), kept.secretKey)
		d.metadata(t.Context(), kept.metadataKey).want(t, by+" metadata", outcomeOK)
		c.memo(t, d, kept.metadataKey, by)
		if !strings.Contains(by, "waits") {
			d.reveal(t.Context(), kept.secretKey, right).want(t, by+" reveal", outcomeOK)
			d.reveal(t.Context(), kept.secretKey, right).want(t, by+" second reveal", outcomeUnknown)
		}
		by += ", waits"
	}
	burned := d.conceal(t.Context(), wish{secret: c.text("burned secret by " + by)}).want(t, by+" conceal", outcomeOK)
	d.burn(t.Context(), burned.metadataKey, "").want(t, by+" burn", outcomeOK)
	d.conceal(t.Context(), wish{secret: c.text("refused secret by " + by), recipients: []string{c.word("recipient by "+by) + "@example.com"}})
	d.conceal(t.Context(), wish{secret: c.text("refused secret by " + by), shareDomain: c.word("share domain by "+by) + ".example.com"})
	d.conceal(t.Context(), wish{secret: strings.Repeat(c.text("oversized secret by "+by), 10_000)}).want(t, by+" conceal", outcomeTooLarge)
	d.conceal(t.Context(), wish{secret: c.text("secret by " + by), passphrase: strings.Repeat(c.text("oversized passphrase by "+by), 10)})
	for range 2 {
		d.reveal(t.Context(), c.word("secret key by "+by), c.text("passphrase by "+by)).want(t, by+" reveal", outcomeUnknown)
		d.burn(t.Context(), c.text("metadata key by "+by), c.text("passphrase by "+by)).want(t, by+" burn", outcomeUnknown)
		d.metadata(t.Context(), c.word("metadata key by "+by)).want(t, by+" metadata", outcomeUnknown)
		d.get(t.Context(), c.word("secret key by "+by))
		d.status(t.Context(), c.word("secret key by "+by))
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
	return roundTripper(func(r *http.Request) (*http.Response, error) {
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

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

var (
	keyEcho = regexp.MustCompile(`"secret_key":"(?:[^"\\]|\\.)*"`)
	grpcOK  = regexp.MustCompile(`(?i)grpc-status:\s*\[?0`)
)

// search looks at the errors among the answers. What they may repeat is the key
// of an unknown secret, in the legacy protocols, and the share domain.
func (l *listener) search(t *testing.T, sent *canaries) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	index, errors := sent.index(), 0
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
		searchFor(t, index, fmt.Sprintf("answer %d to %s", h.status, h.request), []byte(content), "share domain")
	}
	if errors < 100 {
		t.Errorf("answers: got %d errors, want all that were provoked", errors)
	}
}

func readAll(t *testing.T, folder string) []byte {
	t.Helper()
	var all []byte
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name() == "root.key" || entry.Type() == fs.ModeSocket {
			return err
		}
		content, err := os.ReadFile(path)
		all = append(append(all, path...), content...)
		return err
	})
	if err == nil && postgrestest.Shared() != "" && !hasData(folder) {
		dump, wrong := postgrestest.Dump(t.Context(), databaseURL(folder), "hush")
		all, err = append(all, dump...), wrong
	}
	if err != nil || len(all) == 0 {
		t.Fatalf("reading %s: got %d bytes and %v, want all", folder, len(all), err)
	}
	return all
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
