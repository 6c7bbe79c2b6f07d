package main

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"connectrpc.com/connect"

	hushv1 "hush/gen/hush/v1"
	"hush/gen/hush/v1/hushv1connect"
	"hush/routes/apitest"
	"hush/testtier"
)

// Each recipe is tried with its own program before the service, on a port and on
// a socket.
func TestProxies(t *testing.T) {
	t.Parallel()
	runOnce(t, "about proxies")
	for _, r := range recipes() {
		for _, over := range []string{"port", "socket"} {
			t.Run(r.program+"/"+over, func(t *testing.T) {
				t.Parallel()
				oneProxyInCheck(t, r, over)
				needProgram(t, r.program)
				env, s, backend := startBehind(t, over)
				p := startProxy(t, r, backend)
				checkProtocols(t, p)
				checkLargest(t, p, env.Ada.Token)
				checkAddress(t, p, s)
				checkPlain(t, p)
				p.watch(t).end(t)
				key := checkPaths(t, p)
				s.stop(t)
				checkDown(t, p, key)
				if written := p.written(t); strings.Contains(written, key) {
					t.Errorf("%s: got the key of a secret in what it wrote, want none: %s", r.program, written)
				}
			})
		}
	}
}

// oneProxyInCheck leaves all proxies but one out of "make check": each has the same
// tests.
func oneProxyInCheck(t *testing.T, r recipe, over string) {
	t.Helper()
	if r.program != "nginx" || over != "port" {
		testtier.Full(t, "starts every kind of proxy")
	}
}

// A stream lives longer than the minute after which the programs close one by
// themselves. All wait together, since that is all they do.
func TestProxyStreams(t *testing.T) {
	t.Parallel()
	runOnce(t, "about proxies")
	testtier.Full(t, "waits for heartbeats")
	var watches []*proxyWatch
	for _, r := range recipes() {
		needProgram(t, r.program)
		_, _, backend := startBehind(t, "port")
		watches = append(watches, startProxy(t, r, backend).watch(t))
	}
	for range 5 { // one each 15 seconds
		for _, w := range watches {
			w.beat(t)
		}
	}
	for _, w := range watches {
		w.end(t)
	}
}

// startBehind starts the service as the recipes say.
func startBehind(t *testing.T, over string) (*testEnv, *testServer, proxyBackend) {
	t.Helper()
	flags := []string{"--base-url", proxyURL, "--trusted-proxies", "127.0.0.1"}
	if over != "socket" {
		env, s := startAccounts(t, flags...)
		return env, s, proxyBackend{addr: s.listening(t)}
	}
	path := filepath.Join(proxyFolder(t), "http.sock")
	env, s := startAccounts(t, append(flags, "--listen", "unix:"+path)...)
	// Instead of the proxy in the socket's group.
	if err := os.Chmod(path, 0o666); err != nil {
		t.Fatal(err)
	}
	return env, s, proxyBackend{addr: path}
}

// checkProtocols conceals and reveals over every protocol.
func checkProtocols(t *testing.T, p *testProxy) {
	t.Helper()
	two := p.client(t, true, "", nil)
	all := append(p.drivers(t, nil),
		apitest.NewV1Driver("v1/h2", two, proxyURL),
		apitest.NewV2Driver("v2/h2", two, proxyURL),
		apitest.NewRPCDriver("connect-json/h2", two, proxyURL, apitest.ConnectJSON()...),
		apitest.NewRPCDriver("grpc-web/h2", two, proxyURL, apitest.GRPCWeb()...),
	)
	for _, d := range all {
		made := apitest.MustConceal(t, d, apitest.Wish{Secret: "through " + d.Name()})
		d.Reveal(t.Context(), made.SecretKey, "").WantValue(t, p.recipe.program+" "+d.Name()+" reveal", "through "+d.Name())
		// An error in gRPC is a trailer.
		d.Reveal(t.Context(), made.SecretKey, "").Want(t, p.recipe.program+" "+d.Name()+" second reveal", apitest.OutcomeUnknown)
	}
}

