package booted_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"hush/routes/apitest"
	"hush/server/servertest"
	"hush/testtier"
)

// Absolute bounds on what an attack may cost the server. Memory is the peak of
// the process while it lasts. Time is the server's own on all processors, which
// a slow or busy machine does not stretch as it does time on the wall.
const (
	// readingTime is for what is refused as it is read, twenty times; workTime is
	// for what hashes passwords and decodes pictures.
	readingTime = 2 * time.Second
	workTime    = 60 * time.Second
)

// abuseMemory is more on a machine of many processors, since each hashes two
// passphrases at a time, of 19 MiB each.
func abuseMemory() int64 { return int64(512+40*runtime.NumCPU()) << 20 }

// abuse is an attack on a running server.
type abuse struct {
	name string
	most time.Duration // of the server's processors
	// run attacks, and returns the longest answer.
	run func(t *testing.T, a *attacked) int
}

// attacked is the server under attack, in a process of its own, with accounts.
type attacked struct {
	*servertest.Process
	env   *servertest.Env
	h1    *http.Client
	h2    *http.Client
	bomb  []byte // 256 MiB of zeros in gzip
	logos []byte // a picture of four million pixels
}

// abuses is the table. A new way to make the service work for an attacker is a
// line here.
func abuses() []abuse {
	var all []abuse
	for _, w := range abuseWires() {
		all = append(all,
			abuse{"900 violations over " + w.name, readingTime, func(t *testing.T, a *attacked) int { return a.flood(t, w, w.list(900)) }},
			abuse{"200,000 violations over " + w.name, readingTime, func(t *testing.T, a *attacked) int { return a.flood(t, w, w.list(200_000)) }},
			abuse{"a zip bomb over " + w.name, readingTime, func(t *testing.T, a *attacked) int { return a.flood(t, w, string(a.bomb)) }},
			abuse{"half-sent bodies over " + w.name, readingTime, func(t *testing.T, a *attacked) int { return a.halves(t, w) }},
		)
		if strings.Contains(w.contentType, "json") {
			all = append(all, abuse{"deep JSON over " + w.name, readingTime, func(t *testing.T, a *attacked) int {
				return a.flood(t, w, `{"a":`+strings.Repeat("[", 2_000_000))
			}})
		}
	}
	return append(all,
		abuse{"parameters of v1", readingTime, func(t *testing.T, a *attacked) int {
			return a.flood(t, abuseWire{path: "/api/v1/share", contentType: apitest.TypeForm}, "secret=x"+strings.Repeat("&a=b", 1_000_000))
		}},
		abuse{"keys of v2", readingTime, func(t *testing.T, a *attacked) int {
			return a.flood(t, abuseWire{path: "/api/v2/secret/status", contentType: apitest.TypeForm}, "keys="+strings.Repeat("a,", 2_000_000))
		}},
		abuse{"guesses of a passphrase", workTime, guesses},
		abuse{"guesses of a password", workTime, passwords},
		abuse{"uploads of large pictures", workTime, uploads},
		abuse{"domains whose servers are silent", readingTime, lookups},
	)
}

// A hostile client does whatever costs it little and the service much, in every
// protocol. What it costs stays bounded, and a secret is revealed afterwards as
// before.
func TestAbuseIsBounded(t *testing.T) {
	t.Parallel()
	testtier.Full(t, "measures memory and processor time of a process")
	env := servertest.NewEnv(t)
	a := &attacked{
		env: env, bomb: bombOf(t, 256<<20), logos: hugePNG(t),
		h1: servertest.HTTPClient(t, false, nil), h2: servertest.HTTPClient(t, true, nil),
		Process: servertest.StartProcess(t, servertest.Build(t), env.CopyTo(t), "--rate-limits=off", "--memory-limit=384MiB", "--resolver="+silentResolver(t)),
	}
	for _, c := range abuses() {
		t.Run(c.name, func(t *testing.T) {
			a.ResetPeak(t)
			before := a.ProcessorTime(t)
			longest := c.run(t, a)
			took, peak := a.ProcessorTime(t)-before, int64(a.PeakMemory(t))<<10
			t.Logf("peak %d MiB, %s of processor time, %d bytes answered", peak>>20, took, longest)
			if peak > abuseMemory() {
				t.Errorf("memory: got a peak of %d MiB, want at most %d", peak>>20, abuseMemory()>>20)
			}
			if took > c.most {
				t.Errorf("processor time: got %s, want at most %s", took, c.most)
			}
			if longest > apitest.MaxRefusal {
				t.Errorf("answer: got %d bytes, want at most %d", longest, apitest.MaxRefusal)
			}
		})
	}
	d := servertest.Drivers(t, a.Server, nil)[0]
	d.Reveal(t.Context(), apitest.MustConceal(t, d, apitest.Terms{Secret: "kept"}).SecretKey, "").WantValue(t, "reveal afterwards", "kept")
}

