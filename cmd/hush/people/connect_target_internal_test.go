package people

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"hush/cli/command"
	"hush/cli/console"
	"hush/client"
	"hush/cmd/hush/people/profile"
)

// newTestConnector returns the connector of a command that was called with flags in an
// environment, and what it says.
func newTestConnector(t *testing.T, environment, args []string) (*connector, *bytes.Buffer) {
	t.Helper()
	said := &bytes.Buffer{}
	root := &cobra.Command{Use: "hush"}
	command.SetVersion(root, "1.2.3")
	c := &cobra.Command{Use: "call", RunE: func(*cobra.Command, []string) error { return nil }}
	root.AddCommand(c)
	x := addServerFlags(c, &console.Console{In: strings.NewReader(""), Out: &bytes.Buffer{}, Err: said}, environment)
	root.SetArgs(append([]string{"call"}, args...))
	if err := root.ExecuteContext(t.Context()); err != nil {
		t.Fatalf("hush call %q: got %v, want no error", args, err)
	}
	return x, said
}

// storeProfiles returns an environment with profiles. Their tokens are token-NAME.
func storeProfiles(t *testing.T, profiles ...profile.Profile) []string {
	t.Helper()
	environment := []string{"HOME=" + t.TempDir()}
	store := profile.Open(environment, &console.Console{Err: &bytes.Buffer{}})
	for _, one := range profiles {
		token := client.Text{}
		if one.Token != profile.PlaceNone {
			token = client.Hide("token-" + one.Name)
		}
		if _, err := store.Put(t.Context(), one, token); err != nil {
			t.Fatal(err)
		}
	}
	return environment
}

// threeProfiles are the profiles of most tests. The first one is in use.
func threeProfiles() []profile.Profile {
	return []profile.Profile{
		{Name: "default", Server: "https://default.example", Token: profile.PlaceFile},
		{Name: "twin", Server: "https://default.example", Token: profile.PlaceFile},
		{Name: "work", Server: "https://work.example", Protocol: client.ProtocolV1, Username: "me@work.example", Token: profile.PlaceFile},
		{Name: "bare", Server: "https://bare.example", Protocol: client.ProtocolV2},
	}
}

// targetText is a serverTarget as a line of text.
func targetText(target serverTarget, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	return fmt.Sprintf("%s %s %s %s %s %s", target.profile, target.server, target.protocol, target.username, target.token.Expose(), target.tokenFrom)
}

