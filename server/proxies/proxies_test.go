package proxies_test

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"connectrpc.com/connect"

	hushv1 "hush/gen/hush/v1"
	"hush/gen/hush/v1/hushv1connect"
	"hush/routes/apitest"
	"hush/server/servertest"
	"hush/testtier"
)

// Each recipe is tried with its own program before the service, on a port and on
// a socket.
func TestProxies(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about proxies")
	for _, r := range servertest.Recipes() {
		for _, over := range []string{"port", "socket"} {
			t.Run(r.Program+"/"+over, func(t *testing.T) {
				t.Parallel()
				oneProxyInCheck(t, r, over)
				servertest.NeedProgram(t, r.Program)
				env, s, backend := startBehind(t, over)
				p := servertest.StartProxy(t, r, backend)
				checkProtocols(t, p)
				checkLargest(t, p, env.Ada.Token)
				checkAddress(t, p, s)
				checkPlain(t, p)
				watchBehind(t, p).end(t)
				key := checkPaths(t, p)
				s.Stop(t)
				checkDown(t, p, key)
				if written := p.Written(t); strings.Contains(written, key) {
					t.Errorf("%s: got the key of a secret in what it wrote, want none: %s", r.Program, written)
				}
			})
		}
	}
}

// oneProxyInCheck leaves all proxies but one out of "make check": each has the same
// tests.
func oneProxyInCheck(t *testing.T, r servertest.Recipe, over string) {
	t.Helper()
	if r.Program != "nginx" || over != "port" {
		testtier.Full(t, "starts every kind of proxy")
	}
}

