package connections_test

import (
	"bytes"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// largeAnswer is more than a client's small receive buffer takes, and less than
// a server's send buffer.
const largeAnswer = 99_000

// An attacker opens connections from the network of a victim, who is reading the
// answer to a reveal slowly. The victim's connection has been idle longest, since
// the server has handed the whole answer to the system, and has to go. What an
// HTTP/2 client sends while it reads must not make the system throw the rest
// away: the secret is nowhere else any more.
func TestEvictionKeepsTheAnswer(t *testing.T) {
	t.Parallel()
	for name, secure := range map[string]bool{"h2c": false, "HTTP/2 over TLS": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newWire(t, secure, true)
			victim := s.slowReader(t)
			<-s.began
			s.idle()
			s.works(t, s.caller())
			s.works(t, s.caller()) // evicts the victim
			// An answer to this cannot be sent, and the server gives up.
			if err := victim.WritePing(false, [8]byte{}); err != nil {
				t.Fatal(err)
			}
			if got, err := readAnswer(victim); got != largeAnswer || err != nil {
				t.Errorf("answer on an evicted connection: got %d bytes and %v, want %d", got, err, largeAnswer)
			}
		})
	}
}

// slowReader asks for a large answer and does not read it.
func (s *wire) slowReader(t *testing.T) *http2.Framer {
	t.Helper()
	raw, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { raw.Close() })
	if err := raw.(*net.TCPConn).SetReadBuffer(32 << 10); err != nil {
		t.Fatal(err)
	}
	c, scheme := raw, "http"
	if s.TLS != nil {
		config := s.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
		config.NextProtos, config.ServerName = []string{"h2"}, "example.com"
		c, scheme = tls.Client(raw, config), "https"
	}
	if _, err := io.WriteString(c, http2.ClientPreface); err != nil {
		t.Fatal(err)
	}
	framer := http2.NewFramer(c, c)
	var block bytes.Buffer
	headers := hpack.NewEncoder(&block)
	for _, h := range [][2]string{{":method", "GET"}, {":scheme", scheme}, {":authority", "x"}, {":path", "/large"}} {
		headers.WriteField(hpack.HeaderField{Name: h[0], Value: h[1]})
	}
	framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1 << 30})
	framer.WriteWindowUpdate(0, 1<<30)
	if err := framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block.Bytes(), EndStream: true, EndHeaders: true}); err != nil {
		t.Fatal(err)
	}
	return framer
}

// readAnswer reads an answer to its end, with updates of the window as clients
// send them. It returns the number of bytes.
func readAnswer(framer *http2.Framer) (bytes int, err error) {
	for {
		frame, err := framer.ReadFrame()
		if err != nil {
			return bytes, err
		}
		switch frame := frame.(type) {
		case *http2.SettingsFrame:
			if !frame.IsAck() {
				_ = framer.WriteSettingsAck()
			}
		case *http2.DataFrame:
			bytes += len(frame.Data())
			if frame.StreamEnded() {
				return bytes, nil
			}
			_ = framer.WriteWindowUpdate(0, uint32(max(1, len(frame.Data()))))
		}
	}
}
