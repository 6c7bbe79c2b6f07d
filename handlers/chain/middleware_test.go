package chain_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"connectrpc.com/connect"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers"
	"hush/handlers/chain"
	"hush/vault"
	"hush/vault/caller"
	"hush/vault/signup"
)

// A call that did not come through the middleware has no caller. It must not
// count as anonymous: mounting the services elsewhere by mistake would open
// them to everyone.
func TestCallsWithoutMiddlewareFailClosed(t *testing.T) {
	t.Parallel()
	api, _ := newAPI(t, nil)
	ctx := t.Context()
	for name, call := range map[string]func() error{
		"GetStatus": func() error {
			_, err := chain.Bind(api.Chain, api.System.GetStatus).Call(ctx, nil, &hushv1.GetStatusRequest{})
			return err
		},
		"ConcealSecret": func() error {
			_, err := chain.Bind(api.Chain, api.Secrets.ConcealSecret).Call(ctx, nil, &hushv1.ConcealSecretRequest{Secret: "x"})
			return err
		},
		"ListMetadata": func() error {
			_, err := chain.Bind(api.Chain, api.Metadata.ListMetadata).Call(ctx, nil, &hushv1.ListMetadataRequest{})
			return err
		},
	} {
		if err := call(); codeOf(err) != connect.CodeInternal {
			t.Errorf("%s without a caller: got %v, want an internal error", name, err)
		}
	}
}

func TestAccess(t *testing.T) {
	t.Parallel()
	api, _ := newAPI(t, nil)
	for name, c := range map[string]struct {
		header []string
		want   [3]connect.Code // of GetStatus, ListMetadata, Authcheck; zero means success
	}{
		"anonymous":                  {nil, [3]connect.Code{0, connect.CodeUnauthenticated, connect.CodeUnauthenticated}},
		"a bad credential":           {[]string{"Basic eA=="}, [3]connect.Code{16, 16, 16}},
		"an empty credential":        {[]string{""}, [3]connect.Code{16, 16, 16}},
		"two credentials, one empty": {[]string{"", "Bearer x"}, [3]connect.Code{16, 16, 16}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set := func(r *http.Request) { r.Header["Authorization"] = c.header }
			inside(t, api, set, func(ctx context.Context, header http.Header) {
				_, status := through(ctx, api, header, chain.Bind(api.Chain, api.System.GetStatus), &hushv1.GetStatusRequest{})
				_, list := through(ctx, api, header, chain.Bind(api.Chain, api.Metadata.ListMetadata), &hushv1.ListMetadataRequest{})
				_, check := through(ctx, api, header, chain.Bind(api.Chain, api.Sessions.Authcheck), &hushv1.AuthcheckRequest{})
				for i, err := range []error{status, list, check} {
					if c.want[i] == 0 && err != nil || c.want[i] != 0 && codeOf(err) != c.want[i] {
						t.Errorf("call %d: got %v, want code %d", i, err, c.want[i])
					}
				}
			})
		})
	}
}

// A session is one of the service's own host. On others it counts as none, and its cookie
// is cleared: a customer's domain leads here, too.
func TestSessionsAreOfTheOwnHost(t *testing.T) {
	t.Parallel()
	var v *vault.Vault
	api, _ := newAPI(t, func(o *handlers.Options) { v = o.Vault })
	made := signup.OperatorAccount{Address: "ada@example.net", Password: "correct horse battery"}
	if _, err := v.Operator().SignUps.CreateAccount(t.Context(), made); err != nil {
		t.Fatalf("CreateAccount: got %v, want no error", err)
	}
	in, err := v.Sessions.CreateSession(t.Context(), caller.Caller{}, made.Address, made.Password, false)
	if err != nil {
		t.Fatalf("CreateSession: got %v, want no error", err)
	}
	for host, known := range map[string]bool{"hush.example": true, "HUSH.example.:443": true, "s.customer.example": false, "hush.example.evil": false, "": false} {
		set := func(r *http.Request) {
			r.Host = host
			r.AddCookie(&http.Cookie{Name: "__Host-hush", Value: in.Cookie.Expose()})
			r.Header.Set("Origin", "https://"+host)
			r.Header.Set("Sec-Fetch-Site", "same-origin")
			r.Header.Set("O-Shrimp", in.Shrimp)
		}
		inside(t, api, set, func(ctx context.Context, header http.Header) {
			if _, err := through(ctx, api, header, chain.Bind(api.Chain, api.Metadata.ListMetadata), &hushv1.ListMetadataRequest{}); (err == nil) != known {
				t.Errorf("ListMetadata on %q: got %v, want the session known: %t", host, err, known)
			}
		})
	}
}

