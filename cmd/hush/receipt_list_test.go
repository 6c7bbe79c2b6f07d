package main

import (
	"strconv"
	"strings"
	"testing"

	"hush/cli/command"
	"hush/client"
	"hush/client/protocols"
)

// A list is cut where it becomes long, unless all of it is wanted.
func TestListIsCut(t *testing.T) {
	t.Parallel()
	s := startHush(t, "--rate-limits=off")
	const account, total = "a@example.com", 52
	call(t, nil, "", "admin", "account", "create", account, "--data", s.data).want(t, "admin account create", command.ExitOK)
	token := strings.TrimSpace(call(t, nil, "", "admin", "token", "create", account, "--data", s.data).stdout)
	c, err := protocols.New(s.url, client.Options{Token: client.Hide(token)})
	if err != nil {
		t.Fatal(err)
	}
	for i := range total {
		request := client.ShareRequest{Content: &client.Content{Bytes: []byte("hello")}, Label: "number " + strconv.Itoa(i)}
		if _, err := c.Share(t.Context(), request); err != nil {
			t.Fatalf("Share: got %v, want no error", err)
		}
	}
	environment := append(homeless(t), "HUSH_SERVER="+s.url, "HUSH_TOKEN="+token)
	for name, c := range map[string]struct {
		args  []string
		lines int
		said  string
	}{
		"cut":           {[]string{"list", "--json"}, 50, "there are more than 50; --all lists all"},
		"cut table":     {[]string{"list"}, 1 + 50, "there are more than 50; --all lists all"},
		"narrowed, cut": {[]string{"list", "--state", "waiting", "--json"}, 50, "there are more than 50; --all lists all"},
		"all":           {[]string{"list", "--all", "--json"}, total, ""},
		"all, narrowed": {[]string{"list", "--all", "--state", "burned"}, 0, "no secrets to list"},
	} {
		got := call(t, environment, "", c.args...).want(t, name, command.ExitOK, c.said)
		if n := strings.Count(got.stdout, "\n"); n != c.lines || c.said == "" && got.stderr != "" {
			t.Errorf("hush %s: got %d lines and %q, want %d and %q", strings.Join(c.args, " "), n, got.stderr, c.lines, c.said)
		}
	}
	_, first, _ := strings.Cut(call(t, environment, "", "list").stdout, "number ")
	if first, _, _ = strings.Cut(first, "\n"); first != strconv.Itoa(total-1) {
		t.Errorf("hush list: got number %s first, want %d, the newest", first, total-1)
	}
}
