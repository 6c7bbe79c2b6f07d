package booted_test

import (
	"bytes"
	"io"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"hush/routes/apitest"
	"hush/server/process"
	"hush/server/servertest"
	"hush/server/settings"
	"hush/testtier"
)

// attacker speaks HTTP/2 frame by frame.
type attacker struct {
	*http2.Framer
	conn net.Conn
	// ended gets the code of the server's GOAWAY, or zero, when the connection
	// has ended.
	ended chan http2.ErrCode
	// pongs gets a value for each ping that was answered, up to one.
	pongs chan struct{}
}

func (a *attacker) read() {
	var code http2.ErrCode
	for {
		frame, err := a.ReadFrame()
		if err != nil {
			a.ended <- code
			return
		}
		switch frame := frame.(type) {
		case *http2.GoAwayFrame:
			code = frame.ErrCode
		case *http2.PingFrame:
			if frame.IsAck() && len(a.pongs) == 0 {
				a.pongs <- struct{}{}
			}
		}
	}
}

// headers is the block of a request.
func headers(method, path string, more ...hpack.HeaderField) []byte {
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	for _, field := range append([]hpack.HeaderField{
		{Name: ":method", Value: method}, {Name: ":scheme", Value: "http"}, {Name: ":path", Value: path}, {Name: ":authority", Value: "x"},
	}, more...) {
		_ = encoder.WriteField(field)
	}
	return block.Bytes()
}

// taken waits until the server has taken what was sent before, and reports
// whether the connection is still open: a busy server closes one whose settings
// it did not read within two seconds.
func (a *attacker) taken() bool {
	_ = a.WritePing(false, [8]byte{})
	select {
	case <-a.pongs:
		return true
	case <-a.ended:
		return false
	}
}

// Each of these attacks makes an HTTP/2 server work, or keep something, for next
// to nothing. None may take it from others or grow it without bounds.
func TestHTTP2Floods(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about connections")
	testtier.Full(t, "measures memory and processor time of a process")
	for name, c := range map[string]struct {
		reads bool
		// send attacks until the server closes the connection, or often enough.
		send func(*attacker) error
		ends bool // the connection has to be closed for it
	}{
		// A stream is opened and reset at once, so that it never counts as open.
		"rapid reset": {true, func(a *attacker) error {
			block := headers("POST", "/hush.v1.SecretService/ConcealSecret", hpack.HeaderField{Name: "content-type", Value: "application/json"})
			for id := uint32(1); id < 40_000; id += 2 {
				if err := a.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: block, EndHeaders: true}); err != nil {
					return err
				}
				if err := a.WriteRSTStream(id, http2.ErrCodeCancel); err != nil {
					return err
				}
			}
			return nil
		}, false},
		// A header block that never ends belongs to no request, and so to no log.
		"CONTINUATION": {true, func(a *attacker) error {
			if err := a.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: headers("GET", "/")}); err != nil {
				return err
			}
			more := headers("GET", "/", hpack.HeaderField{Name: "x-more", Value: strings.Repeat("x", 8<<10)})
			for range 20_000 {
				if err := a.WriteContinuation(1, false, more); err != nil {
					return err
				}
			}
			return nil
		}, true},
		// Every ping requires a response, and the client reads none.
		"pings": {false, func(a *attacker) error {
			for range 2_000_000 {
				if err := a.WritePing(false, [8]byte{}); err != nil {
					return err
				}
			}
			return nil
		}, true},
		// One answer stands for all settings that came before it.
		"settings": {false, func(a *attacker) error {
			for range 200_000 {
				if err := a.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0}); err != nil {
					return err
				}
			}
			return nil
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := servertest.StartProcess(t, servertest.Build(t), filepath.Join(t.TempDir(), "data"))
			memory, worked := p.Memory(t), p.ProcessorTime(t)
			a := attack(t, p, c.reads)
			err := c.send(a)
			if c.ends && err == nil {
				t.Error("attack: got it all taken, want the connection closed")
			}
			if err := healthy(p.DialFrom(t, "127.0.0.2")); err != nil {
				t.Errorf("another network: got %v, want an answer", err)
			}
			if err := healthy(p.DialFrom(t, "127.0.0.1")); err != nil {
				t.Errorf("another connection of the network: got %v, want an answer", err)
			}
			grown, took := p.Memory(t)-memory, p.ProcessorTime(t)-worked
			t.Logf("%d KiB, %s of processors, then %v", grown, took, err)
			if grown > 64<<10 {
				t.Errorf("memory: got %d KiB more, want no more than 64 MiB", grown)
			}
			if took > 20*time.Second {
				t.Errorf("processors: got %s, want it bounded", took)
			}
			a.conn.Close()
			if got := p.Goroutines(t); got > 100 {
				t.Errorf("goroutines afterwards: got %d, want no more than 100", got)
			}
		})
	}
}

