package server

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"hush/cli/console"
	"hush/handlers"
	"hush/routes"
	"hush/server/datafolder"
)

// newBenchTree is everything that a request passes inside the process, on the
// store in memory, so that what is measured is the route.
func newBenchTree(b *testing.B) http.Handler {
	b.Helper()
	return newObservedTree(b, nil)
}

// newObservedTree is newBenchTree with metrics, unless observed is nil.
func newObservedTree(b *testing.B, observed *observation) http.Handler {
	b.Helper()
	set := settingsOf(b, "--store=memory", "--rate-limits=off", "--max-network-bytes=64GiB")
	log := slog.New(slog.DiscardHandler)
	made, mistakes := newParts(b.Context(), set)
	if len(mistakes) > 0 {
		b.Fatalf("newParts: %v", mistakes)
	}
	s := &server{
		Settings: set, parts: made, log: log, observed: observed, now: time.Now,
		base: set.Base(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 7143}),
	}
	d, err := datafolder.Open(b.Context(), set, &console.Console{Err: io.Discard}, log)
	if err != nil {
		b.Fatalf("datafolder.Open: %v", err)
	}
	observed.watch(d)
	v, err := s.openVault(context.Background(), d)
	if err != nil {
		b.Fatalf("openVault: %v", err)
	}
	b.Cleanup(v.Close)
	tree, _, err := s.newTree(v, d)
	if err != nil {
		b.Fatalf("newTree: %v", err)
	}
	return tree
}

// callTree sends one request and returns its answer.
func callTree(b *testing.B, tree http.Handler, method, path, contentType, body string) []byte {
	b.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	w := httptest.NewRecorder()
	tree.ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		b.Fatalf("%s %s: got %d %s, want 200", method, path, w.Code, w.Body)
	}
	answer, _ := io.ReadAll(w.Body)
	return answer
}

// benchKeys is a secret that a benchmark uses up.
type benchKeys struct {
	Secret   string `json:"secret_key"`
	Metadata string `json:"metadata_key"`
}

func shareOne(b *testing.B, tree http.Handler) benchKeys {
	b.Helper()
	var keys benchKeys
	answer := callTree(b, tree, http.MethodPost, "/api/v1/share", "", "secret=something+to+keep&ttl=3600")
	if err := json.Unmarshal(answer, &keys); err != nil {
		b.Fatalf("share answered %s: %v", answer, err)
	}
	return keys
}

// BenchmarkRoute measures every legacy route and, for scale, the RPCs, without
// a network.
func BenchmarkRoute(b *testing.B) {
	const (
		form    = "application/x-www-form-urlencoded"
		jsonDoc = "application/json"
	)
	bodies := map[string]string{
		"ConcealSecret": "secret=something+to+keep&ttl=3600", "GenerateSecret": "ttl=3600",
		"GenerateSecret or ConcealSecret": "secret=something+to+keep", "RevealSecret or GetSecret": "continue=true",
		"BurnSecret": "continue=true", "ListSecretStatus": "keys=KEY", "UpdateMetadata": "memo=note",
		"BatchGetMetadata": "identifiers=KEY",
	}
	// What everybody may call as it stands; accounts have benchmarks in vault.
	for _, operation := range []string{
		"GetSecret", "GetSecretStatus", "GetMetadata", "GetStatus", "GetVersion", "GetSupportedLocales", "ValidateShrimp",
		"RevealSecret", "AltchaChallenge",
	} {
		bodies[operation] = ""
	}
	api, err := handlers.Described()
	if err != nil {
		b.Fatal(err)
	}
	for _, row := range routes.Table(api) {
		if _, wanted := bodies[row.Operation]; !wanted || !strings.HasPrefix(row.Path, "/api/") {
			continue
		}
		b.Run(row.Method+row.Path, func(b *testing.B) {
			tree := newBenchTree(b)
			for range b.N {
				b.StopTimer()
				keys := shareOne(b, tree)
				key := keys.Metadata
				if strings.Contains(row.Path, "/secret/") {
					key = keys.Secret
				}
				path := strings.Replace(row.Path, "{key}", key, 1)
				body := strings.Replace(bodies[row.Operation], "KEY", keys.Secret, 1)
				b.StartTimer()
				callTree(b, tree, row.Method, path, form, body)
			}
		})
	}
	for name, call := range map[string]func(benchKeys) (path, body string){
		"ConcealSecret": func(benchKeys) (string, string) {
			return "/hush.v1.SecretService/ConcealSecret", `{"secret":"something to keep"}`
		},
		"RevealSecret": func(k benchKeys) (string, string) {
			return "/hush.v1.SecretService/RevealSecret", `{"secretKey":"` + k.Secret + `"}`
		},
		"GetMetadata": func(k benchKeys) (string, string) {
			return "/hush.v1.MetadataService/GetMetadata", `{"metadataKey":"` + k.Metadata + `"}`
		},
		"Lookup": func(benchKeys) (string, string) { return "/testname.v1.TestName/Lookup", `{"name":"Kyiv"}` },
	} {
		b.Run("RPC/"+name, func(b *testing.B) {
			tree := newBenchTree(b)
			for range b.N {
				b.StopTimer()
				path, body := call(shareOne(b, tree))
				b.StartTimer()
				callTree(b, tree, http.MethodPost, path, jsonDoc, body)
			}
		})
	}
}

// BenchmarkMetrics measures what metrics cost: a secret is shared and opened
// with and without them.
func BenchmarkMetrics(b *testing.B) {
	for _, on := range []bool{false, true} {
		name, observed := "off", (*observation)(nil)
		if on {
			counted, err := newMetrics("0.0.0")
			if err != nil {
				b.Fatalf("newMetrics: %v", err)
			}
			name, observed = "on", &observation{Metrics: counted}
		}
		b.Run(name, func(b *testing.B) {
			tree := newObservedTree(b, observed)
			b.ReportAllocs()
			for range b.N {
				keys := shareOne(b, tree)
				callTree(b, tree, http.MethodPost, "/hush.v1.SecretService/RevealSecret", "application/json", `{"secretKey":"`+keys.Secret+`"}`)
			}
		})
	}
}