func TestFlagThenVariableThenProfile(t *testing.T) {
	t.Parallel()
	const (
		ofDefault = "default https://default.example hush  token-default file"
		ofWork    = "work https://work.example v1 me@work.example token-work file"
	)
	for name, c := range map[string]struct{ variables, flags, want string }{
		"the profile in use":          {"", "", ofDefault},
		"flag profile":                {"", "--profile work", ofWork},
		"variable profile":            {"HUSH_PROFILE=work", "", ofWork},
		"empty variables":             {"HUSH_PROFILE= HUSH_SERVER= HUSH_TOKEN= HUSH_PROTOCOL=", "", ofDefault},
		"flag over variable":          {"HUSH_PROFILE=work", "--profile default", ofDefault},
		"server of a profile":         {"", "--server https://WORK.example/", ofWork},
		"server in variable":          {"HUSH_SERVER=https://work.example", "", ofWork},
		"server without profile":      {"", "--server https://new.example", " https://new.example hush   "},
		"server, a host alone":        {"", "--server new.example", " https://new.example hush   "},
		"profile flag over server":    {"HUSH_SERVER=https://new.example", "--profile work", ofWork},
		"server flag over profile":    {"HUSH_PROFILE=work", "--server https://new.example", " https://new.example hush   "},
		"both the same":               {"", "--server https://work.example --profile work", ofWork},
		"both differ":                 {"", "--server https://new.example --profile work", "error: --server is https://new.example, and the profile work of --profile is for https://work.example: choose one of them"},
		"variables differ":            {"HUSH_SERVER=https://new.example HUSH_PROFILE=work", "", "error: HUSH_SERVER is https://new.example, and the profile work of HUSH_PROFILE is for https://work.example: choose one of them"},
		"variable chooses the twin":   {"HUSH_PROFILE=twin", "--server https://default.example", "twin https://default.example hush  token-twin file"},
		"the one in use of twins":     {"", "--server https://default.example", ofDefault},
		"unknown profile":             {"", "--profile x", "error: there is no profile x; there are: bare, default, twin, work"},
		"bad server":                  {"", "--server ftp://x", "error: --server: the server must be a URL such as https://hush.example"},
		"server with password":        {"", "--server https://me:hunter2@x.example", "error: --server: the server must be a URL such as https://hush.example"},
		"protocol flag":               {"HUSH_PROTOCOL=v2", "--protocol v1", "default https://default.example v1  token-default file"},
		"protocol variable":           {"HUSH_PROTOCOL=v2", "--profile work", "work https://work.example v2 me@work.example token-work file"},
		"protocol of other variables": {"HUSH_PROTOCOL=v2 HUSH_SERVER=https://new.example", "--profile default", ofDefault},
		"bad protocol":                {"HUSH_PROTOCOL=v3", "", "error: HUSH_PROTOCOL must be one of hush, v2, v1"},
		"bad protocol flag":           {"", "--protocol HUSH", "error: --protocol must be one of hush, v2, v1"},
		"token alone":                 {"HUSH_TOKEN=t", "", ofDefault},
		"token and a profile's flag":  {"HUSH_TOKEN=t", "--profile work", ofWork},
		"token and a profile's URL":   {"HUSH_TOKEN=t", "--server https://work.example", ofWork},
		"token, flag without one":     {"HUSH_TOKEN=t", "--profile bare", "error: HUSH_TOKEN is not sent to https://bare.example: HUSH_SERVER or HUSH_PROFILE must say that it is for this server, and there is no other token for it: unset HUSH_TOKEN to go on without an account"},
		"token for a profile":         {"HUSH_TOKEN=t HUSH_PROFILE=work", "", "work https://work.example v1 me@work.example t HUSH_TOKEN"},
		"token, the same by flag":     {"HUSH_TOKEN=t HUSH_SERVER=https://work.example", "--profile work", "work https://work.example v1 me@work.example t HUSH_TOKEN"},
		"token and server":            {"HUSH_TOKEN=t HUSH_SERVER=https://new.example", "", " https://new.example hush  t HUSH_TOKEN"},
		"token and server flag":       {"HUSH_TOKEN=t", "--server https://new.example", "error: HUSH_TOKEN is not sent to https://new.example: HUSH_SERVER or HUSH_PROFILE must say that it is for this server, and there is no other token for it: unset HUSH_TOKEN to go on without an account"},
		"token of another server":     {"HUSH_TOKEN=t HUSH_SERVER=https://new.example", "--profile work", ofWork},
		"token of another, no other":  {"HUSH_TOKEN=t HUSH_SERVER=https://new.example", "--server https://evil.example", "error: HUSH_TOKEN is for another server, and is not sent to https://evil.example, and there is no other token for it: unset HUSH_TOKEN to go on without an account"},
		"token of a profile variable": {"HUSH_TOKEN=t HUSH_PROFILE=work", "--server https://evil.example", "error: HUSH_TOKEN is for another server, and is not sent to https://evil.example, and there is no other token for it: unset HUSH_TOKEN to go on without an account"},
		"token of a wrong variable":   {"HUSH_TOKEN=t HUSH_PROFILE=x", "--server https://evil.example", "error: HUSH_TOKEN is for another server, and is not sent to https://evil.example, and there is no other token for it: unset HUSH_TOKEN to go on without an account"},
		"token with its address":      {"HUSH_TOKEN=a@new.example:t HUSH_PROTOCOL=v2 HUSH_SERVER=https://new.example", "", " https://new.example v2 a@new.example t HUSH_TOKEN"},
		"token that has a colon":      {"HUSH_TOKEN=a:t HUSH_PROFILE=work", "", "work https://work.example v1 me@work.example a:t HUSH_TOKEN"},
		"profile without token":       {"", "--profile bare", "bare https://bare.example v2   "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x, said := newTestConnector(t, append(storeProfiles(t, threeProfiles()...), strings.Fields(c.variables)...), strings.Fields(c.flags))
			target, err := x.target(t.Context())
			if got := targetText(target, err); got != c.want {
				t.Errorf("target: got %q, want %q", got, c.want)
			}
			kept := err == nil && strings.Contains(c.variables, "HUSH_TOKEN=t") && target.tokenFrom != command.VariableToken
			why := "HUSH_TOKEN is for another server, and is not sent to " + target.server
			if !strings.Contains(c.variables, "HUSH_SERVER=") && !strings.Contains(c.variables, "HUSH_PROFILE=") {
				why = "HUSH_TOKEN is not sent to " + target.server + ": HUSH_SERVER or HUSH_PROFILE must say that it is for this server"
			}
			if got := said.String(); (got != "") != kept || kept && got != "hush: "+why+"\n" {
				t.Errorf("target: got %q said, want a word about a token that is not sent: %t", got, kept)
			}
		})
	}
}

// A profile in use without a token leaves HUSH_TOKEN to its server.
func TestTokenForTheProfileInUse(t *testing.T) {
	t.Parallel()
	environment := append(storeProfiles(t, threeProfiles()...), "HUSH_TOKEN=a@bare.example:t")
	if err := profile.Open(environment, &console.Console{Err: &bytes.Buffer{}}).Use("bare"); err != nil {
		t.Fatal(err)
	}
	for flag, want := range map[string]string{
		"":                              "bare https://bare.example v2 a@bare.example t HUSH_TOKEN",
		"--profile=work":                "work https://work.example v1 me@work.example token-work file",
		"--profile=bare":                "error: HUSH_TOKEN is not sent to https://bare.example: HUSH_SERVER or HUSH_PROFILE must say that it is for this server, and there is no other token for it: unset HUSH_TOKEN to go on without an account",
		"--server=https://evil.example": "error: HUSH_TOKEN is not sent to https://evil.example: HUSH_SERVER or HUSH_PROFILE must say that it is for this server, and there is no other token for it: unset HUSH_TOKEN to go on without an account",
	} {
		x, _ := newTestConnector(t, environment, strings.Fields(flag))
		if got := targetText(x.target(t.Context())); got != want {
			t.Errorf("target with %q: got %q, want %q", flag, got, want)
		}
	}
}

