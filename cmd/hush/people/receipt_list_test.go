package people_test

import (
	"strconv"
	"strings"
	"testing"

	"hush/cli/command"
	"hush/client"
	"hush/client/protocols"
	"hush/server/servertest"
)

// A list is cut where it becomes long, unless all of it is wanted.
func TestListIsCut(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, "--rate-limits=off")
	const account, total = "a@example.com", 52
	servertest.Call(t, nil, "", "admin", "account", "create", account, "--data", s.Data).Want(t, "admin account create", command.ExitOK)
	token := strings.TrimSpace(servertest.Call(t, nil, "", "admin", "token", "create", account, "--data", s.Data).Stdout)
	c, err := protocols.New(s.URL, client.Options{Token: client.Hide(token)})
	if err != nil {
		t.Fatal(err)
	}
	for i := range total {
		request := client.ShareRequest{Content: &client.Content{Bytes: []byte("hello")}, Label: "number " + strconv.Itoa(i)}
		if _, err := c.Share(t.Context(), request); err != nil {
			t.Fatalf("Share: got %v, want no error", err)
		}
	}
	environment := append(servertest.Homeless(t), "HUSH_SERVER="+s.URL, "HUSH_TOKEN="+token)
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
		got := servertest.Call(t, environment, "", c.args...).Want(t, name, command.ExitOK, c.said)
		if n := strings.Count(got.Stdout, "\n"); n != c.lines || c.said == "" && got.Stderr != "" {
			t.Errorf("hush %s: got %d lines and %q, want %d and %q", strings.Join(c.args, " "), n, got.Stderr, c.lines, c.said)
		}
	}
	_, first, _ := strings.Cut(servertest.Call(t, environment, "", "list").Stdout, "number ")
	if first, _, _ = strings.Cut(first, "\n"); first != strconv.Itoa(total-1) {
		t.Errorf("hush list: got number %s first, want %d, the newest", first, total-1)
	}
}