// abuseWire is a way to send a message.
type abuseWire struct {
	name, path, contentType string
	zip, enveloped, legacy  bool
}

func abuseWires() []abuseWire {
	all := []abuseWire{
		{name: "v1", path: "/api/v1/share", contentType: apitest.TypeJSON, legacy: true},
		{name: "v2", path: "/api/v2/secret/conceal", contentType: apitest.TypeJSON, legacy: true},
	}
	for _, zip := range []bool{false, true} {
		for _, w := range []abuseWire{
			{name: "Connect JSON", path: apitest.ConcealPath, contentType: apitest.TypeJSON},
			{name: "Connect", path: apitest.ConcealPath, contentType: apitest.TypeProto},
			{name: "gRPC", path: apitest.ConcealPath, contentType: "application/grpc", enveloped: true},
			{name: "gRPC-Web", path: apitest.ConcealPath, contentType: "application/grpc-web", enveloped: true},
		} {
			if w.zip = zip; zip {
				w.name += " in gzip"
			}
			all = append(all, w)
		}
	}
	return all
}

// list is a message with that many empty recipients.
func (w abuseWire) list(n int) string {
	switch {
	case w.legacy:
		return `{"secret":"x","recipient":[` + strings.Repeat(`"",`, n-1) + `""]}`
	case strings.HasSuffix(w.contentType, "json"):
		return `{"secret":"x","recipients":[` + strings.Repeat(`"",`, n-1) + `""]}`
	default:
		return "\x0a\x01x" + strings.Repeat("\x22\x00", n)
	}
}

// flood sends a body twenty times, five at a time.
func (a *attacked) flood(t *testing.T, w abuseWire, body string) int {
	t.Helper()
	packed := strings.HasPrefix(body, "\x1f\x8b")
	if w.zip && !packed {
		body, packed = apitest.ZippedText(t, body), true
	}
	header := http.Header{"Content-Type": {w.contentType}}
	client := a.h1
	switch {
	case w.enveloped:
		client = a.h2
		header.Set("Te", "trailers")
		header.Set("Grpc-Encoding", "gzip")
		body = apitest.Envelope(byte(btoi(packed)), body)
	case packed:
		header.Set("Content-Encoding", "gzip")
	}
	return swarm(20, 5, func(int) int { return a.post(t, client, w.path, header, body) })
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// post sends a request, and returns how much was answered.
func (a *attacked) post(t *testing.T, client *http.Client, path string, header http.Header, body string) int {
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, a.URL+path, strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return 0
	}
	req.Header = header
	res, err := client.Do(req)
	if err != nil {
		return 0 // an answer before the end of a body may break the connection
	}
	defer res.Body.Close()
	text, _ := io.ReadAll(res.Body)
	return len(fmt.Sprint(string(text), res.Header, res.Trailer))
}

// swarm does something n times, some at a time, and returns the largest
// result.
func swarm(n, at int, do func(i int) int) int {
	var mu sync.Mutex
	var all sync.WaitGroup
	longest, turns := 0, make(chan struct{}, at)
	for i := range n {
		turns <- struct{}{}
		all.Go(func() {
			defer func() { <-turns }()
			got := do(i)
			mu.Lock()
			defer mu.Unlock()
			longest = max(longest, got)
		})
	}
	all.Wait()
	return longest
}