func TestLimitsOfFieldsHoldInProcess(t *testing.T) {
	t.Parallel()
	api, _ := newAPI(t, nil)
	inside(t, api, nil, func(ctx context.Context, header http.Header) {
		_, err := through(ctx, api, header, chain.Bind(api.Chain, api.Secrets.ListSecretStatus), &hushv1.ListSecretStatusRequest{SecretKeys: make([]string, 26)})
		if codeOf(err) != connect.CodeInvalidArgument {
			t.Errorf("ListSecretStatus of 26 keys: got %v, want an invalid argument", err)
		}
	})
}

// The request's log line has the route's template and the network, and nothing
// that the caller made up.
func TestRequestLine(t *testing.T) {
	t.Parallel()
	api, log := newAPI(t, nil)
	server := serve(t, api, func(w http.ResponseWriter, r *http.Request) {
		chain.Route(r, "/secret/{key}")
		w.WriteHeader(http.StatusTeapot)
	})
	req, err := http.NewRequestWithContext(t.Context(), "CANARY", server.URL+"/secret/canary?canary=canary", strings.NewReader("canary"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("User-Agent", "canary")
	res, err := server.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	server.Close()
	line := log.String()
	for _, want := range []string{"method=other", "route=/secret/{key}", "status=418", "network=127.0.0.0/24", "proto=HTTP/1.1"} {
		if !strings.Contains(line, want) {
			t.Errorf("request line: got %s, want %s in it", line, want)
		}
	}
	if strings.Contains(strings.ToLower(line), "canary") || strings.Contains(line, "127.0.0.1") || strings.Count(line, "\n") != 1 {
		t.Errorf("request line: got %s, want one line that repeats nothing of the request", line)
	}
}

func TestPanicOutsideOfRPCs(t *testing.T) {
	t.Parallel()
	api, log := newAPI(t, nil)
	server := serve(t, api, func(http.ResponseWriter, *http.Request) { panic("canary") })
	res, err := server.Client().Get(server.URL)
	if err != nil {
		t.Fatalf("Get: got %v, want an answer", err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusInternalServerError || string(body) != "internal error\n" {
		t.Errorf("Get: got %s %q %v, want 500 internal error", res.Status, body, err)
	}
	if !strings.Contains(log.String(), "panic") || strings.Contains(log.String(), "canary") {
		t.Errorf("log: got %s, want the panic without its value", log)
	}
}

// A call learns of a panic before its RPC, and of a refusal before it, in its own
// protocol: a client of gRPC or gRPC-Web takes any other answer for a broken server.
func TestCallsAreRefusedInTheirProtocol(t *testing.T) {
	t.Parallel()
	const procedure = "/hush.v1.SystemService/GetStatus"
	for name, refused := range map[string]struct {
		options  func(*handlers.Options)
		status   int
		code     connect.Code
		text     string
		panicked bool
	}{
		"a panic": {nil, http.StatusInternalServerError, connect.CodeInternal, "internal error", true},
		"too many requests of a network behind a proxy": {func(o *handlers.Options) {
			o.TrustedProxies, o.ProxiedRequests = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}, 1
		}, http.StatusServiceUnavailable, connect.CodeUnavailable, "too many requests at a time", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			api, log := newAPI(t, refused.options)
			began, end := make(chan struct{}, 1), make(chan struct{})
			server := serve(t, api, func(http.ResponseWriter, *http.Request) {
				if refused.panicked {
					panic("canary")
				}
				began <- struct{}{}
				<-end
			})
			post := func(contentType string) (status int, grpc, body string) {
				req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+procedure, strings.NewReader("{}"))
				req.RequestURI = ""
				req.Header.Set("Content-Type", contentType)
				req.Header.Set("X-Forwarded-For", "192.0.2.1")
				res, err := server.Client().Do(req)
				if err != nil {
					t.Errorf("POST as %s: got %v, want an answer", contentType, err)
					return 0, "", ""
				}
				defer res.Body.Close()
				all, err := io.ReadAll(res.Body)
				if err != nil {
					t.Errorf("POST as %s: got %v, want a whole answer", contentType, err)
				}
				return res.StatusCode, res.Header.Get("Grpc-Status"), string(all)
			}
			if !refused.panicked { // another call takes the network's only place
				done := make(chan struct{})
				go func() { defer close(done); post("application/json") }()
				<-began
				defer func() { close(end); <-done }()
			}
			want := fmt.Sprintf(`{"code":%q,"message":%q}`, refused.code, refused.text)
			if status, _, body := post("application/json"); status != refused.status || body != want {
				t.Errorf("Connect: got %d %s, want %d %s", status, body, refused.status, want)
			}
			status, grpc, body := post("application/grpc-web+proto")
			if want := strconv.Itoa(int(refused.code)); status != http.StatusOK || grpc != want || body != "" {
				t.Errorf("gRPC-Web: got %d, grpc-status %q and %q, want 200 with %s and no body", status, grpc, body, want)
			}
			if line := log.String(); !strings.Contains(line, "code="+refused.code.String()) {
				t.Errorf("log: got %s, want the code of the refusal", line)
			}
		})
	}
}

// A slow log must not break the connection for later requests: draining sets a
// read deadline, and when it passes, net/http cancels everything that the
// connection serves afterwards.
func TestSlowLogDoesNotPoisonTheConnection(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := &stallingHandler{Handler: slog.DiscardHandler, time: 2500 * time.Millisecond}
		api, _ := newAPI(t, func(o *handlers.Options) { o.Log = slog.New(slow) })
		client := chain.ServePipes(t, api.Middleware(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			if _, err := io.Copy(io.Discard, r.Body); err != nil {
				t.Errorf("Body: got %v, want no error", err)
			}
			if err := r.Context().Err(); err != nil {
				t.Errorf("Context: got %v, want no error", err)
			}
		})), nil).Client(t)
		for range 2 {
			res, err := client.Post("http://hush.example", "text/plain", strings.NewReader("body"))
			if err != nil {
				t.Fatalf("Post: got %v, want an answer", err)
			}
			if _, err := io.Copy(io.Discard, res.Body); err != nil {
				t.Errorf("Body: got %v, want no error", err)
			}
			res.Body.Close()
		}
		if !slow.once.Load() {
			t.Error("log: got no line, want a slow one")
		}
	})
}