// A stream lives longer than the minute after which the programs close one by
// themselves. All wait together, since that is all they do.
func TestProxyStreams(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about proxies")
	testtier.Full(t, "waits for heartbeats")
	var watches []*proxyWatch
	for _, r := range servertest.Recipes() {
		servertest.NeedProgram(t, r.Program)
		_, _, backend := startBehind(t, "port")
		watches = append(watches, watchBehind(t, servertest.StartProxy(t, r, backend)))
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
func startBehind(t *testing.T, over string) (*servertest.Env, *servertest.Server, servertest.ProxyBackend) {
	t.Helper()
	flags := []string{"--base-url", servertest.ProxyURL, "--trusted-proxies", "127.0.0.1"}
	if over != "socket" {
		env, s := servertest.StartAccounts(t, flags...)
		return env, s, servertest.ProxyBackend{Addr: s.Listening(t)}
	}
	path := filepath.Join(servertest.ProxyFolder(t), "http.sock")
	env, s := servertest.StartAccounts(t, append(flags, "--listen", "unix:"+path)...)
	// Instead of the proxy in the socket's group.
	if err := os.Chmod(path, 0o666); err != nil {
		t.Fatal(err)
	}
	return env, s, servertest.ProxyBackend{Addr: path}
}

// checkProtocols conceals and reveals over every protocol.
func checkProtocols(t *testing.T, p *servertest.Proxy) {
	t.Helper()
	two := p.Client(t, true, "", nil)
	all := append(p.Drivers(t, nil),
		apitest.NewV1Driver("v1/h2", two, servertest.ProxyURL),
		apitest.NewV2Driver("v2/h2", two, servertest.ProxyURL),
		apitest.NewRPCDriver("connect-json/h2", two, servertest.ProxyURL, apitest.ConnectJSON()...),
		apitest.NewRPCDriver("grpc-web/h2", two, servertest.ProxyURL, apitest.GRPCWeb()...),
	)
	for _, d := range all {
		made := apitest.MustConceal(t, d, apitest.Terms{Secret: "through " + d.Name()})
		d.Reveal(t.Context(), made.SecretKey, "").WantValue(t, p.Recipe.Program+" "+d.Name()+" reveal", "through "+d.Name())
		// An error in gRPC is a trailer.
		d.Reveal(t.Context(), made.SecretKey, "").Want(t, p.Recipe.Program+" "+d.Name()+" second reveal", apitest.OutcomeUnknown)
	}
}

// checkLargest conceals the largest secret there is, three times its size in a
// form, and sends what the service refuses itself. nginx has no folder for
// temporary files here.
func checkLargest(t *testing.T, p *servertest.Proxy, token string) {
	t.Helper()
	text := strings.Repeat("€", 1<<20/3)
	for _, d := range p.Drivers(t, apitest.Bearer(token)) {
		made := apitest.MustConceal(t, d, apitest.Terms{Secret: text})
		d.Reveal(t.Context(), made.SecretKey, "").WantValue(t, d.Name()+" reveal of 1 MiB", text)
	}
	for _, http2 := range []bool{false, true} {
		client := p.Client(t, http2, "", apitest.Bearer(token))
		size := 100 << 10
		if http2 && p.Recipe.Program == "apache2" {
			size = 60 << 10
		}
		res := p.Send(t, client, http.MethodPost, "/api/v1/share?secret="+strings.Repeat("x", size), "", nil)
		if res.Status != http.StatusOK {
			t.Errorf("%s: %d bytes in the query: got %d %.100s, want 200", p.Recipe.Program, size, res.Status, res.Body)
		}
		// A body without a length is chunked, or has frames only.
		unsized := struct{ io.Reader }{strings.NewReader(url.Values{"secret": {text}}.Encode())}
		res = p.Send(t, client, http.MethodPost, "/api/v2/secret/conceal", apitest.TypeForm, unsized)
		if res.Status != http.StatusOK {
			t.Errorf("%s: 1 MiB without a length: got %d %.100s, want 200", p.Recipe.Program, res.Status, res.Body)
		}
		res = p.Send(t, client, http.MethodPost, "/api/v2/secret/conceal", apitest.TypeForm, bytes.NewReader(make([]byte, 9<<19)))
		if res.Status != http.StatusRequestEntityTooLarge || !strings.HasPrefix(res.Body, "{") {
			t.Errorf("%s: 4.5 MiB: got %d %.100s, want 413 of the service", p.Recipe.Program, res.Status, res.Body)
		}
	}
}

// A client claims another's address, to use up that one's limits or to escape its
// own. The service sees the address that the proxy sees.
func checkAddress(t *testing.T, p *servertest.Proxy, s *servertest.Server) {
	t.Helper()
	forged := http.Header{"X-Forwarded-For": {"192.0.2.7", "198.51.100.8, 127.0.0.1"}, "Forwarded": {"for=192.0.2.9"}}
	one, two := p.Client(t, false, "127.5.5.1", forged), p.Client(t, true, "127.6.6.1", forged)
	for i, d := range apitest.Drivers(one, two, servertest.ProxyURL) {
		apitest.MustConceal(t, d, apitest.Terms{Secret: "from afar"})
		network := "network=127.5.5.0/24"
		if i == 4 { // gRPC
			network = "network=127.6.6.0/24"
		}
		servertest.WaitUntil(t, d.Name()+" to be logged", func() bool { return strings.Contains(s.Log.String(), network) })
	}
	for _, claimed := range []string{"192.0.2", "198.51.100"} {
		if strings.Contains(s.Log.String(), "network="+claimed) {
			t.Errorf("%s: got the claimed address %s believed, want that of the connection", p.Recipe.Program, claimed)
		}
	}
}

// checkPlain sends requests without TLS.
func checkPlain(t *testing.T, p *servertest.Proxy) {
	t.Helper()
	client := p.Client(t, false, "", nil)
	get, err := client.Get("http://" + servertest.ProxyName + "/secret/some-key?x=y")
	if err != nil {
		t.Fatal(err)
	}
	get.Body.Close()
	if want := servertest.ProxyURL + "/secret/some-key?x=y"; get.StatusCode != http.StatusMovedPermanently || get.Header.Get("Location") != want {
		t.Errorf("%s: GET without TLS: got %s %s, want 301 %s", p.Recipe.Program, get.Status, get.Header.Get("Location"), want)
	}
	post, err := client.Post("http://"+servertest.ProxyName+"/api/v1/share", apitest.TypeForm, strings.NewReader("secret=x"))
	if err != nil {
		t.Fatal(err)
	}
	post.Body.Close()
	if post.StatusCode != http.StatusForbidden {
		t.Errorf("%s: POST without TLS: got %s, want 403", p.Recipe.Program, post.Status)
	}
}

// proxyWatch is a stream of a receipt over each protocol that has streams.
type proxyWatch struct {
	made    apitest.Answer
	driver  apitest.Driver
	streams map[string]*connect.ServerStreamForClient[hushv1.WatchMetadataResponse]
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
func checkPaths(t *testing.T, p *servertest.Proxy) (key string) {
	t.Helper()
	key = apitest.MustConceal(t, p.Drivers(t, nil)[0], apitest.Terms{Secret: "kept out of logs"}).SecretKey
	plain, err := p.Client(t, false, "", nil).Get("http://" + servertest.ProxyName + "/secret/" + key)
	if err != nil {
		t.Fatal(err)
	}
	plain.Body.Close()
	p.SendKey(t, http.MethodGet, key, http.StatusOK, http.StatusNotFound)
	p.SendKey(t, http.MethodPost, key, http.StatusOK, http.StatusNotFound)
	return key
}

// checkDown wants an error that clients understand while the service is down.
func checkDown(t *testing.T, p *servertest.Proxy, key string) {
	t.Helper()
	p.SendKey(t, http.MethodPost, key, http.StatusBadGateway, http.StatusServiceUnavailable)
	for name, opts := range map[string][]connect.ClientOption{"connect": nil, "grpc": apitest.GRPCProto(), "grpc-web": apitest.GRPCWeb()} {
		client := hushv1connect.NewSecretServiceClient(p.Client(t, true, "", nil), servertest.ProxyURL, opts...)
		_, err := client.RevealSecret(t.Context(), &hushv1.RevealSecretRequest{SecretKey: key})
		if connect.CodeOf(err) != connect.CodeUnavailable {
			t.Errorf("%s: %s while the service is down: got %v, want unavailable", p.Recipe.Program, name, err)
		}
	}
}

// watchBehind opens the streams. Each brings the receipt at once.
func watchBehind(t *testing.T, p *servertest.Proxy) *proxyWatch {
	t.Helper()
	w := &proxyWatch{driver: p.Drivers(t, nil)[0], streams: map[string]*connect.ServerStreamForClient[hushv1.WatchMetadataResponse]{}}
	w.made = apitest.MustConceal(t, w.driver, apitest.Terms{Secret: "watched"})
	for name, opts := range map[string][]connect.ClientOption{"connect": nil, "grpc": apitest.GRPCProto(), "grpc-web": apitest.GRPCWeb()} {
		for _, http2 := range []bool{false, true} {
			if !http2 && name == "grpc" {
				continue
			}
			if http2 {
				name += "/h2"
			}
			client := hushv1connect.NewMetadataServiceClient(p.Client(t, http2, "", nil), servertest.ProxyURL, opts...)
			stream, err := client.WatchMetadata(t.Context(), &hushv1.WatchMetadataRequest{MetadataKey: w.made.MetadataKey})
			if err != nil {
				t.Fatalf("%s %s WatchMetadata: got %v, want a stream", p.Recipe.Program, name, err)
			}
			t.Cleanup(func() { stream.Close() })
			w.streams[p.Recipe.Program+" "+name] = stream
			w.receive(t, p.Recipe.Program+" "+name)
		}
	}
	return w
}