// halves sends all but one byte of 60 bodies of 4 MiB and leaves them there.
func (a *attacked) halves(t *testing.T, w abuseWire) int {
	t.Helper()
	const size = 4<<20 - 64
	body := strings.Repeat("x", size)
	encoding := ""
	if w.zip && !w.enveloped {
		encoding = "Content-Encoding: gzip\r\n"
	}
	if w.enveloped {
		body = apitest.Envelope(byte(btoi(w.zip)), body)[:size] // the end is missing
		encoding = "Grpc-Encoding: gzip\r\n"
	}
	var mu sync.Mutex
	var open []net.Conn
	swarm(60, 20, func(int) int {
		conn, err := net.Dial("tcp", a.Addr)
		if err != nil {
			return 0 // refused at the network's share of connections
		}
		mu.Lock()
		open = append(open, conn)
		mu.Unlock()
		_ = conn.SetDeadline(time.Now().Add(5 * time.Second))
		head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: %s\r\n%sContent-Length: %d\r\n\r\n", w.path, w.contentType, encoding, size+1)
		_, _ = io.WriteString(conn, head+body)
		return 0
	})
	for _, conn := range open {
		conn.Close()
	}
	return 0
}

// guesses tries passphrases of many secrets at a time: each try costs argon2id.
func guesses(t *testing.T, a *attacked) int {
	d := servertest.Drivers(t, a.Server, nil)[0]
	var keys []string
	for range 12 {
		keys = append(keys, apitest.MustConceal(t, d, apitest.Terms{Secret: "x", Passphrase: "open sesame"}).SecretKey)
	}
	return swarm(120, 60, func(i int) int {
		return a.post(t, a.h1, apitest.RevealPath, http.Header{"Content-Type": {apitest.TypeJSON}},
			`{"secretKey":"`+keys[i%len(keys)]+`","passphrase":"`+strconv.Itoa(i)+`"}`)
	})
}

// passwords tries passwords of many addresses at a time.
func passwords(t *testing.T, a *attacked) int {
	return swarm(60, 30, func(i int) int {
		return a.post(t, a.h1, "/hush.v1.SessionService/CreateSession", http.Header{"Content-Type": {apitest.TypeJSON}},
			fmt.Sprintf(`{"address":"a%d@example.com","password":"wrong password %d"}`, i, i))
	})
}

// uploads sends pictures that are small in the file and large in memory.
func uploads(t *testing.T, a *attacked) int {
	header := apitest.Bearer(a.env.Ada.Token)
	header.Set("Content-Type", "multipart/form-data; boundary=b")
	body := "--b\r\nContent-Disposition: form-data; name=\"logo\"; filename=\"a.png\"\r\n\r\n" + string(a.logos) + "\r\n--b--\r\n"
	swarm(30, 15, func(int) int {
		return a.post(t, a.h1, "/api/v2/domains/"+a.env.Ada.Domain.Name+"/logo", header, body)
	})
	return 0 // an upload that succeeds answers with the picture
}

// lookups asks about a domain again and again, while DNS does not answer.
func lookups(t *testing.T, a *attacked) int {
	return swarm(30, 30, func(int) int {
		header := apitest.Bearer(a.env.Ada.Token)
		header.Set("Content-Type", apitest.TypeJSON)
		return a.post(t, a.h1, "/api/v2/domains/"+a.env.Ada.Domain.Name+"/verify", header, "{}")
	})
}

// silentResolver is the address of a DNS server that answers nothing.
func silentResolver(t *testing.T) string {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn.LocalAddr().String()
}

func hugePNG(t *testing.T) []byte {
	t.Helper()
	picture := image.NewPaletted(image.Rect(0, 0, 2000, 2000), color.Palette{color.Black, color.White})
	var b bytes.Buffer
	if err := png.Encode(&b, picture); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func bombOf(t *testing.T, size int) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	zeros := make([]byte, 1<<20)
	for range size >> 20 {
		if _, err := w.Write(zeros); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
