package booted_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	hushv1 "hush/gen/hush/v1"
	"hush/routes/apitest"
	"hush/server/servertest"
)

// writeMemo sets the sender's note, where the protocol has one.
func writeMemo(t *testing.T, c *apitest.Canaries, d apitest.Driver, key, by string) {
	t.Helper()
	switch d := d.(type) {
	case *apitest.RPCDriver:
		_, err := d.Receipts.UpdateMetadata(t.Context(), &hushv1.UpdateMetadataRequest{MetadataKey: key, Memo: c.Text("memo by " + by)})
		if err != nil {
			t.Errorf("%s memo: got %v, want no error", by, err)
		}
		_, err = d.Receipts.UpdateMetadata(t.Context(), &hushv1.UpdateMetadataRequest{MetadataKey: key, Memo: strings.Repeat(c.Text("oversized memo by "+by), 100)})
		if err == nil {
			t.Errorf("%s oversized memo: got no error, want one", by)
		}
	case *apitest.V2Driver:
		body := url.Values{"memo": {c.Text("memo by " + by)}}.Encode()
		provoke(t, d.Client, http.MethodPatch, d.Prefix+"/private/"+key, "application/x-www-form-urlencoded", body)
		body = url.Values{"memo": {strings.Repeat(c.Text("oversized memo by "+by), 100)}}.Encode()
		provoke(t, d.Client, http.MethodPatch, d.Prefix+"/private/"+key, "application/x-www-form-urlencoded", body)
	}
}

// provokeErrors makes errors of every kind, with canaries in what is wrong.
func provokeErrors(t *testing.T, c *apitest.Canaries, client *http.Client, s *servertest.Server) {
	t.Helper()
	for _, path := range []string{
		"/", "/secret/", "/private/", "/api/", "/api/v1/", "/api/v2/", "/api/v1/secret/", "/api/v2/secret/", "/api/v2/guest/secret/",
		"/api/v1/private/", "/api/v2/receipt/", "/hush.v1.SecretService/", "/testname.v1.TestName/", "/grpc.health.v1.Health/",
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete, http.MethodOptions, "PURGE"} {
			target := s.URL + path + c.Word("path") + "?" + url.Values{c.Word("name in the query"): {c.Text("query")}, "secret": {c.Text("secret in the query")}}.Encode()
			provoke(t, client, method, target, "", "")
			provoke(t, client, method, s.URL+path+url.PathEscape(c.Text("path"))+"?bad="+c.Word("broken query")+"%zz", "", "")
		}
	}
	conceal := []string{"/api/v1/share", "/api/v2/secret/conceal", "/hush.v1.SecretService/ConcealSecret", "/testname.v1.TestName/Lookup"}
	types := []string{
		"application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/proto",
		"application/grpc", "application/grpc-web", "application/grpc-web+json", "application/connect+json", "text/plain", "",
		"application/" + c.Word("content type"),
	}
	for _, path := range conceal {
		for _, contentType := range types {
			for _, body := range malformedWith(c) {
				provoke(t, client, http.MethodPost, s.URL+path, contentType, body)
			}
		}
	}
	lookup := `{"name":"` + c.Word("name of a place") + `"}`
	provoke(t, client, http.MethodPost, s.URL+"/testname.v1.TestName/Lookup", "application/json", lookup)
	provoke(t, client, http.MethodGet, s.URL+"/testname.v1.TestName/Lookup?connect=v1&encoding=json&message="+url.QueryEscape(lookup), "", "")
	provoke(t, client, http.MethodGet, s.URL+"/testname.v1.TestName/Lookup?connect=v1&encoding=json&message="+c.Word("message in the query"), "", "")
}

// malformedWith are bodies that no parser takes.
func malformedWith(c *apitest.Canaries) []string {
	return []string{
		`{"secret":` + c.Word("unquoted JSON") + `}`,
		`{"secret":"` + c.Word("JSON without an end"),
		`{"` + c.Word("twice in JSON") + `":1,"secret":"` + c.Word("number") + `\ud800"}`,
		`{"secret":["` + c.Word("list in JSON") + `"],"ttl":"` + c.Word("ttl") + `"}`,
		`{"ttl":"` + c.Word("ttl in JSON") + `","secret":{"secret":{"x":"` + c.Word("deep JSON") + `"}}}`,
		c.Word("bare body"),
		"secret=" + c.Word("broken form") + "%zz&" + c.Word("broken name") + "%=1",
		"secret=" + c.Word("secret twice") + "&secret=" + c.Word("secret twice"),
		"secret=" + c.Word("invalid UTF-8") + "%ff",
		"--x\r\nContent-Disposition: form-data; name=\"secret\"\r\n\r\n" + c.Word("multipart without an end"),
		"--x\r\nContent-Disposition: form-data; name=\"" + c.Word("part's name") + "\"\r\nContent-Transfer-Encoding: base64\r\n\r\n" + c.Word("part") + "\r\n--x--\r\n",
		"\x0a\x1f" + c.Word("protobuf") + "\x0a\xff\xff",
		"\x0a\x20" + c.Word("protobuf of invalid UTF-8") + "\xff",
		"\x00\x00\x00\x00\x21\x0a\x1f" + c.Word("envelope") + "\xff",
		"\x01\x00\x00\x00\x1f" + c.Word("compressed envelope"),
		"\x00\xff\xff\xff\xff" + c.Word("oversized envelope"),
	}
}

// callRefused sends credentials that are not good.
func callRefused(t *testing.T, c *apitest.Canaries, answers *listener, s *servertest.Server) {
	t.Helper()
	for _, scheme := range []string{"Basic ", "Bearer ", "", "Digest username="} {
		client := servertest.HTTPClient(t, false, http.Header{"Authorization": {scheme + c.Word("credential")}, "X-Forwarded-For": {"198.51.100.8"}})
		client.Transport = answers.listenTo(client.Transport)
		for _, d := range driversOn(client, s, false) {
			d.Conceal(t.Context(), apitest.Terms{Secret: c.Text("secret with a credential")}).Want(t, d.Name()+" conceal", apitest.OutcomeUnauthorized)
			d.Metadata(t.Context(), c.Word("metadata key with a credential")).Want(t, d.Name()+" metadata", apitest.OutcomeUnauthorized)
		}
		provoke(t, client, http.MethodGet, s.URL+"/api/v1/authcheck", "", "")
		provoke(t, client, http.MethodGet, s.URL+"/api/v2/private/recent", "", "")
	}
}

// provoke sends a request and reads whatever comes.
func provoke(t *testing.T, client *http.Client, method, target, contentType, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, target, strings.NewReader(body))
	if err != nil {
		t.Fatalf("NewRequest(%s): got %v, want no error", target, err)
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	res, err := client.Do(req)
	if err != nil {
		t.Errorf("%s %s: got %v, want an answer", method, target, err)
		return
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		t.Errorf("%s %s: got %v, want a whole answer", method, target, err)
	}
}
