package booted_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"hush/routes/apitest"
	"hush/server/servertest"
	"hush/server/settings"
	"hush/testtier"
)

// healthy asks for /healthz on a connection.
func healthy(conn net.Conn) error {
	_ = conn.SetDeadline(time.Now().Add(apitest.Patience))
	if _, err := io.WriteString(conn, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		return err
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return errors.New(res.Status)
	}
	return nil
}

// The attack: open every possible connection from one machine and send nothing,
// so that no one else gets in. Its network gets its share. Others get in at
// once, and so do the newest connections of the network itself.
func TestIdleConnectionsLockNobodyOut(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about connections")
	testtier.Full(t, "opens thousands of connections, and measures memory of a process")
	for name, beginning := range map[string]string{
		"silence":       "",
		"half a header": "GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ",
		"HTTP/2":        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00",
	} {
		t.Run(name, func(t *testing.T) { // one at a time: each takes thousands of files
			p := servertest.StartProcess(t, servertest.Build(t), filepath.Join(t.TempDir(), "data"))
			before := p.Memory(t)
			p.FloodFrom(t, "127.0.0.1", settings.MaxConnections, beginning)
			if err := healthy(p.DialFrom(t, "127.0.0.2")); err != nil {
				t.Errorf("another network: got %v, want an answer", err)
			}
			if err := healthy(p.DialFrom(t, "127.0.0.1")); err != nil {
				t.Errorf("the network's newest connection: got %v, want an answer", err)
			}
			const some = 30 // the listeners, and whatever else the process opened
			servertest.WaitUntil(t, "the connections above the share to be closed", func() bool {
				return p.Sockets(t) <= settings.DefaultNetworkConnections+some
			})
			if grown := p.Memory(t) - before; grown > 64<<10 {
				t.Errorf("memory of %d idle connections: got %d KiB more, want no more than 64 MiB", settings.MaxConnections, grown)
			}
			if got, most := p.Goroutines(t), 4*settings.DefaultNetworkConnections; got > most {
				t.Errorf("goroutines of %d idle connections: got %d, want no more than %d", settings.MaxConnections, got, most)
			}
		})
	}
}

// Sixteen machines fill the total. The next visitor takes a place of theirs.
func TestIdleNetworksLockNobodyOut(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about connections")
	p := servertest.StartProcess(t, servertest.Build(t), filepath.Join(t.TempDir(), "data"))
	first := p.DialFrom(t, "127.0.0.100")
	if err := healthy(first); err != nil {
		t.Fatalf("the first visitor: got %v, want an answer", err)
	}
	for i := range settings.MaxConnections / settings.DefaultNetworkConnections {
		p.FloodFrom(t, "127.0.0."+strconv.Itoa(i+1), settings.DefaultNetworkConnections, "")
	}
	for _, from := range []string{"127.0.0.101", "127.0.0.102", "127.0.0.1"} {
		if err := healthy(p.DialFrom(t, from)); err != nil {
			t.Errorf("visitor from %s: got %v, want an answer", from, err)
		}
	}
	if err := healthy(first); err != nil {
		t.Errorf("the first visitor's connection: got %v, want it kept", err)
	}
}

// The attack: begin 900 streams and send half of each request. Each used to
// stay open forever. Now a network has its few places, which count from the
// headers on, and a half-sent request ends with the deadline.
func TestHalfSentStreamsEnd(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about connections")
	testtier.Full(t, "waits for deadlines, and measures memory of a process")
	const attack = 900
	p := servertest.StartProcess(t, servertest.Build(t), filepath.Join(t.TempDir(), "data"), "--max-connections-per-network=1000")
	before := p.Memory(t)
	conns := p.FloodFrom(t, "127.0.0.1", attack, "POST /hush.v1.MetadataService/WatchMetadata HTTP/1.1\r\nHost: x\r\n"+
		"Content-Type: application/connect+json\r\nContent-Length: 100\r\n\r\n\x00\x00")
	if err := healthy(p.DialFrom(t, "127.0.0.1")); err != nil {
		t.Errorf("a call during the attack: got %v, want an answer", err)
	}
	answers := make(chan string, attack)
	for _, conn := range conns {
		go func() {
			_ = conn.SetReadDeadline(time.Now().Add(apitest.Patience))
			answer, err := io.ReadAll(conn) // until the server closes the connection
			if errors.Is(err, os.ErrDeadlineExceeded) {
				answers <- "pending"
				return
			}
			answers <- string(answer)
		}()
	}
	refused := 0
	for range conns {
		switch answer := <-answers; {
		case answer == "pending":
			t.Fatalf("half-sent stream: got it pending after %s, want it ended", apitest.Patience)
		case strings.Contains(answer, "resource_exhausted"):
			refused++
		}
	}
	if want := attack - 20; refused < want {
		t.Errorf("half-sent streams: got %d refused, want %d", refused, want)
	}
	if grown := p.Memory(t) - before; grown > 64<<10 {
		t.Errorf("memory of %d half-sent streams: got %d KiB more, want no more than 64 MiB", attack, grown)
	}
	if got := p.Goroutines(t); got > 100 {
		t.Errorf("goroutines after the attack: got %d, want no more than 100", got)
	}
}
