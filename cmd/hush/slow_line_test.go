package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"hush/cli/command"
	"hush/client"
	"hush/server/servertest"
	"hush/testtier"
)

// slowLine is a TCP proxy that carries so many bytes a second, each way and on each
// connection.
type slowLine struct {
	listener net.Listener
	backend  atomic.Value // string: the address of the service
	rate     int
	connect  bool // each connection begins with a request for a tunnel, of which the host is ignored
}

// startSlowLine starts a proxy to no service yet, and returns its URL.
func startSlowLine(t testing.TB, rate int) (line *slowLine, url string) {
	t.Helper()
	return startSlow(t, &slowLine{rate: rate})
}

func startSlow(t testing.TB, line *slowLine) (_ *slowLine, url string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	line.listener = l
	go line.accept()
	return line, "http://" + l.Addr().String()
}

func (s *slowLine) accept() {
	for {
		from, err := s.listener.Accept()
		if err != nil {
			return
		}
		go s.join(from)
	}
}

// join connects one connection with the service.
func (s *slowLine) join(from net.Conn) {
	if s.connect {
		// The client waits for the answer, so nothing else is in the buffer.
		if _, err := http.ReadRequest(bufio.NewReader(from)); err != nil {
			_ = from.Close()
			return
		}
		_, _ = io.WriteString(from, "HTTP/1.1 200 OK\r\n\r\n")
	}
	address, _ := s.backend.Load().(string)
	to, err := net.Dial("tcp", address)
	if err != nil {
		_ = from.Close()
		return
	}
	go s.carry(to, from)
	s.carry(from, to)
}

// carry copies to the other end at the rate. What waits is in the buffers of the system:
// the sender is done before the line is.
func (s *slowLine) carry(to, from net.Conn) {
	defer to.Close()
	defer from.Close()
	piece := make([]byte, 1<<10)
	for {
		n, err := from.Read(piece)
		if n > 0 {
			time.Sleep(time.Duration(n) * time.Second / time.Duration(s.rate))
			if _, err := to.Write(piece[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// The programs share and open a file of nearly 1 MiB over slow lines, in real time: at
// 8 KB/s it takes two minutes each way.
func TestRealSlowLines(t *testing.T) {
	t.Parallel()
	testtier.Full(t, "takes minutes on slow lines")
	for _, rate := range []int{8_000, 12_000, 25_000, 60_000} {
		t.Run(fmt.Sprint(rate), func(t *testing.T) {
			t.Parallel()
			line, url := startSlowLine(t, rate)
			p := servertest.StartProcess(t, servertest.Build(t), servertest.NewFolder(t), "--log-level=info", "--base-url", url)
			line.backend.Store(p.Listening(t))
			shareAndOpenSlowly(t, p, "HUSH_SERVER="+url)
		})
	}
}

// Over TLS the programs speak HTTP/2, which has buffers of its own.
func TestRealSlowLineOverTLS(t *testing.T) {
	t.Parallel()
	testtier.Full(t, "takes minutes on a slow line")
	line, url := startSlowLine(t, 8_000)
	url = strings.Replace(url, "http:", "https:", 1)
	cert, key, _ := servertest.SelfSigned(t)
	p := servertest.StartProcess(t, servertest.Build(t), servertest.NewFolder(t), "--log-level=info", "--base-url", url, "--tls-cert", cert, "--tls-key", key)
	line.backend.Store(p.Listening(t))
	shareAndOpenSlowly(t, p, "HUSH_SERVER="+url, "SSL_CERT_FILE="+cert)
}

// A proxy before the service takes a content from the slow line, or gives it there, and
// has limits of its own.
func TestRealSlowLineToAProxy(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about proxies")
	testtier.Full(t, "takes minutes on slow lines")
	for _, r := range servertest.Recipes() {
		t.Run(r.Program, func(t *testing.T) {
			t.Parallel()
			servertest.NeedProgram(t, r.Program)
			p := servertest.StartProcess(t, servertest.Build(t), servertest.NewFolder(t), "--log-level=info", "--base-url", servertest.ProxyURL, "--trusted-proxies", "127.0.0.1")
			proxy := servertest.StartProxy(t, r, servertest.ProxyBackend{Addr: p.Listening(t)})
			line, url := startSlow(t, &slowLine{rate: 12_000, connect: true})
			line.backend.Store(proxy.Addr)
			shareAndOpenSlowly(t, p, "HUSH_SERVER="+servertest.ProxyURL, "SSL_CERT_FILE="+proxy.Cert, "HTTPS_PROXY="+url)
		})
	}
}

// shareAndOpenSlowly shares a file of nearly 1 MiB and opens it with the programs.
func shareAndOpenSlowly(t *testing.T, p *servertest.Process, environment ...string) {
	t.Helper()
	content := bytes.Repeat([]byte("0123456789abcdef"), 1000<<10/16)
	r := servertest.NewRecipient(t)
	file := filepath.Join(t.TempDir(), "backup.tar")
	servertest.MustWrite(t, file, string(content))
	share := r.Program(t, "share", file)
	share.Env = append(share.Env, append(environment, "HUSH_TOKEN="+servertest.Operator{T: t, Data: p.Data}.Account("sender@example.com"))...)
	began := time.Now()
	said := &bytes.Buffer{}
	share.Stderr = io.MultiWriter(said, t.Output())
	out, err := share.Output()
	link := strings.TrimSpace(string(out))
	if err != nil {
		t.Fatalf("hush share: got %v after %v, want no error; it wrote:\n%s", err, time.Since(began), said)
	}
	if _, err := client.ParseLink(link); err != nil {
		t.Fatalf("hush share: got %q and %v, want a link", link, err)
	}
	t.Logf("shared in %v", time.Since(began).Round(time.Second))
	began = time.Now()
	open := r.Program(t, "open", r.KeepLink(t, link), "-o", "opened")
	open.Env = append(open.Env, environment...)
	if out, err := open.CombinedOutput(); err != nil || open.ProcessState.ExitCode() != command.ExitOK {
		t.Fatalf("hush open: got %v after %v, want no error; it wrote:\n%s", err, time.Since(began), out)
	}
	t.Logf("opened in %v", time.Since(began).Round(time.Second))
	if got, err := os.ReadFile(filepath.Join(r.Folder, "opened")); err != nil || !bytes.Equal(got, content) {
		t.Errorf("opened file: got %d bytes and %v, want the %d that were shared", len(got), err, len(content))
	}
}

// browserSlow is a service behind a slow line.
type browserSlow struct {
	Rate int           `json:"rate"`
	URL  string        `json:"url"`
	Ada  browserPerson `json:"ada"`
}

// The pages share and open a file of nearly 1 MiB over slow lines, in real time.
func TestRealSlowPages(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "pages are the same on any store")
	testtier.Full(t, "takes minutes on slow lines")
	tools := findBrowserTools(t)
	var slow []browserSlow
	for _, rate := range []int{8_000, 12_000, 25_000, 60_000} {
		line, url := startSlowLine(t, rate)
		p := servertest.StartProcess(t, servertest.Build(t), servertest.NewFolder(t), "--log-level=info", "--base-url", url)
		line.backend.Store(p.Listening(t))
		servertest.Operator{T: t, Data: p.Data}.Account("ada@example.com")
		slow = append(slow, browserSlow{rate, url, browserPerson{"ada@example.com", servertest.OperatorPassword}})
	}
	runBrowser(t, tools, nil, browserEnvironment{URL: slow[0].URL, Task: "slow", Slow: slow}, http.NewServeMux(), "--workers", "4")
}