func TestTwinsWithoutTheOneInUse(t *testing.T) {
	t.Parallel()
	environment := storeProfiles(t, threeProfiles()...)
	if err := profile.Open(environment, &console.Console{Err: &bytes.Buffer{}}).Use("work"); err != nil {
		t.Fatal(err)
	}
	x, _ := newTestConnector(t, environment, []string{"--server", "https://default.example"})
	if got, want := targetText(x.target(t.Context())), "error: the profiles default and twin are for https://default.example: choose one with --profile"; got != want {
		t.Errorf("target: got %q, want %q", got, want)
	}
}

func TestNoServerIsChosen(t *testing.T) {
	t.Parallel()
	for name, environment := range map[string][]string{"no profile": {"HOME=" + t.TempDir()}, "no home": nil} {
		x, _ := newTestConnector(t, environment, nil)
		_, err := x.connect(t.Context())
		if want := `no server is chosen: run "hush login", or set HUSH_SERVER`; !isUsage(err, want) {
			t.Errorf("connect with %s: got %v, want the usage error %q", name, err, want)
		}
	}
	environment := storeProfiles(t, profile.Profile{Name: "a", Server: "https://a.example"}, profile.Profile{Name: "b", Server: "https://b.example"}, profile.Profile{Name: "c", Server: "https://c.example"})
	if err := profile.Open(environment, &console.Console{Err: &bytes.Buffer{}}).Remove(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	x, _ := newTestConnector(t, environment, nil)
	if _, err := x.connect(t.Context()); !isUsage(err, "no profile is in use; there are: b, c: ") {
		t.Errorf("connect without one in use: got %v, want a usage error that names them", err)
	}
}

func isUsage(err error, text string) bool {
	wrong, ok := errors.AsType[*command.UsageError](err)
	return ok && strings.HasPrefix(wrong.Text, text)
}

// The server of a link never gets a token, except that of its profile where the
// protocol needs it, and HUSH_TOKEN only if it is also the server of the variables.
func TestServersOfLinks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ variables, flags, server, foreign, want string }{
		"Hush, no profile":         {"", "", "https://new.example", "", " https://new.example hush   "},
		"Hush, a profile":          {"", "", "https://default.example", "", "default https://default.example hush  token-default file"},
		"Hush link at a v1 server": {"", "", "https://work.example", "", "work https://work.example hush me@work.example token-work file"},
		"never another protocol":   {"HUSH_PROTOCOL=v1", "", "https://new.example", "", " https://new.example hush   "},
		"v1 profile":               {"", "", "https://work.example", "foreign", "work https://work.example v1 me@work.example token-work file"},
		"v2 profile":               {"", "", "https://bare.example", "foreign", "bare https://bare.example v2   "},
		"protocol flag":            {"", "--protocol v2", "https://new.example", "foreign", " https://new.example v2   "},
		"token variable":           {"HUSH_TOKEN=t", "", "https://new.example", "", " https://new.example hush   "},
		"token of another server":  {"HUSH_TOKEN=t HUSH_SERVER=https://a.example HUSH_PROTOCOL=v1", "--protocol v1", "https://new.example", "foreign", " https://new.example v1   "},
		"token of this server":     {"HUSH_TOKEN=t HUSH_SERVER=https://new.example HUSH_PROTOCOL=v1", "", "https://new.example", "foreign", " https://new.example v1  t HUSH_TOKEN"},
		"a flag for another":       {"", "--server https://a.example", "https://new.example", "", "error: the link is of https://new.example, and not of https://a.example: leave out --server and --profile"},
		"a flag for the same":      {"", "--profile twin", "https://default.example", "", "twin https://default.example hush  token-twin file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x, _ := newTestConnector(t, append(storeProfiles(t, threeProfiles()...), strings.Fields(c.variables)...), strings.Fields(c.flags))
			got := targetText(x.targetWithToken(t.Context(), c.server, c.foreign != ""))
			if got != c.want {
				t.Errorf("target of a link: got %q, want %q", got, c.want)
			}
		})
	}
}

func (x *connector) targetWithToken(ctx context.Context, server string, foreign bool) (serverTarget, error) {
	profiles, err := x.profiles.Load()
	if err != nil {
		return serverTarget{}, err
	}
	target, err := x.targetOf(ctx, profiles, server, foreign)
	if err != nil {
		return serverTarget{}, err
	}
	return target, x.authenticate(ctx, profiles, &target)
}
