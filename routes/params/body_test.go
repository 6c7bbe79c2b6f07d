package params

import (
	"bytes"
	"errors"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"hush/routes/refusal"
)

func TestReadParamsTypes(t *testing.T) {
	const (
		form  = "secret=a&ttl=60"
		json  = `{"secret":"a","ttl":60}`
		multi = "--b\r\nContent-Disposition: form-data; name=\"secret\"\r\n\r\na\r\n--b--\r\n"
	)
	for _, test := range []struct {
		types []string
		body  string
		want  string
	}{
		{nil, form, "a"},
		{[]string{""}, form, "a"},
		{[]string{typeForm}, form, "a"},
		{[]string{"Application/X-WWW-Form-Urlencoded; charset=UTF-8"}, form, "a"},
		{[]string{"text/html", typeForm}, form, "a"},
		{[]string{"text/html", typeJSON}, json, "a"},
		{[]string{typeJSON + ";charset=utf-8"}, json, "a"},
		{[]string{"application/json; broken"}, json, "a"},
		{[]string{"multipart/form-data; boundary=b"}, multi, "a"},
		{[]string{"application/octet-stream"}, form, "query"},
		{[]string{"text/plain"}, json, "query"},
		{[]string{typeJSON}, "", "query"},
		{[]string{"multipart/form-data"}, "", "query"},
		{[]string{"multipart/form-data; boundary=b"}, "", "query"},
		{nil, "", "query"},
	} {
		r := httptest.NewRequest(http.MethodPost, "/?secret=query", strings.NewReader(test.body))
		r.Header["Content-Type"] = test.types
		p, err := testNames().Read(r, MaxBody)
		if err != nil {
			t.Errorf("Read(%q): got error %v", test.types, err)
			continue
		}
		if got, err := p.Text("secret"); err != nil || got != test.want {
			t.Errorf("Read(%q).text(secret): got %q, %v, want %q", test.types, got, err, test.want)
		}
	}
}

func TestReadParamsRefusals(t *testing.T) {
	request := func(body io.Reader, header ...string) *http.Request {
		r := httptest.NewRequest(http.MethodPost, "/", body)
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		return r
	}
	const large = "the body must be at most 4194304 bytes"
	long := bytes.Repeat([]byte("a"), MaxBody+1)
	for _, test := range []struct {
		name  string
		r     *http.Request
		class refusal.Class
		want  string
	}{
		{"gzip", request(strings.NewReader("a"), "Content-Encoding", "gzip"), refusal.ClassEncoding,
			"a body with a Content-Encoding is not accepted"},
		{"long", request(bytes.NewReader(long)), refusal.ClassTooLarge, large},
		{"long of unknown length", request(io.MultiReader(bytes.NewReader(long))), refusal.ClassTooLarge, large},
		{"long of no known type", request(bytes.NewReader(long), "Content-Type", "text/plain"), refusal.ClassTooLarge, large},
		{"broken", request(iotest.ErrReader(io.ErrUnexpectedEOF)), refusal.ClassMalformed, "the body could not be read"},
		{"query", httptest.NewRequest(http.MethodGet, "/?secret=%25%%32", nil), refusal.ClassInvalid,
			"secret is not properly percent-encoded"},
	} {
		_, err := testNames().Read(test.r, MaxBody)
		wantRefusal(t, "Read("+test.name+")", err, test.class, test.want)
	}
	if _, err := testNames().Read(request(io.MultiReader(strings.NewReader("a="), bytes.NewReader(long[:MaxBody-2]))), MaxBody); err != nil {
		t.Errorf("Read(4 MiB): got error %v", err)
	}
	if _, err := testNames().Read(request(strings.NewReader("a=b"), "Content-Encoding", "identity"), MaxBody); err != nil {
		t.Errorf("Read(identity): got error %v", err)
	}
}

