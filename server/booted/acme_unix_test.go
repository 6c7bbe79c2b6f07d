//go:build unix

package booted_test

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"hush/cli/command"
	"hush/routes/apitest"
	"hush/server/certificates/acmetest"
	"hush/server/servertest"
)

// systemSocket is a socket as systemd has it: open while no service runs.
func systemSocket(t *testing.T) (file *os.File, port int) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	file, err = listener.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return file, listener.Addr().(*net.TCPAddr).Port
}

// supervised is a service with --acme that systemd starts with both sockets of
// one unit.
type supervised struct {
	acmeService

	sockets []*os.File
	notices net.PacketConn
	args    []string
	env     []string
}

func newSupervised(t *testing.T) *supervised {
	t.Helper()
	servertest.NeedStart(t)
	dir, err := os.MkdirTemp("", "hush") //nolint:usetesting // paths of sockets are short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	plainFile, plain := systemSocket(t)
	secureFile, secure := systemSocket(t)
	s := &supervised{sockets: []*os.File{plainFile, secureFile}, acmeService: acmeService{
		acme: acmetest.New(t, plain, secure, 3600*24*90), data: filepath.Join(dir, "data"), roots: filepath.Join(dir, "roots.pem"),
		plain: fmt.Sprintf("127.0.0.1:%d", plain), secure: fmt.Sprintf("127.0.0.1:%d", secure),
	}}
	s.acme.DNS.SetA(acmeHost, "127.0.0.1")
	if err := os.WriteFile(s.roots, s.acme.TLSPEM, 0o600); err != nil {
		t.Fatal(err)
	}
	s.notices, err = net.ListenPacket("unixgram", filepath.Join(dir, "notify"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.notices.Close() })
	s.env = []string{"NOTIFY_SOCKET=" + filepath.Join(dir, "notify"), "SSL_CERT_FILE=" + s.roots}
	s.args = []string{
		"serve", "--acme", "--acme-directory", s.acme.URL, "--base-url=https://" + acmeHost, "--data", s.data, "--wait-for-store=30s", "--rate-limits=off",
		fmt.Sprintf("--acme-http-listen=systemd:%d", plain), fmt.Sprintf("--listen=systemd:%d", secure),
	}
	return s
}

func (s *supervised) start(t *testing.T) *exec.Cmd {
	t.Helper()
	c := passedAll(t, s.sockets, s.env, s.args...)
	c.Stderr = new(bytes.Buffer)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	wantNotice(t, s.notices, "READY=1")
	return c
}

func (s *supervised) stop(t *testing.T, c *exec.Cmd) {
	t.Helper()
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	wantNotice(t, s.notices, "STOPPING=1")
	if err := c.Wait(); err != nil {
		t.Errorf("serve: got %v, want a good end; it wrote:\n%s", err, c.Stderr)
	}
}

// redirects returns an error unless a page is redirected to HTTPS.
func (s *supervised) redirects(client *http.Client) error {
	res, err := client.Get("http://" + acmeHost + "/s")
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusMovedPermanently {
		return errors.New(res.Status)
	}
	return nil
}

// While a service with --acme restarts under systemd, neither of its ports refuses
// or loses a request, and the certificate of the first start serves all others.
func TestRestartWithACME(t *testing.T) {
	servertest.RunOnce(t, "about certificates")
	t.Parallel()
	s := newSupervised(t)
	running := s.start(t)
	s.await(t, &servertest.Process{Server: &servertest.Server{Log: servertest.NewOutput()}}, acmeHost)
	servertest.Call(t, nil, "", "healthcheck", "--acme", s.args[len(s.args)-1]).Want(t, "healthcheck", command.ExitOK)
	keys, done := make(chan string, 10000), make(chan struct{})
	var clients sync.WaitGroup
	busy := servertest.InTier(0, 6) // as in wantRestarts
	for i := range busy {
		client := s.client(t, i%3 == 2)
		client.Timeout = apitest.Patience
		client.Transport.(*http.Transport).DisableKeepAlives = i%3 == 0
		clients.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				key, err := servertest.ShareOnce(t.Context(), client, "https://"+acmeHost)
				if err != nil {
					t.Errorf("POST /api/v1/share during restarts (client %d): got %v, want a secret", i, err)
					return
				}
				keys <- key
				if i%3 != 0 {
					continue
				}
				if err := s.redirects(client); err != nil {
					t.Errorf("GET http://%s/s during restarts: got %v, want it redirected", acmeHost, err)
					return
				}
			}
		})
	}
	for range 3 {
		key, err := servertest.ShareOnce(t.Context(), s.client(t, true), "https://"+acmeHost)
		if err == nil {
			err = s.redirects(s.client(t, false))
		}
		if err != nil {
			t.Fatalf("requests between restarts: got %v, want none to fail", err)
		}
		keys <- key
		before := len(keys) // more than each client has under way
		servertest.WaitUntil(t, "requests to be under way", func() bool { return t.Failed() || len(keys) >= before+busy })
		s.stop(t, running)
		running = s.start(t)
	}
	close(done)
	clients.Wait()
	close(keys)
	n, client := 0, s.client(t, true)
	for key := range keys {
		n++
		res, err := client.PostForm("https://"+acmeHost+"/api/v1/secret/"+key, url.Values{})
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != http.StatusOK {
			t.Errorf("POST /api/v1/secret/KEY after the restarts: got %s, want 200", res.Status)
		}
	}
	if n < 3+busy {
		t.Errorf("got %d secrets during the restarts, want %d or more", n, 3+busy)
	}
	if got := s.acme.Orders(); got != 1 {
		t.Errorf("orders: got %d, want that of the first start only", got)
	}
	s.stop(t, running)
}