// stallingHandler is slow with the first line.
type stallingHandler struct {
	slog.Handler
	time time.Duration
	once atomic.Bool
}

func (h *stallingHandler) Enabled(context.Context, slog.Level) bool { return true }

func (h *stallingHandler) Handle(context.Context, slog.Record) error {
	if !h.once.Swap(true) {
		time.Sleep(h.time)
	}
	return nil
}

// A client that sends its whole body, which is not read, before it reads the
// response still sees why it was refused.
func TestRefusedBodyIsDrained(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]func(*http.Request){
		"unread": func(*http.Request) {},
		"closed": func(r *http.Request) { r.Body.Close() }, // as connect does
		"begun":  func(r *http.Request) { _, _ = r.Body.Read(make([]byte, 10)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { wantDrained(t, before) })
		})
	}
}

func wantDrained(t *testing.T, before func(*http.Request)) {
	t.Helper()
	api, _ := newAPI(t, nil)
	conn := chain.ServePipes(t, api.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		before(r)
		http.Error(w, "too large", http.StatusRequestEntityTooLarge)
	})), nil).Dial(t)
	answer, arrived := bufio.NewReader(conn), make(chan struct{})
	go func() { // keeps the answer, as the kernel does until the client reads it
		defer close(arrived)
		_, _ = answer.Peek(1)
	}()
	head := fmt.Sprintf("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", 16<<20)
	if _, err := conn.Write(append([]byte(head), make([]byte, 16<<20)...)); err != nil {
		t.Fatalf("Write: got %v, want everything to be taken", err)
	}
	<-arrived
	res, err := http.ReadResponse(answer, nil)
	if err != nil {
		t.Fatalf("ReadResponse: got %v, want an answer", err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("ReadResponse: got %s, want 413", res.Status)
	}
}

// A client that asks before it sends its body is refused at once, not after the
// server waited for a body that never comes.
func TestRefusalBeforeTheBodyIsImmediate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		api, _ := newAPI(t, nil)
		conn := chain.ServePipes(t, api.Middleware(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "too large", http.StatusRequestEntityTooLarge)
		})), nil).Dial(t)
		began := time.Now()
		if _, err := io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9999999\r\nExpect: 100-continue\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		answer := make([]byte, 64)
		n, err := conn.Read(answer)
		if err != nil || !strings.HasPrefix(string(answer[:n]), "HTTP/1.1 413") {
			t.Fatalf("answer: got %q, %v, want 413", answer[:n], err)
		}
		if waited := time.Since(began); waited > 0 {
			t.Errorf("answer: got it after %v, want it at once", waited)
		}
	})
}