// The attack: none is needed. A body whose type no route reads is ignored, and with
// it the passphrase in it.
func TestUnreadBodies(t *testing.T) {
	const body, want = `{"passphrase":"hunter2"}`, "the Content-Type of a body must be application/x-www-form-urlencoded, multipart/form-data or application/json"
	read := func(kind string, body io.Reader) Params {
		r := httptest.NewRequest(http.MethodPost, "/", body)
		r.Header.Set("Content-Type", kind)
		p, err := testNames().Read(r, MaxBody)
		if err != nil {
			t.Fatalf("Read(%s): got error %v", kind, err)
		}
		return p
	}
	for _, kind := range []string{"text/json", "application/vnd.api+json", "text/plain", "application/octet-stream"} {
		for _, field := range []string{"passphrase", "ttl", "recipient"} {
			only := optional(FormText, field)
			for how, sent := range map[string]io.Reader{"known length": strings.NewReader(body), "unknown length": io.MultiReader(strings.NewReader(body))} {
				wantRefusal(t, "Unread("+kind+" of "+how+")", read(kind, sent).Only(only).Unread(), refusal.ClassEncoding, want)
			}
			for how, sent := range map[string]io.Reader{"empty": strings.NewReader(""), "empty of unknown length": io.MultiReader(strings.NewReader(""))} {
				if err := read(kind, sent).Only(only).Unread(); err != nil {
					t.Errorf("Unread(%s, %s): got error %v, want none", kind, how, err)
				}
			}
		}
		if err := read(kind, strings.NewReader(body)).Only(optional(FormText, "msg", AnyName)).Unread(); err != nil {
			t.Errorf("Unread(%s without guards): got error %v, want none", kind, err)
		}
	}
	if err := read(typeJSON, strings.NewReader(body)).Only(guards()).Unread(); err != nil {
		t.Errorf("Unread(%s): got error %v, want none", typeJSON, err)
	}
}

// A GET with a body is read like one without.
func TestReadParamsOfGet(t *testing.T) {
	r := httptest.NewRequest(http.MethodGet, "/?ttl=1", strings.NewReader("ttl=2"))
	p, err := testNames().Read(r, MaxBody)
	if err != nil {
		t.Fatalf("Read(GET): got error %v", err)
	}
	if got, err := p.Text("ttl"); err != nil || got != "1" {
		t.Errorf("Read(GET).text(ttl): got %q, %v, want 1", got, err)
	}
}

// readUpTo reads what the library's reader with a limit reads, whatever size was
// announced and however the bytes arrive.
func TestBodiesAreReadWhole(t *testing.T) {
	content := bytes.Repeat([]byte("0123456789abcdef"), 4<<10)
	broken := errors.New("broken")
	for _, size := range []int{0, 1, 511, 512, 513, firstRead - 1, firstRead, firstRead + 1, len(content)} {
		for _, expected := range []int64{-1, 0, int64(size) - 1, int64(size), int64(size) + 1, 1 << 40} {
			for _, most := range []int64{1, int64(size) + 1, max(1, int64(size)), 1 << 40} {
				for name, slow := range map[string]func(io.Reader) io.Reader{
					"whole": func(r io.Reader) io.Reader { return r }, "halves": iotest.HalfReader, "end with data": iotest.DataErrReader,
					"broken": func(r io.Reader) io.Reader { return io.MultiReader(r, iotest.ErrReader(broken)) },
				} {
					want, wantErr := io.ReadAll(io.LimitReader(slow(bytes.NewReader(content[:size])), most))
					got, err := readUpTo(slow(bytes.NewReader(content[:size])), most, expected)
					if !bytes.Equal(got, want) || !errors.Is(err, wantErr) {
						t.Errorf("readUpTo(%d bytes %s, %d, %d): got %d bytes, %v, want %d, %v", size, name, most, expected, len(got), err, len(want), wantErr)
					}
				}
			}
		}
	}
}

// asked is a reader that notes how much room its first caller has.
type asked struct{ room int }

func (a *asked) Read(into []byte) (int, error) {
	a.room = max(a.room, len(into))
	return 0, io.EOF
}

// What a caller announces takes no memory: only what it sends does. Each of
// thousands of requests may announce the largest body and then wait.
func TestAnAnnouncedBodyTakesNoMemory(t *testing.T) {
	const most = 1 << 10
	for _, announced := range []int64{-1, 0, 600, 8 << 10, MaxBody, math.MaxInt64} {
		var r asked
		all, err := readUpTo(&r, MaxBody+1, announced)
		if err != nil {
			t.Fatalf("readUpTo(%d announced): got error %v", announced, err)
		}
		if got := max(r.room, cap(all)); got > most {
			t.Errorf("readUpTo(%d announced), of which none arrived: got %d bytes of memory, want at most %d", announced, got, most)
		}
	}
}
