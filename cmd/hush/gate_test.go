package main

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"hush/routes"
)

// Somebody with a wrong credential announces four megabytes on every route that
// takes a body, and sends none of it. Each route has to refuse at once: what it
// says must not depend on a body that may never come.
func TestEveryRowIsGatedBeforeItsBody(t *testing.T) {
	t.Parallel()
	s := startHush(t)
	rows := 0
	for _, row := range routes.Table(nil) {
		if row.Method == http.MethodGet || row.Method == http.MethodOptions {
			continue
		}
		rows++
		t.Run(row.Method+" "+row.Path, func(t *testing.T) {
			t.Parallel()
			status, answer := withoutBody(t, s, row.Method, row.Path, "Authorization: Bearer nonsense\r\n")
			publicMeta := slices.Contains(publicMetaPaths(), row.Path)
			refused := strings.Contains(answer, "Not authorized") || status == http.StatusForbidden
			if refused == publicMeta {
				t.Errorf("answer: got %d %.300s, want it refused: %t", status, answer, !publicMeta)
			}
		})
	}
	if rows < 60 {
		t.Errorf("rows with a body: got %d, want all", rows)
	}
}

// publicMetaPaths ignore credentials.
func publicMetaPaths() []string { return nil }

// withoutBody sends the head of a request and waits for its answer.
func withoutBody(t *testing.T, s *server, method, path, headers string) (status int, answer string) {
	t.Helper()
	conn, err := net.Dial("tcp", s.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	path = strings.NewReplacer("{key}", "x", "{domain}", "x").Replace(path)
	fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: x\r\nContent-Type: %s\r\nContent-Length: 4194304\r\nExpect: 100-continue\r\n%s\r\n",
		method, path, typeForm, headers)
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("%s %s: got %v, want an answer", method, path, err)
	}
	// The end of the answer comes when the server has given up on the body, and
	// closing the answer's body would wait for it.
	beginning := make([]byte, 4096)
	n, err := res.Body.Read(beginning)
	if n == 0 {
		t.Fatalf("%s %s: got %v, want an answer", method, path, err)
	}
	return res.StatusCode, string(beginning[:n])
}
