package chain

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"hush/gen/hush/v1/hushv1connect"
)

// spokenService is a service as it is mounted, whose procedures refuse every call.
func spokenService() http.Handler {
	_, handler := hushv1connect.NewSystemServiceHandler(hushv1connect.UnimplementedSystemServiceHandler{})
	return spoken(brief(handler))
}

// What connect refuses with a status alone says why, in the protocol that called.
func TestRefusalsSayWhy(t *testing.T) {
	t.Parallel()
	const path = "/hush.v1.SystemService/GetStatus"
	long := strings.Repeat("z", maxProtocolText+1)
	for name, test := range map[string]struct {
		method, target, contentType string
		header                      [2]string
		status                      int
		want                        string // in the body, or a gRPC status
	}{
		"another type":          {"POST", path, "application/xml", [2]string{}, 415, `{"code":"unimplemented","message":"the Content-Type must be `},
		"no type":               {"POST", path, "", [2]string{}, 415, `"code":"unimplemented"`},
		"gRPC-Web as text":      {"POST", path, "application/grpc-web-text", [2]string{}, 415, "binary form only"},
		"another gRPC codec":    {"POST", path, "application/grpc+xml", [2]string{}, 200, "12"},
		"another gRPC-Web one":  {"POST", path, "application/grpc-web+xml", [2]string{}, 200, "12"},
		"a stream of a unary":   {"POST", path, "application/connect+json", [2]string{}, 200, `"code":"unimplemented"`},
		"another method":        {"PUT", path, "application/json", [2]string{}, 405, "procedures are called with POST"},
		"a GET that changes":    {"GET", "/hush.v1.SystemService/ValidateShrimp?encoding=json&message=%7B%7D", "", [2]string{}, 405, "a GET must change nothing"},
		"a GET of nothing":      {"GET", path, "", [2]string{}, 415, "a GET needs the parameters"},
		"a GET in XML":          {"GET", path + "?encoding=xml&message=x", "", [2]string{}, 415, "a GET needs the parameters"},
		"a GET without message": {"GET", path + "?encoding=json", "", [2]string{}, 400, "missing message parameter"},
		"a GET in brotli":       {"GET", path + "?encoding=json&message=%7B%7D&compression=br", "", [2]string{}, 501, `"code":"unimplemented"`},
		"brotli":                {"POST", path, "application/json", [2]string{"Content-Encoding", "br"}, 501, `"code":"unimplemented"`},
		"brotli over gRPC":      {"POST", path, "application/grpc", [2]string{"Grpc-Encoding", "br"}, 200, "12"},
		"brotli over gRPC-Web":  {"POST", path, "application/grpc-web", [2]string{"Grpc-Encoding", "br"}, 200, "12"},
		"unknown":               {"POST", "/hush.v1.SystemService/NoSuch", "application/json", [2]string{}, 404, `{"code":"unimplemented","message":"unknown procedure"}`},
		"unknown to gRPC":       {"POST", "/hush.v1.SystemService/NoSuch", "application/grpc", [2]string{}, 200, "12"},
		"unknown to gRPC-Web":   {"POST", "/hush.v1.SystemService/NoSuch", "application/grpc-web+proto", [2]string{}, 200, "12"},
		"a long encoding":       {"POST", path, "application/json", [2]string{"Content-Encoding", long}, 400, `"code":"invalid_argument"`},
		"a long gRPC encoding":  {"POST", path, "application/grpc", [2]string{"Grpc-Encoding", long}, 200, "3"},
		"a long type of gRPC":   {"POST", path, "application/grpc+" + long, [2]string{}, 400, `"code":"invalid_argument"`},
	} {
		r := httptest.NewRequest(test.method, test.target, nil)
		r.Header.Set("Content-Type", test.contentType)
		if test.header[0] != "" {
			r.Header.Set(test.header[0], test.header[1])
		}
		w := httptest.NewRecorder()
		spokenService().ServeHTTP(w, r)
		res := w.Result()
		said := w.Body.String() + res.Header.Get("Grpc-Status") + res.Trailer.Get("Grpc-Status")
		if res.StatusCode != test.status || !strings.Contains(said, test.want) || strings.Contains(said, long) {
			t.Errorf("%s: got %d %s, want %d and %s", name, res.StatusCode, said, test.status, test.want)
		}
		if values := res.Header["Grpc-Encoding"]; len(values) > 0 && values[0] == "" {
			t.Errorf("%s: got an empty Grpc-Encoding, want none", name)
		}
		if test.status >= 400 && res.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: got a body of type %q, want JSON", name, res.Header.Get("Content-Type"))
		}
	}
}

// A path that no service has is that of a procedure by its form. Pages and files are
// not.
func TestIsProcedure(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{
		"/hush.v1.NoSuch/Get": true, "/a.B/C": true, "/hush.v1.NoSuch/": false, "/hush.v1.NoSuch": false, "/hush.v1.NoSuch/Get/": false,
		"/.well-known/Change": false, "/secret/Key": false, "/a.b/c": false, "/": false, "": false, "//a.b/C": false,
	} {
		if got := isProcedure(path); got != want {
			t.Errorf("isProcedure(%q): got %v, want %v", path, got, want)
		}
	}
}
