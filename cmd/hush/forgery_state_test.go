package main

import (
	"context"
	"encoding/hex"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hush/routes"
	"hush/storage"
	"hush/vault/cluster"
)

// The attack: a link, an image or a prefetcher makes a browser that is signed
// in send GET and HEAD requests, with parameters that would do something in a
// POST. Whatever is asked for, the store holds the same afterwards, but for
// when something was looked at or used.
func TestReadingChangesNothing(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	data := env.copyTo(t)
	startHushOn(t, data, "--log-level=error").stop(t)
	before := contentOf(t, data)
	s := startHushOn(t, data, "--rate-limits=off", "--log-level=error")
	client := newHTTPClient(t, false, nil)
	callers := map[string]http.Header{
		"anonymous": nil, "token": bearerHeader(env.ada.token), "session": env.ada.sessions[0].page(s.url),
		"colonel": bearerHeader(env.cleo.token),
	}
	asked := 0
	for _, path := range readingPaths(env) {
		for name, header := range callers {
			for _, method := range []string{http.MethodGet, http.MethodHead} {
				got := sendAs(t, client, method, s.url+path, beside(header, overriding()), "")
				if got.status >= http.StatusInternalServerError {
					t.Errorf("%s %s by %s: got %d %s, want no fault", method, path, name, got.status, got.body)
				}
				if strings.Contains(got.body, "of "+env.ada.address) {
					t.Errorf("%s %s by %s: got a secret in %s, want none", method, path, name, got.body)
				}
				asked++
			}
		}
	}
	if asked < 500 {
		t.Errorf("requests: got %d, want all routes", asked)
	}
	s.stop(t)
	wantSameContent(t, before, contentOf(t, data))
}

// overriding holds headers by which some frameworks let a GET be a POST.
func overriding() http.Header {
	return http.Header{"X-Http-Method-Override": {"POST"}, "X-Http-Method": {"DELETE"}, "X-Method-Override": {"POST"}}
}

// readingPaths are the paths of all routes with ada's own objects in the place
// of their parameters.
func readingPaths(env *testEnv) []string {
	const query = "?continue=true&_method=POST&passphrase=" + "open+sesame" + "&confirmation=nine+quiet+herons&kind=generate&secret=x&memo=x&all=true&locale=de"
	ada := &env.ada
	keys := []string{
		ada.plain.Secret.Key.Expose(), ada.plain.Metadata.Key.Expose(),
		ada.guarded.Secret.Key.Expose(), ada.guarded.Metadata.Key.Expose(), unknownKey,
	}
	paths := map[string]bool{}
	for _, row := range routes.Table(nil) {
		for _, key := range keys {
			for _, domain := range []string{ada.domain.Name, ada.domain.ID} {
				path := strings.NewReplacer("{key}", key, "{domain}", domain).Replace(row.Path)
				paths[path], paths[path+query] = true, true
			}
		}
	}
	for procedure, method := range declaredRPCs() {
		message := url.QueryEscape(method.body)
		paths[procedure+"?connect=v1&encoding=json&message="+message] = true
	}
	return slices.Sorted(maps.Keys(paths))
}

// contentOf reads every row of a data folder that is not in use.
func contentOf(t *testing.T, data string) map[string]string {
	t.Helper()
	stored, err := openStore(t.Context(), data, nil, nil)
	if err != nil {
		t.Fatalf("opening the store: got %v, want no error", err)
	}
	rows := map[string]string{}
	buckets := bucketNames(t)
	err = stored.View(context.Background(), func(tx storage.Tx) error {
		for _, bucket := range buckets {
			err := tx.Range(bucket, nil, nil, func(key, value []byte) error {
				rows[bucket+" "+hex.EncodeToString(key)] = string(value)
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err = errors.Join(err, stored.close()); err != nil {
		t.Fatalf("reading the store: got %v, want no error", err)
	}
	return rows
}

// bucketNames reads the names of all buckets out of the source, so that none is
// forgotten.
func bucketNames(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../../vault/*/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("Glob: got %q %v, want the source of the vault", files, err)
	}
	named := regexp.MustCompile(`(?m)^\s*(?:const )?[bB]ucket\w+\s*=\s*"([^"]+)"`)
	var names []string
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range named.FindAllSubmatch(source, -1) {
			names = append(names, string(match[1]))
		}
	}
	if !slices.Contains(names, "secret") || !slices.Contains(names, "session") {
		t.Fatalf("buckets: got %q, want all of them", names)
	}
	return names
}

// wantSameContent compares two states of a store.
func wantSameContent(t *testing.T, before, after map[string]string) {
	t.Helper()
	counts := map[string]int{}
	for key, value := range after {
		bucket, _, _ := strings.Cut(key, " ")
		counts[bucket]++
		if old, found := before[key]; (!found || old != value) && !mayChange(key) {
			t.Errorf("store: got row %q made or changed by reading, want it as it was", key)
		}
	}
	for key := range before {
		if _, found := after[key]; !found && !mayChange(key) {
			t.Errorf("store: got row %q gone by reading, want it kept", key)
		}
	}
	if counts["outbox"] != 0 {
		t.Errorf("store: got %d mails that wait, want none: they are tried again in the background", counts["outbox"])
	}
	for _, bucket := range []string{"secret", "metadata", "account", "session", "token", "entry", "domain"} {
		if counts[bucket] == 0 {
			t.Errorf("store: got no row of %s, want some to compare", bucket)
		}
	}
}

// mayChange reports whether a row says who looked when, what time it is, or that
// a node was here. When a session was used is written down by the sweeper, which
// does nothing here: for it the clock has just leapt forward by a day.
func mayChange(key string) bool {
	bucket, row, _ := strings.Cut(key, " ")
	return bucket == "timeline" || bucket == cluster.BucketNode || bucket == "system" && row == hex.EncodeToString([]byte("clock"))
}
