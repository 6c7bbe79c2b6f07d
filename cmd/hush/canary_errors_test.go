package main

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	hushv1 "hush/gen/hush/v1"
)

// memo sets the sender's note, where the protocol has one.
func (c *canaries) memo(t *testing.T, d driver, key, by string) {
	t.Helper()
	switch d := d.(type) {
	case *rpcDriver:
		_, err := d.receipts.UpdateMetadata(t.Context(), &hushv1.UpdateMetadataRequest{MetadataKey: key, Memo: c.text("memo by " + by)})
		if err != nil {
			t.Errorf("%s memo: got %v, want no error", by, err)
		}
		_, err = d.receipts.UpdateMetadata(t.Context(), &hushv1.UpdateMetadataRequest{MetadataKey: key, Memo: strings.Repeat(c.text("oversized memo by "+by), 100)})
		if err == nil {
			t.Errorf("%s oversized memo: got no error, want one", by)
		}
	case *v2Driver:
		body := url.Values{"memo": {c.text("memo by " + by)}}.Encode()
		provoke(t, d.client, http.MethodPatch, d.prefix+"/private/"+key, "application/x-www-form-urlencoded", body)
		body = url.Values{"memo": {strings.Repeat(c.text("oversized memo by "+by), 100)}}.Encode()
		provoke(t, d.client, http.MethodPatch, d.prefix+"/private/"+key, "application/x-www-form-urlencoded", body)
	}
}

// provoke makes errors of every kind, with canaries in what is wrong.
func (c *canaries) provoke(t *testing.T, client *http.Client, s *testServer) {
	t.Helper()
	for _, path := range []string{
		"/", "/secret/", "/private/", "/api/", "/api/v1/", "/api/v2/", "/api/v1/secret/", "/api/v2/secret/", "/api/v2/guest/secret/",
		"/api/v1/private/", "/api/v2/receipt/", "/hush.v1.SecretService/", "/testname.v1.TestName/", "/grpc.health.v1.Health/",
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete, http.MethodOptions, "PURGE"} {
			target := s.url + path + c.word("path") + "?" + url.Values{c.word("name in the query"): {c.text("query")}, "secret": {c.text("secret in the query")}}.Encode()
			provoke(t, client, method, target, "", "")
			provoke(t, client, method, s.url+path+url.PathEscape(c.text("path"))+"?bad="+c.word("broken query")+"%zz", "", "")
		}
	}
	conceal := []string{"/api/v1/share", "/api/v2/secret/conceal", "/hush.v1.SecretService/ConcealSecret", "/testname.v1.TestName/Lookup"}
	types := []string{
		"application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/proto",
		"application/grpc", "application/grpc-web", "application/grpc-web+json", "application/connect+json", "text/plain", "",
		"application/" + c.word("content type"),
	}
	for _, path := range conceal {
		for _, contentType := range types {
			for _, body := range c.malformed() {
				provoke(t, client, http.MethodPost, s.url+path, contentType, body)
			}
		}
	}
	lookup := `{"name":"` + c.word("name of a place") + `"}`
	provoke(t, client, http.MethodPost, s.url+"/testname.v1.TestName/Lookup", "application/json", lookup)
	provoke(t, client, http.MethodGet, s.url+"/testname.v1.TestName/Lookup?connect=v1&encoding=json&message="+url.QueryEscape(lookup), "", "")
	provoke(t, client, http.MethodGet, s.url+"/testname.v1.TestName/Lookup?connect=v1&encoding=json&message="+c.word("message in the query"), "", "")
}

// malformed are bodies that no parser takes.
func (c *canaries) malformed() []string {
	return []string{
		`{"secret":` + c.word("unquoted JSON") + `}`,
		`{"secret":"` + c.word("JSON without an end"),
		`{"` + c.word("twice in JSON") + `":1,"secret":"` + c.word("number") + `\ud800"}`,
		`{"secret":["` + c.word("list in JSON") + `"],"ttl":"` + c.word("ttl") + `"}`,
		`{"ttl":"` + c.word("ttl in JSON") + `","secret":{"secret":{"x":"` + c.word("deep JSON") + `"}}}`,
		c.word("bare body"),
		"secret=" + c.word("broken form") + "%zz&" + c.word("broken name") + "%=1",
		"secret=" + c.word("secret twice") + "&secret=" + c.word("secret twice"),
		"secret=" + c.word("invalid UTF-8") + "%ff",
		"--x\r\nContent-Disposition: form-data; name=\"secret\"\r\n\r\n" + c.word("multipart without an end"),
		"--x\r\nContent-Disposition: form-data; name=\"" + c.word("part's name") + "\"\r\nContent-Transfer-Encoding: base64\r\n\r\n" + c.word("part") + "\r\n--x--\r\n",
		"\x0a\x1f" + c.word("protobuf") + "\x0a\xff\xff",
		"\x0a\x20" + c.word("protobuf of invalid UTF-8") + "\xff",
		"\x00\x00\x00\x00\x21\x0a\x1f" + c.word("envelope") + "\xff",
		"\x01\x00\x00\x00\x1f" + c.word("compressed envelope"),
		"\x00\xff\xff\xff\xff" + c.word("oversized envelope"),
	}
}

// refuse sends credentials that are not good.
func (c *canaries) refuse(t *testing.T, answers *listener, s *testServer) {
	t.Helper()
	for _, scheme := range []string{"Basic ", "Bearer ", "", "Digest username="} {
		client := newHTTPClient(t, false, http.Header{"Authorization": {scheme + c.word("credential")}, "X-Forwarded-For": {"198.51.100.8"}})
		client.Transport = answers.listenTo(client.Transport)
		for _, d := range driversOn(client, s, false) {
			d.conceal(t.Context(), wish{secret: c.text("secret with a credential")}).want(t, d.name()+" conceal", outcomeUnauthorized)
			d.metadata(t.Context(), c.word("metadata key with a credential")).want(t, d.name()+" metadata", outcomeUnauthorized)
		}
		provoke(t, client, http.MethodGet, s.url+"/api/v1/authcheck", "", "")
		provoke(t, client, http.MethodGet, s.url+"/api/v2/private/recent", "", "")
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