// One connection opens every stream that it may and sends half of each request,
// many such connections do so together: HTTP/2 multiplies a network's share. The
// attacker takes no answers, so that the server keeps those, too, until their
// stream ends. Malformed requests are answered by net/http itself.
//
// 246 connections with 24 streams each make 5,904 streams, and up to 120 MiB were
// measured: 21 KiB a stream. Garbage comes on top, up to four times as much
// (gcPercent), depending on when it was last collected. The least memory limit
// makes the server collect in time, and is the bound.
func TestHalfSentStreamsOfHTTP2(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about connections")
	testtier.Full(t, "measures memory of a process")
	const most = process.LeastMemory >> 10
	const conceal = "/hush.v1.SecretService/ConcealSecret"
	request := headers("POST", conceal, hpack.HeaderField{Name: "content-type", Value: "application/json"})
	malformed := headers("POST", conceal, hpack.HeaderField{Name: "te", Value: "x"})
	for name, c := range map[string]struct {
		blocks          [][]byte // of requests, in turn
		streams, frames int
	}{
		"streams":            {[][]byte{request}, 100, 0},
		"bytes":              {[][]byte{request}, 4, 2}, // the window of a connection
		"malformed":          {[][]byte{malformed}, 100, 0},
		"bytes of malformed": {[][]byte{malformed}, 4, 2},
		"both":               {[][]byte{request, malformed}, 100, 0},
		"OPTIONS *":          {[][]byte{headers("OPTIONS", "*")}, 100, 0},
	} {
		t.Run(name, func(t *testing.T) {
			p := servertest.StartProcess(t, servertest.Build(t), filepath.Join(t.TempDir(), "data"), "--memory-limit="+strconv.Itoa(process.LeastMemory))
			before := p.Memory(t)
			attackers := make([]*attacker, settings.DefaultNetworkConnections-10)
			for i := range attackers {
				attackers[i] = attack(t, p, true)
				attackers[i].half(c.blocks, c.streams, c.frames)
			}
			open := 0
			for _, a := range attackers {
				if a.taken() {
					open++
				}
			}
			if err := healthy(p.DialFrom(t, "127.0.0.2")); err != nil {
				t.Errorf("another network: got %v, want an answer", err)
			}
			grown := p.Memory(t) - before
			t.Logf("%d KiB for %d connections", grown, open)
			if grown > most {
				t.Errorf("memory: got %d KiB more, want no more than %d KiB", grown, most)
			}
		})
	}
}

// half sends the beginning of requests, with some frames of each body.
func (a *attacker) half(blocks [][]byte, streams, frames int) {
	beginning, more := []byte(`{"secret":"`), bytes.Repeat([]byte("x"), 16<<10-8)
	for id := uint32(1); id <= uint32(2*streams); id += 2 {
		// Streams and connections may be closed meanwhile.
		block := blocks[int(id/2)%len(blocks)]
		_ = a.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: block, EndHeaders: true})
		_ = a.WriteData(id, false, beginning)
	}
	for range frames {
		for id := uint32(1); id <= uint32(2*streams); id += 2 {
			_ = a.WriteData(id, false, more)
		}
	}
}

// attack connects and answers nothing. If it reads, it drops what it reads.
func attack(t *testing.T, p *servertest.Process, reads bool) *attacker {
	t.Helper()
	conn := p.DialFrom(t, "127.0.0.1")
	if err := conn.SetDeadline(time.Now().Add(apitest.Patience)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, http2.ClientPreface); err != nil {
		t.Fatal(err)
	}
	a := &attacker{http2.NewFramer(conn, conn), conn, make(chan http2.ErrCode, 1), make(chan struct{}, 1)}
	if err := a.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize}); err != nil {
		t.Fatal(err)
	}
	if reads {
		go a.read()
	}
	return a
}
