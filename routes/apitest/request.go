package apitest

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// Reply is an answer, read to its end.
type Reply struct {
	Status int
	Header http.Header
	Body   string
}

// Send sends a request; a body that begins with a brace is JSON, any other
// a form.
func Send(t testing.TB, client *http.Client, method, url string, header http.Header, body string) Reply {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatalf("%s %s: got %v, want a request", method, url, err)
	}
	maps.Copy(r.Header, header)
	if m := PublicMethods()[r.URL.Path]; m != nil && m.IsStreamingServer() && method == http.MethodPost {
		return streamAs(t, client, r, body)
	}
	if body != "" && r.Header.Get("Content-Type") == "" {
		kind := "application/x-www-form-urlencoded"
		if strings.HasPrefix(body, "{") {
			kind = "application/json"
		}
		r.Header.Set("Content-Type", kind)
	}
	res, err := client.Do(r)
	if err != nil {
		t.Fatalf("%s %s: got %v, want an answer", method, url, err)
	}
	defer res.Body.Close()
	content, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatalf("%s %s: got %v, want a whole body", method, url, err)
	}
	return Reply{res.StatusCode, res.Header, string(content)}
}

// streamAs calls a stream over Connect with JSON and answers its first message,
// or its error as an RPC without a stream has it.
func streamAs(t testing.TB, client *http.Client, r *http.Request, body string) Reply {
	t.Helper()
	envelope := append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(body))), body...)
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(envelope)), int64(len(envelope))
	r.Header.Set("Content-Type", "application/connect+json")
	res, err := client.Do(r)
	if err != nil {
		t.Fatalf("%s: got %v, want an answer", r.URL.Path, err)
	}
	defer res.Body.Close()
	if res.Header.Get("Content-Type") != "application/connect+json" {
		content, _ := io.ReadAll(res.Body)
		return Reply{res.StatusCode, res.Header, string(content)}
	}
	var head [5]byte
	if _, err := io.ReadFull(res.Body, head[:]); err != nil {
		t.Fatalf("%s: got %v, want a message", r.URL.Path, err)
	}
	content := make([]byte, binary.BigEndian.Uint32(head[1:]))
	if _, err := io.ReadFull(res.Body, content); err != nil {
		t.Fatalf("%s: got %v, want a whole message", r.URL.Path, err)
	}
	var end struct{ Error json.RawMessage }
	if head[0]&2 == 0 || json.Unmarshal(content, &end) != nil || end.Error == nil {
		return Reply{http.StatusOK, res.Header, string(content)}
	}
	return Reply{http.StatusBadRequest, res.Header, string(end.Error)}
}

// Call calls an RPC over Connect with JSON.
func Call(t testing.TB, client *http.Client, url, procedure string, header http.Header, body string) Reply {
	t.Helper()
	return Send(t, client, http.MethodPost, url+procedure, header, body)
}

// At returns what an answer in JSON holds at a path of members and of indexes,
// as text. It ends the test if there is nothing.
func (r Reply) At(t testing.TB, path ...any) string {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(r.Body))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		t.Fatalf("answer: got %d %q, want JSON: %v", r.Status, r.Body, err)
	}
	for _, step := range path {
		object, _ := value.(map[string]any)
		list, _ := value.([]any)
		switch step := step.(type) {
		case string:
			value = object[step]
		case int:
			value = nil
			if step < len(list) {
				value = list[step]
			}
		}
		if value == nil {
			t.Fatalf("answer: got nothing at %v, want a value: %d %s", path, r.Status, r.Body)
		}
	}
	return fmt.Sprint(value)
}

// OK ends the test unless a call succeeded.
func (r Reply) OK(t testing.TB, call string) Reply {
	t.Helper()
	if r.Status != http.StatusOK {
		t.Fatalf("%s: got %d %s, want 200", call, r.Status, r.Body)
	}
	return r
}

// Says fails the test unless an answer holds a value.
func (r Reply) Says(t testing.TB, call, want string, path ...any) {
	t.Helper()
	if got := r.At(t, path...); got != want {
		t.Errorf("%s: got %q at %v, want %q", call, got, path, want)
	}
}

// PublicMethods lists the RPCs that the contract has on the public port.
var PublicMethods = sync.OnceValue(func() map[string]protoreflect.MethodDescriptor {
	methods := map[string]protoreflect.MethodDescriptor{}
	for _, pkg := range []protoreflect.FullName{"hush.v1", "testname.v1"} {
		protoregistry.GlobalFiles.RangeFilesByPackage(pkg, func(file protoreflect.FileDescriptor) bool {
			maps.Copy(methods, MethodsOf(file))
			return true
		})
	}
	return methods
})

// MethodsOf returns the methods in a file by their procedures.
func MethodsOf(file protoreflect.FileDescriptor) map[string]protoreflect.MethodDescriptor {
	methods := map[string]protoreflect.MethodDescriptor{}
	for i := range file.Services().Len() {
		service := file.Services().Get(i)
		for j := range service.Methods().Len() {
			method := service.Methods().Get(j)
			methods["/"+string(service.FullName())+"/"+string(method.Name())] = method
		}
	}
	return methods
}

// Paths of RPCs, and media types.
const (
	ConcealPath = "/hush.v1.SecretService/ConcealSecret"
	RevealPath  = "/hush.v1.SecretService/RevealSecret"
	TypeForm    = "application/x-www-form-urlencoded"
	TypeJSON    = "application/json"
	TypeProto   = "application/proto"
)

// MaxRefusal is how many bytes an answer that refuses may have, with its headers and trailers.
const MaxRefusal = 8 << 10

// Zipped is size bytes of one letter, a thousandth of that on the wire.
func Zipped(t *testing.T, before string, size int, after string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := io.Copy(w, io.MultiReader(strings.NewReader(before), strings.NewReader(strings.Repeat("a", size)), strings.NewReader(after)))
	if err != nil || w.Close() != nil {
		t.Fatalf("gzip: got %v, want no error", err)
	}
	return b.String()
}

// ZippedText is a text in gzip.
func ZippedText(t *testing.T, text string) string {
	t.Helper()
	return Zipped(t, text, 0, "")
}

// Envelope is how gRPC and gRPC-Web frame a message.
func Envelope(flags byte, message string) string {
	size := len(message)
	return string([]byte{flags, byte(size >> 24), byte(size >> 16), byte(size >> 8), byte(size)}) + message
}

// Look sends a request without a body, and wants any answer but a redirect.
func Look(t *testing.T, client *http.Client, method, url string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	res, err := client.Do(req)
	if err != nil {
		t.Errorf("%s %s: got %v, want an answer without a redirect", method, url, err)
		return
	}
	res.Body.Close()
}

// Patience bounds every wait for something that happens soon or never: it is as long
// as a busy machine may need.
const Patience = 3 * time.Minute
