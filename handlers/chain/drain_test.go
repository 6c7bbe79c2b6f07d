package chain_test

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"hush/handlers"
)

// h2Client speaks cleartext HTTP/2 frame by frame.
type h2Client struct {
	*http2.Framer
	t *testing.T
}

func dialH2(t *testing.T, handler http.Handler) *h2Client {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	t.Cleanup(server.Close)
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, http2.ClientPreface); err != nil {
		t.Fatal(err)
	}
	c := &h2Client{http2.NewFramer(conn, conn), t}
	c.must(c.WriteSettings())
	return c
}

func (c *h2Client) must(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

// post sends the header of a request with a body of a length.
func (c *h2Client) post(path string, length int) {
	c.t.Helper()
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	for _, field := range [][2]string{
		{":method", "POST"}, {":scheme", "http"}, {":authority", "hush.example"}, {":path", path},
		{"content-type", "application/json"}, {"content-length", strconv.Itoa(length)}, {"authorization", "Bearer nonsense"},
	} {
		c.must(encoder.WriteField(hpack.HeaderField{Name: field[0], Value: field[1]}))
	}
	c.must(c.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block.Bytes(), EndHeaders: true}))
}

// until reads frames until one is wanted, and reports whether it was there before the
// stream was reset.
func (c *h2Client) until(wanted func(http2.Frame) bool) bool {
	c.t.Helper()
	for {
		frame, err := c.ReadFrame()
		c.must(err)
		if wanted(frame) {
			return true
		}
		if frame.Header().Type == http2.FrameRSTStream {
			return false
		}
	}
}

func isHeader(f http2.Frame) bool { return f.Header().Type == http2.FrameHeaders }

func isPong(f http2.Frame) bool {
	return f.Header().Type == http2.FramePing && f.Header().Flags.Has(http2.FlagPingAck)
}

// A refused call over cleartext HTTP/2 whose short body is still on its way ends without
// a reset: some clients forget the answer when they see one.
func TestShortBodiesAreDrainedOverHTTP2(t *testing.T) {
	t.Parallel()
	api, _ := newAPI(t, func(o *handlers.Options) { o.Pace.Drain = time.Minute })
	c := dialH2(t, treeOf(api))
	const length = 16 << 10
	c.post("/hush.v1.AccountService/GetAccount", length)
	c.must(c.WriteData(1, false, make([]byte, 1)))
	if !c.until(isHeader) {
		t.Fatal("refused call: got a reset, want an answer")
	}
	c.must(c.WriteData(1, true, make([]byte, length-1)))
	c.must(c.WritePing(false, [8]byte{1}))
	if !c.until(isPong) {
		t.Error("refused call: got its stream reset after the answer, want its body drained")
	}
}

// A body that is longer is not worth the wait.
func TestLongBodiesAreResetOverHTTP2(t *testing.T) {
	t.Parallel()
	api, _ := newAPI(t, nil)
	c := dialH2(t, treeOf(api))
	c.post("/hush.v1.AccountService/GetAccount", 64<<10+1)
	if !c.until(isHeader) {
		t.Fatal("refused call: got a reset, want an answer")
	}
	if c.until(isPong) {
		t.Error("refused call with a long body: got its stream open, want it reset")
	}
}
