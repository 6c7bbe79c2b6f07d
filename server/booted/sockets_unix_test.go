//go:build unix

package booted_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"connectrpc.com/connect"

	"hush/cli/command"
	"hush/cmd/hush/program"
	hushv1 "hush/gen/hush/v1"
	"hush/gen/hush/v1/hushv1connect"
	"hush/routes/apitest"
	"hush/server/servertest"
)

// A proxy on this machine reaches the service over a socket in the file system.
// Its connections count as those of 127.0.0.1.
func TestListenOnUnixSocket(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "hush.sock")
	left, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	left.(*net.UnixListener).SetUnlinkOnClose(false)
	if err := left.Close(); err != nil { // as a process leaves it that is killed
		t.Fatal(err)
	}
	s := servertest.StartOn(t, filepath.Join(dir, "data"), "--listen", "unix:"+path,
		"--base-url", "https://hush.example", "--trusted-proxies", "127.0.0.1")
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}}}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://hush.example/api/v1/share", strings.NewReader("secret=x"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("X-Forwarded-For", "192.0.2.7")
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Errorf("POST /api/v1/share over the socket: got %s, want 200", res.Status)
	}
	s.Log.WaitFor(t, "network=192.0.2.0/24")
	servertest.Call(t, nil, "", "healthcheck", "--listen", "unix:"+path).Want(t, "healthcheck", command.ExitOK)
	servertest.Call(t, nil, "", "serve", "--data", filepath.Join(dir, "other"), "--listen", "unix:"+path, "--base-url", "https://hush.example").
		Want(t, "serve", command.ExitFailure, "another process listens on "+path)
	servertest.Call(t, nil, "", "serve", "--listen", "unix:"+path).Want(t, "serve", command.ExitUsage, "needs --base-url")
	servertest.Call(t, nil, "", "serve", "--data", filepath.Join(dir, "other"), "--listen", "unix:"+dir, "--base-url", "https://hush.example").
		Want(t, "serve", command.ExitFailure, "is not a socket")
	if _, err := os.Stat(filepath.Join(dir, "other")); err == nil {
		t.Error("serve on a taken socket: got a data folder, want none")
	}
}

// The health check needs no name that resolves, and no certificate that is valid
// for it.
func TestHealthcheckOfTLS(t *testing.T) {
	t.Parallel()
	cert, key, _ := servertest.SelfSigned(t)
	s := servertest.Start(t, "--tls-cert", cert, "--tls-key", key, "--base-url", "https://hush.invalid")
	servertest.Call(t, nil, "", "healthcheck", "--listen", s.Listening(t), "--tls-cert", cert, "--base-url", "https://hush.invalid").
		Want(t, "healthcheck", command.ExitOK)
	servertest.Call(t, nil, "", "healthcheck", "--listen", "systemd").Want(t, "healthcheck", command.ExitFailure, "name its address with --listen")
}

// A proxy ends TLS: the health check must not speak it.
func TestHealthcheckBehindProxy(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, "--base-url", "https://hush.invalid")
	servertest.Call(t, nil, "", "healthcheck", "--listen", s.Listening(t), "--base-url", "https://hush.invalid").
		Want(t, "healthcheck", command.ExitOK)
}

// passed starts the program as systemd does, with a socket.
func passed(t *testing.T, socket *os.File, environment []string, args ...string) *exec.Cmd {
	t.Helper()
	return passedAll(t, []*os.File{socket}, environment, args...)
}

// passedAll is passed with several sockets, all of one unit.
func passedAll(t *testing.T, sockets []*os.File, environment []string, args ...string) *exec.Cmd {
	t.Helper()
	servertest.NeedStart(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// LISTEN_PID is the process's own number.
	c := exec.Command("/bin/sh", append([]string{"-c", `LISTEN_PID=$$ exec "$0" "$@"`, self}, args...)...)
	c.ExtraFiles = sockets
	names := strings.Repeat(":hush.socket", len(sockets))[1:]
	c.Env = append(append(os.Environ(), servertest.AsProgram+"=1", fmt.Sprintf("LISTEN_FDS=%d", len(sockets)), "LISTEN_FDNAMES="+names), environment...)
	return c
}

// While the service restarts, systemd keeps its socket open: no request is
// refused and none is lost, and the manager is told when the service is ready.
func TestRestartUnderSystemd(t *testing.T) {
	t.Parallel()
	cert, key, _ := servertest.SelfSigned(t)
	for scheme, flags := range map[string][]string{"http": nil, "https": {"--tls-cert", cert, "--tls-key", key}} {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			wantRestarts(t, scheme, flags...)
		})
	}
}

