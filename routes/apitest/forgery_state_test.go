package apitest_test

import (
	"context"
	"encoding/hex"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"hush/routes/apitest"
	"hush/storage"
	"hush/vault/cluster"
	"hush/vault/tables"
)

// The attack: a link, an image or a prefetcher makes a browser that is signed
// in send GET and HEAD requests, with parameters that would do something in a
// POST. Whatever is asked for, the store holds the same afterwards, but for
// when something was looked at or used.
func TestReadingChangesNothing(t *testing.T) {
	t.Parallel()
	env, s := apitest.StartAccounts(t, apitest.Options{})
	before := contentOf(t, s.Kit.Store)
	client := s.Client(t, false, nil)
	callers := map[string]http.Header{
		"anonymous": nil, "token": apitest.Bearer(env.Ada.Token), "session": env.Ada.Sessions[0].Page(s.URL),
		"colonel": apitest.Bearer(env.Cleo.Token),
	}
	asked := 0
	for _, path := range readingPaths(t, env) {
		for name, header := range callers {
			for _, method := range []string{http.MethodGet, http.MethodHead} {
				got := apitest.Send(t, client, method, s.URL+path, beside(header, overriding()), "")
				if got.Status >= http.StatusInternalServerError {
					t.Errorf("%s %s by %s: got %d %s, want no fault", method, path, name, got.Status, got.Body)
				}
				if strings.Contains(got.Body, "of "+env.Ada.Address) {
					t.Errorf("%s %s by %s: got a secret in %s, want none", method, path, name, got.Body)
				}
				asked++
			}
		}
	}
	if asked < 500 {
		t.Errorf("requests: got %d, want all routes", asked)
	}
	s.Stop()
	wantSameContent(t, before, contentOf(t, s.Kit.Store))
}

// overriding holds headers by which some frameworks let a GET be a POST.
func overriding() http.Header {
	return http.Header{"X-Http-Method-Override": {"POST"}, "X-Http-Method": {"DELETE"}, "X-Method-Override": {"POST"}}
}

// readingPaths are the paths of all routes with ada's own objects in the place
// of their parameters.
func readingPaths(t *testing.T, env *apitest.Accounts) []string {
	t.Helper()
	const query = "?continue=true&_method=POST&passphrase=" + "open+sesame" + "&confirmation=nine+quiet+herons&kind=generate&secret=x&memo=x&all=true&locale=de"
	ada := &env.Ada
	keys := []string{
		ada.Plain.Secret.Key.Expose(), ada.Plain.Metadata.Key.Expose(),
		ada.Guarded.Secret.Key.Expose(), ada.Guarded.Metadata.Key.Expose(), unknownKey,
	}
	paths := map[string]bool{}
	for _, row := range rowsWithoutMounts(t) {
		for _, key := range keys {
			for _, domain := range []string{ada.Domain.Name, ada.Domain.ID} {
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

// contentOf reads every row of a store.
func contentOf(t *testing.T, store storage.Store) map[string]string {
	t.Helper()
	rows := map[string]string{}
	err := store.View(context.Background(), func(tx storage.Tx) error {
		for _, bucket := range tables.Names() {
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
	if err != nil {
		t.Fatalf("reading the store: got %v, want no error", err)
	}
	return rows
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
