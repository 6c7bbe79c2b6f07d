package hush_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The service makes no HTTP request but to the ACME server of its operator. Commands
// call a server, and so does the library that they use.
func TestServiceCallsNoServer(t *testing.T) {
	t.Parallel()
	var found []string
	walkFiles(t, func(name string) {
		if strings.HasSuffix(name, ".go") && callsServers(name, readDocument(t, name)) {
			found = append(found, name)
		}
	})
	if want := []string{"server/certificates/issuer.go"}; !slices.Equal(found, want) {
		t.Errorf("files of the service that make HTTP requests: got %q, want %q", found, want)
	}
}

// The check must be able to fail.
func TestRequestsOfTheServiceAreFound(t *testing.T) {
	t.Parallel()
	const text = "package x\n\nvar c = &http.Client{}\n"
	for name, want := range map[string]bool{"vault/x.go": true, "server/x.go": true, "vault/x_test.go": false, "client/x.go": false, "cmd/hush/people/x.go": false} {
		if got := callsServers(name, text); got != want || callsServers(name, "package x\n\nvar h http.Handler\n") {
			t.Errorf("callsServers(%s): got %t, want %t, and false for a handler", name, got, want)
		}
	}
}

var (
	request = regexp.MustCompile(`\bhttp2?\.(Client\{|Transport\{|Get\(|Head\(|Post\(|PostForm\(|Default(Client|Transport)\b|NewRequest)`)
	// What is no part of the service: the library of clients, commands that call a
	// service, programs and kits for tests, and generated code.
	noService = regexp.MustCompile(`_test\.go$|^client/|^tools/|^gen/|^openapi/|^server/datafolder/|^cmd/hush/(admin|people)/|test/`)
)

// callsServers reports whether a file of the service makes HTTP requests.
func callsServers(name, text string) bool {
	return !noService.MatchString(name) && request.MatchString(text)
}