// checkLargest conceals the largest secret there is, three times its size in a
// form, and sends what the service refuses itself. nginx has no folder for
// temporary files here.
func checkLargest(t *testing.T, p *testProxy, token string) {
	t.Helper()
	text := strings.Repeat("€", 1<<20/3)
	for _, d := range p.drivers(t, apitest.Bearer(token)) {
		made := apitest.MustConceal(t, d, apitest.Wish{Secret: text})
		d.Reveal(t.Context(), made.SecretKey, "").WantValue(t, d.Name()+" reveal of 1 MiB", text)
	}
	for _, http2 := range []bool{false, true} {
		client := p.client(t, http2, "", apitest.Bearer(token))
		size := 100 << 10
		if http2 && p.recipe.program == "apache2" {
			size = 60 << 10
		}
		res := p.send(t, client, http.MethodPost, "/api/v1/share?secret="+strings.Repeat("x", size), "", nil)
		if res.Status != http.StatusOK {
			t.Errorf("%s: %d bytes in the query: got %d %.100s, want 200", p.recipe.program, size, res.Status, res.Body)
		}
		// A body without a length is chunked, or has frames only.
		unsized := struct{ io.Reader }{strings.NewReader(url.Values{"secret": {text}}.Encode())}
		res = p.send(t, client, http.MethodPost, "/api/v2/secret/conceal", apitest.TypeForm, unsized)
		if res.Status != http.StatusOK {
			t.Errorf("%s: 1 MiB without a length: got %d %.100s, want 200", p.recipe.program, res.Status, res.Body)
		}
		res = p.send(t, client, http.MethodPost, "/api/v2/secret/conceal", apitest.TypeForm, bytes.NewReader(make([]byte, 9<<19)))
		if res.Status != http.StatusRequestEntityTooLarge || !strings.HasPrefix(res.Body, "{") {
			t.Errorf("%s: 4.5 MiB: got %d %.100s, want 413 of the service", p.recipe.program, res.Status, res.Body)
		}
	}
}

// A client claims another's address, to use up that one's limits or to escape its
// own. The service sees the address that the proxy sees.
func checkAddress(t *testing.T, p *testProxy, s *testServer) {
	t.Helper()
	forged := http.Header{"X-Forwarded-For": {"192.0.2.7", "198.51.100.8, 127.0.0.1"}, "Forwarded": {"for=192.0.2.9"}}
	one, two := p.client(t, false, "127.5.5.1", forged), p.client(t, true, "127.6.6.1", forged)
	for i, d := range apitest.Drivers(one, two, proxyURL) {
		apitest.MustConceal(t, d, apitest.Wish{Secret: "from afar"})
		network := "network=127.5.5.0/24"
		if i == 4 { // gRPC
			network = "network=127.6.6.0/24"
		}
		waitUntil(t, d.Name()+" to be logged", func() bool { return strings.Contains(s.log.String(), network) })
	}
	for _, claimed := range []string{"192.0.2", "198.51.100"} {
		if strings.Contains(s.log.String(), "network="+claimed) {
			t.Errorf("%s: got the claimed address %s believed, want that of the connection", p.recipe.program, claimed)
		}
	}
}

// checkPlain sends requests without TLS.
func checkPlain(t *testing.T, p *testProxy) {
	t.Helper()
	client := p.client(t, false, "", nil)
	get, err := client.Get("http://" + proxyName + "/secret/some-key?x=y")
	if err != nil {
		t.Fatal(err)
	}
	get.Body.Close()
	if want := proxyURL + "/secret/some-key?x=y"; get.StatusCode != http.StatusMovedPermanently || get.Header.Get("Location") != want {
		t.Errorf("%s: GET without TLS: got %s %s, want 301 %s", p.recipe.program, get.Status, get.Header.Get("Location"), want)
	}
	post, err := client.Post("http://"+proxyName+"/api/v1/share", apitest.TypeForm, strings.NewReader("secret=x"))
	if err != nil {
		t.Fatal(err)
	}
	post.Body.Close()
	if post.StatusCode != http.StatusForbidden {
		t.Errorf("%s: POST without TLS: got %s, want 403", p.recipe.program, post.Status)
	}
}

// proxyWatch is a stream of a receipt over each protocol that has streams.
type proxyWatch struct {
	made    apitest.Answer
	driver  apitest.Driver
	streams map[string]*connect.ServerStreamForClient[hushv1.WatchMetadataResponse]
}

// watch opens the streams. Each brings the receipt at once.
func (p *testProxy) watch(t *testing.T) *proxyWatch {
	t.Helper()
	w := &proxyWatch{driver: p.drivers(t, nil)[0], streams: map[string]*connect.ServerStreamForClient[hushv1.WatchMetadataResponse]{}}
	w.made = apitest.MustConceal(t, w.driver, apitest.Wish{Secret: "watched"})
	for name, opts := range map[string][]connect.ClientOption{"connect": nil, "grpc": apitest.GRPCProto(), "grpc-web": apitest.GRPCWeb()} {
		for _, http2 := range []bool{false, true} {
			if !http2 && name == "grpc" {
				continue
			}
			if http2 {
				name += "/h2"
			}
			client := hushv1connect.NewMetadataServiceClient(p.client(t, http2, "", nil), proxyURL, opts...)
			stream, err := client.WatchMetadata(t.Context(), &hushv1.WatchMetadataRequest{MetadataKey: w.made.MetadataKey})
			if err != nil {
				t.Fatalf("%s %s WatchMetadata: got %v, want a stream", p.recipe.program, name, err)
			}
			t.Cleanup(func() { stream.Close() })
			w.streams[p.recipe.program+" "+name] = stream
			w.receive(t, p.recipe.program+" "+name)
		}
	}
	return w
}