func wantRestarts(t *testing.T, scheme string, flags ...string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "hush") //nolint:usetesting // paths of sockets are short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	notices, err := net.ListenPacket("unixgram", filepath.Join(dir, "notify"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { notices.Close() })
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	socket, err := listener.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { socket.Close() })

	environment := []string{"NOTIFY_SOCKET=" + filepath.Join(dir, "notify")}
	start := func() *exec.Cmd {
		args := []string{"serve", "--listen", "systemd", "--data", filepath.Join(dir, "data"), "--wait-for-store", "30s"}
		c := passed(t, socket, environment, append(args, flags...)...)
		c.Stderr = new(bytes.Buffer)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		wantNotice(t, notices, "READY=1")
		return c
	}
	stop := func(c *exec.Cmd) {
		if err := c.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		wantNotice(t, notices, "STOPPING=1")
		if err := c.Wait(); err != nil {
			t.Errorf("serve: got %v, want a good end; it wrote:\n%s", err, c.Stderr)
		}
	}
	running := start()
	url := scheme + "://" + listener.Addr().String()
	var keys []string
	var adding sync.Mutex
	done := make(chan struct{})
	var sharers sync.WaitGroup
	// A client whose processor is busy for half a second may find its connection closed,
	// so that many requests at the moment of a restart are for make full.
	busy := servertest.InTier(0, 9)
	for i := range busy {
		client := anyCertificate(i)
		sharers.Go(func() {
			for {
				select {
				case <-done:
					return
				case <-time.After(10 * time.Millisecond):
				}
				key, err := servertest.ShareOnce(t.Context(), client, url)
				if err != nil {
					t.Errorf("POST /api/v1/share during restarts: got %v, want a secret", err)
					return
				}
				adding.Lock()
				keys = append(keys, key)
				adding.Unlock()
			}
		})
	}
	count := func() int {
		adding.Lock()
		defer adding.Unlock()
		return len(keys)
	}
	watched := watchThrough(t, url)
	for restart := range 3 {
		key, err := servertest.ShareOnce(t.Context(), anyCertificate(restart), url)
		if err != nil {
			t.Fatalf("POST /api/v1/share between restarts: got %v, want a secret", err)
		}
		adding.Lock()
		keys = append(keys, key)
		adding.Unlock()
		before := count() // more than each client has under way
		servertest.WaitUntil(t, "requests and streams to be under way", func() bool {
			return t.Failed() || count() >= before+busy && watched.begun.Load() >= int64(3*(restart+1))
		})
		stop(running)
		running = start()
	}
	close(done)
	sharers.Wait()
	t.Logf("%d secrets during the restarts", len(keys))
	watched.open(t, 3)
	client := anyCertificate(0)
	for i, key := range keys {
		if i%(1+len(keys)/200) != 0 {
			continue // below the limit on reveals
		}
		res, err := client.Post(url+"/api/v1/secret/"+key, "application/x-www-form-urlencoded", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != http.StatusOK {
			t.Errorf("POST /api/v1/secret/KEY after the restarts: got %s, want 200", res.Status)
		}
	}
	if len(keys) < 3+busy {
		t.Errorf("got %d secrets during the restarts, want %d or more", len(keys), 3+busy)
	}
	stop(running)
}

// watched is a receipt that clients of each kind watch, which call again when a
// stream ends.
type watched struct {
	begun atomic.Int64 // streams that brought something
	ended chan int     // how many streams a client had
	open  func(t *testing.T, restarts int)
}

// watchThrough watches a receipt until open of what it returns opens the secret, which
// fails the test unless every client sees that, after as many restarts at least.
func watchThrough(t *testing.T, url string) *watched {
	t.Helper()
	secrets := hushv1connect.NewSecretServiceClient(anyCertificate(0), url)
	kept, err := secrets.ConcealSecret(t.Context(), &hushv1.ConcealSecretRequest{Secret: "watched"})
	if err != nil {
		t.Fatal(err)
	}
	w := &watched{ended: make(chan int, 3)}
	for kind := range 3 {
		client := hushv1connect.NewMetadataServiceClient(anyCertificate(kind), url)
		go func() { w.ended <- w.follow(t, client, kept.GetMetadata().GetMetadataKey()) }()
	}
	w.open = func(t *testing.T, restarts int) {
		t.Helper()
		if _, err := secrets.RevealSecret(t.Context(), &hushv1.RevealSecretRequest{SecretKey: kept.GetSecret().GetSecretKey()}); err != nil {
			t.Errorf("RevealSecret after the restarts: got %v, want the secret", err)
		}
		for range 3 {
			if streams := <-w.ended; streams <= restarts {
				t.Errorf("a watch through %d restarts: got %d streams, want one for each process", restarts, streams)
			}
		}
	}
	return w
}

// follow watches a receipt until its secret is received, and returns how many streams
// that took. A stream that stops with the service is to say so.
func (w *watched) follow(t *testing.T, client hushv1connect.MetadataServiceClient, key string) (streams int) {
	for {
		begun := sync.OnceFunc(func() { w.begun.Add(1) })
		stream, err := client.WatchMetadata(t.Context(), &hushv1.WatchMetadataRequest{MetadataKey: key})
		if err != nil {
			t.Errorf("WatchMetadata during restarts: got %v, want a stream", err)
			return streams
		}
		for stream.Receive() {
			begun()
			if stream.Msg().GetMetadata().GetState() == hushv1.State_STATE_RECEIVED {
				_ = stream.Close()
				return streams + 1
			}
		}
		streams++
		if err := stream.Err(); connect.CodeOf(err) != connect.CodeUnavailable {
			t.Errorf("WatchMetadata at the end of a process: got %v, want unavailable", err)
			return streams
		}
		_ = stream.Close()
		time.Sleep(50 * time.Millisecond) // below the limit on calls
	}
}

