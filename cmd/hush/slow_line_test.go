package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"hush/client"
	"hush/cmd/hush/command"
	"hush/testtier"
)

// slowLine is a TCP proxy that carries so many bytes a second, each way and on each
// connection.
type slowLine struct {
	listener net.Listener
	backend  atomic.Value // string: the address of the service
	rate     int
}

// startSlowLine starts a proxy to no service yet, and returns its URL.
func startSlowLine(t testing.TB, rate int) (line *slowLine, url string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	line = &slowLine{listener: l, rate: rate}
	go line.accept()
	return line, "http://" + l.Addr().String()
}

func (s *slowLine) accept() {
	for {
		from, err := s.listener.Accept()
		if err != nil {
			return
		}
		address, _ := s.backend.Load().(string)
		to, err := net.Dial("tcp", address)
		if err != nil {
			_ = from.Close()
			continue
		}
		go s.carry(to, from)
		go s.carry(from, to)
	}
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
	content := bytes.Repeat([]byte("0123456789abcdef"), 1000<<10/16)
	for _, rate := range []int{8_000, 12_000, 25_000, 60_000} {
		t.Run(fmt.Sprint(rate), func(t *testing.T) {
			t.Parallel()
			line, url := startSlowLine(t, rate)
			p := startProcess(t, realHush(t), newFolder(t))
			line.backend.Store(p.addr)
			r := newRecipient(t)
			file := filepath.Join(t.TempDir(), "backup.tar")
			if err := os.WriteFile(file, content, 0o600); err != nil {
				t.Fatal(err)
			}
			share := r.program(t, "share", file)
			share.Env = append(share.Env, "HUSH_SERVER="+url, "HUSH_TOKEN="+operator{t, p.data}.account("sender@example.com"))
			began := time.Now()
			said := &bytes.Buffer{}
			share.Stderr = io.MultiWriter(said, t.Output())
			out, err := share.Output()
			link := strings.Replace(strings.TrimSpace(string(out)), p.url, url, 1) // by the line
			if err != nil {
				t.Fatalf("hush share at %d bytes a second: got %v after %v, want no error; it wrote:\n%s", rate, err, time.Since(began), said)
			}
			if _, err := client.ParseLink(link); err != nil || !strings.HasPrefix(link, url) {
				t.Fatalf("hush share: got %q and %v, want a link", link, err)
			}
			t.Logf("shared in %v", time.Since(began).Round(time.Second))
			began = time.Now()
			open := r.program(t, "open", r.keepLink(t, link), "-o", "opened")
			if out, err := open.CombinedOutput(); err != nil || open.ProcessState.ExitCode() != command.ExitOK {
				t.Fatalf("hush open at %d bytes a second: got %v after %v, want no error; it wrote:\n%s", rate, err, time.Since(began), out)
			}
			t.Logf("opened in %v", time.Since(began).Round(time.Second))
			if got, err := os.ReadFile(filepath.Join(r.folder, "opened")); err != nil || !bytes.Equal(got, content) {
				t.Errorf("opened file: got %d bytes and %v, want the %d that were shared", len(got), err, len(content))
			}
		})
	}
}