func (w *proxyWatch) receive(t *testing.T, name string) {
	t.Helper()
	if !w.streams[name].Receive() {
		t.Fatalf("%s WatchMetadata: got %v, want a message", name, w.streams[name].Err())
	}
}

// beat waits for a heartbeat of each stream.
func (w *proxyWatch) beat(t *testing.T) {
	t.Helper()
	for name := range w.streams {
		w.receive(t, name)
	}
}

// end reveals the secret, which ends the streams after they have said so.
func (w *proxyWatch) end(t *testing.T) {
	t.Helper()
	w.driver.Reveal(t.Context(), w.made.SecretKey, "").WantValue(t, "reveal", "watched")
	for name, stream := range w.streams {
		var last hushv1.State
		for stream.Receive() {
			if m := stream.Msg().GetMetadata(); m != nil {
				last = m.GetState()
			}
		}
		if err := stream.Err(); err != nil || last != hushv1.State_STATE_RECEIVED {
			t.Errorf("%s WatchMetadata: got %v and %v, want it received and the stream's end", name, last, err)
		}
	}
}

// checkPaths looks at pages and calls whose path and referrer have a key.
func checkPaths(t *testing.T, p *testProxy) (key string) {
	t.Helper()
	key = apitest.MustConceal(t, p.drivers(t, nil)[0], apitest.Wish{Secret: "kept out of logs"}).SecretKey
	plain, err := p.client(t, false, "", nil).Get("http://" + proxyName + "/secret/" + key)
	if err != nil {
		t.Fatal(err)
	}
	plain.Body.Close()
	p.sendKey(t, http.MethodGet, key, http.StatusOK, http.StatusNotFound)
	p.sendKey(t, http.MethodPost, key, http.StatusOK, http.StatusNotFound)
	return key
}

// sendKey sends requests with a key, and fails the test at another status.
func (p *testProxy) sendKey(t *testing.T, method, key string, allowed ...int) {
	t.Helper()
	allowed = append(allowed, http.StatusMethodNotAllowed)
	header := http.Header{"Referer": {proxyURL + "/secret/" + key}, "Origin": {proxyURL}}
	for _, http2 := range []bool{false, true} {
		client := p.client(t, http2, "", header)
		for _, path := range []string{"/secret/" + key, "/api/v1/secret/" + key + "?passphrase=wrong"} {
			res := p.send(t, client, method, path, "", nil)
			if !slices.Contains(allowed, res.Status) {
				t.Errorf("%s: %s %s: got %d %.200s, want one of %v", p.recipe.program, method, path, res.Status, res.Body, allowed)
			}
		}
	}
}

// checkDown wants an error that clients understand while the service is down.
func checkDown(t *testing.T, p *testProxy, key string) {
	t.Helper()
	p.sendKey(t, http.MethodPost, key, http.StatusBadGateway, http.StatusServiceUnavailable)
	for name, opts := range map[string][]connect.ClientOption{"connect": nil, "grpc": apitest.GRPCProto(), "grpc-web": apitest.GRPCWeb()} {
		client := hushv1connect.NewSecretServiceClient(p.client(t, true, "", nil), proxyURL, opts...)
		_, err := client.RevealSecret(t.Context(), &hushv1.RevealSecretRequest{SecretKey: key})
		if connect.CodeOf(err) != connect.CodeUnavailable {
			t.Errorf("%s: %s while the service is down: got %v, want unavailable", p.recipe.program, name, err)
		}
	}
}

// send sends a request through the proxy.
func (p *testProxy) send(t *testing.T, client *http.Client, method, path, kind string, body io.Reader) apitest.Reply {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, proxyURL+path, body)
	if err != nil {
		t.Fatal(err)
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	res, err := client.Do(req)
	if err != nil {
		t.Fatalf("%s: %s %.100s: got %v, want a response", p.recipe.program, method, path, errors.Unwrap(err))
	}
	defer res.Body.Close()
	content, err := io.ReadAll(res.Body)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Fatalf("%s: %s %.100s: got %v, want a whole response", p.recipe.program, method, path, err)
	}
	return apitest.Reply{Status: res.StatusCode, Header: res.Header, Body: string(content)}
}