// wantNotice fails the test unless the next message to the service manager is
// that one.
func wantNotice(t *testing.T, from net.PacketConn, want string) {
	t.Helper()
	if err := from.SetReadDeadline(time.Now().Add(apitest.Patience)); err != nil {
		t.Fatal(err)
	}
	message := make([]byte, 256)
	n, _, err := from.ReadFrom(message)
	if err != nil || string(message[:n]) != want {
		t.Fatalf("message to the service manager: got %q and %v, want %q", message[:n], err, want)
	}
}

// anyCertificate returns a client that checks no certificate: of three, the first
// has a connection for each request, the second keeps it, and the third has all
// on one connection of HTTP/2.
func anyCertificate(kind int) *http.Client {
	var protocols http.Protocols
	protocols.SetHTTP1(kind%3 != 2)
	protocols.SetHTTP2(kind%3 == 2)
	protocols.SetUnencryptedHTTP2(kind%3 == 2)
	return &http.Client{Timeout: apitest.Patience, Transport: &http.Transport{
		DisableKeepAlives: kind%3 == 0, Protocols: &protocols, TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
	}}
}

func TestSocketsOfSystemdMistakes(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	servertest.Call(t, nil, "", "serve", "--data", data, "--listen", "systemd").Want(t, "serve", command.ExitFailure, "systemd passed no socket")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	socket, err := listener.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	out, err := passed(t, socket, nil, "serve", "--data", data, "--listen", "systemd:https").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "systemd passed 0 sockets with the name (FileDescriptorName=) or port https; there are hush.socket (port ") {
		t.Errorf("serve with an unknown socket: got %v and %s, want the names", err, out)
	}
	if _, err := os.Stat(data); err == nil {
		t.Error("serve without a socket: got a data folder, want none")
	}
}

// Two processes hand a data folder and a port over.
func TestWaitForStore(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	first := servertest.StartOn(t, data, servertest.InFolder)
	ended := make(chan servertest.Result, 1)
	waiting := servertest.NewOutput()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		code := program.Run(ctx, []string{"serve", "--store=bolt", "--data", data, "--listen", first.Addr, "--wait-for-store", "1m"}, nil, strings.NewReader(""), io.Discard, waiting)
		ended <- servertest.Result{Code: code}
	}()
	waiting.WaitFor(t, "waiting for the process that listens there")
	select {
	case r := <-ended:
		t.Fatalf("second serve: got exit code %d while the first serves, want it to wait; it wrote:\n%s", r.Code, waiting)
	default:
	}
	first.Stop(t)
	select {
	case <-waiting.Served:
	case <-time.After(apitest.Patience):
		t.Fatalf("second serve: got no start after the first ended, want one; it wrote:\n%s", waiting)
	}
	cancel()
	if r := <-ended; r.Code != command.ExitOK {
		t.Errorf("second serve: got exit code %d, want %d", r.Code, command.ExitOK)
	}
	servertest.Call(t, nil, "", "serve", "--wait-for-store=2h").Want(t, "serve", command.ExitUsage, "must be 0s to 1h")
}

// Each line of the log is JSON, whatever happens.
func TestJSONOnly(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	s := servertest.StartOn(t, data, "--log-format=json", "--log-level=debug")
	if _, err := servertest.ShareOnce(t.Context(), http.DefaultClient, s.URL); err != nil {
		t.Fatal(err)
	}
	s.Log.WaitFor(t, `"took":"`)
	runs := map[string]string{
		"wrong file":  servertest.Call(t, nil, "", "serve", "--data", data, "--listen=127.0.0.1:0", "--log-format=json", "--store=memory", "--cpu-profile="+t.TempDir()).Stderr,
		"wrong flag":  servertest.Call(t, nil, "", "serve", "--log-format", "json", "--listn=x").Stderr,
		"wrong value": servertest.Call(t, nil, "", "serve", "--listen=x", "--log-format", "json").Stderr,
		"variables":   servertest.Call(t, []string{"HUSH_LOG_FORMAT=json", "HUSH_LISTN=x"}, "", "serve").Stderr,
		"argument":    servertest.Call(t, []string{"HUSH_LOG_FORMAT=json"}, "", "serve", "x").Stderr,
	}
	s.Stop(t)
	runs["serve"] = s.Log.String()
	for name, text := range runs {
		if text == "" {
			t.Errorf("%s: got nothing, want lines", name)
		}
		for line := range strings.Lines(text) {
			if !json.Valid([]byte(line)) {
				t.Errorf("%s: got the line %q, want JSON", name, line)
			}
		}
	}
	for _, want := range []string{`"msg":"starting"`, `"base_url":"http://`, `"msg":"serving on http://`} {
		if !strings.Contains(runs["serve"], want) {
			t.Errorf("serve: got\n%s\nwant %s in it", runs["serve"], want)
		}
	}
}
