package apitest_test

import (
	"bufio"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"hush/handlers"
	"hush/handlers/chain"
	"hush/routes/apitest"
)

// A caller with a wrong credential announces four megabytes on every route that
// reads a body, and sends none of it. Each route must refuse at once: its
// response must not depend on a body that may never come.
func TestEveryRowIsGatedBeforeItsBody(t *testing.T) {
	t.Parallel()
	s := apitest.Start(t, apitest.Options{Handlers: handlers.Options{Settings: chain.Settings{RateLimits: true}}})
	rows := 0
	for _, row := range rowsWithoutMounts(t) {
		if row.Method == http.MethodGet || row.Method == http.MethodOptions || slices.Contains(publicMetaPaths(), row.Path) {
			continue
		}
		rows++
		t.Run(row.Method+" "+row.Path, func(t *testing.T) {
			t.Parallel()
			status, answer := withoutBody(t, s, row.Method, row.Path, "Authorization: Bearer nonsense\r\n")
			if !strings.Contains(answer, "Not authorized") && status != http.StatusForbidden {
				t.Errorf("answer: got %d %.300s, want it refused", status, answer)
			}
		})
	}
	if rows < 60 {
		t.Errorf("rows with a body: got %d, want all", rows)
	}
}

// publicMetaPaths ignore a credential that is not good and take a body.
func publicMetaPaths() []string { return []string{"/api/v2/validate-shrimp"} }

// A client with an old credential asks what it asks of any service first. Those
// routes of the second version answer as they do a stranger; the first version,
// and whatever else there is, refuses.
func TestBadCredentialsOnMetaRoutes(t *testing.T) {
	t.Parallel()
	s := apitest.Start(t, apitest.Options{Handlers: handlers.Options{Settings: chain.Settings{RateLimits: true}}})
	client := s.Client(t, false, nil)
	for _, test := range []struct {
		method, path string
		status       int
	}{
		{http.MethodGet, "/api/v2/status", 200}, {http.MethodGet, "/api/v2/version", 200},
		{http.MethodGet, "/api/v2/supported-locales", 200}, {http.MethodPost, "/api/v2/validate-shrimp", 200},
		{http.MethodGet, "/api/v2/altcha/challenge", 200}, {http.MethodHead, "/api/v2/status", 200},
		{http.MethodPost, "/api/v2/altcha/verify", 403}, {http.MethodGet, "/api/v2/authcheck", 403},
		{http.MethodPost, "/api/v2/secret/conceal", 403}, {http.MethodPost, "/api/v2/secret/x/reveal", 403},
		{http.MethodGet, "/api/v2/secret/x", 403}, {http.MethodGet, "/api/v2/account", 403},
		{http.MethodGet, "/api/v1/status", 404}, {http.MethodPost, "/api/v1/share", 404},
		{http.MethodPost, "/hush.v1.SystemService/GetStatus", 401},
	} {
		for _, credential := range []string{"Basic nonsense", "Basic YUBleGFtcGxlLmNvbTp4", "Bearer x", "Digest x", ""} {
			req, err := http.NewRequestWithContext(t.Context(), test.method, s.URL+test.path, strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", credential)
			req.Header.Set("Content-Type", apitest.TypeJSON)
			res, err := client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
			if res.StatusCode != test.status {
				t.Errorf("%s %s with %q: got %d, want %d", test.method, test.path, credential, res.StatusCode, test.status)
			}
		}
	}
}

// withoutBody sends the head of a request and waits for its answer.
func withoutBody(t *testing.T, s *apitest.Server, method, path, headers string) (status int, answer string) {
	t.Helper()
	conn := s.Dial(t)
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(apitest.Patience)); err != nil {
		t.Fatal(err)
	}
	path = strings.NewReplacer("{key}", "x", "{domain}", "x").Replace(path)
	fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: x\r\nContent-Type: %s\r\nContent-Length: 4194304\r\nExpect: 100-continue\r\n%s\r\n",
		method, path, apitest.TypeForm, headers)
	res, err := http.ReadResponse(bufio.NewReader(conn), nil) //nolint:bodyclose // closing it would wait for its end
	if err != nil {
		t.Fatalf("%s %s: got %v, want an answer", method, path, err)
	}
	// The end of the answer comes when the server has given up on the body.
	beginning := make([]byte, 4096)
	n, err := res.Body.Read(beginning)
	if n == 0 {
		t.Fatalf("%s %s: got %v, want an answer", method, path, err)
	}
	return res.StatusCode, string(beginning[:n])
}
