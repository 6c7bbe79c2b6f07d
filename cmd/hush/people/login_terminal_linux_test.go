package people_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hush/cli/command"
	"hush/client/otstest"
	"hush/cmd/hush/program"
	"hush/server/servertest"
)

// typedCall is what a call on a terminal did.
type typedCall struct {
	code         int
	stdout, said string
	shown        bool // what was typed at a hidden prompt
	left         int  // answers that no prompt asked for
}

// answering runs the program on a terminal, whose user answers each prompt with the
// next line.
func answering(t *testing.T, environment, lines []string, args ...string) typedCall {
	t.Helper()
	keyboard, terminal := servertest.OpenTerminal(t)
	person := &servertest.Typing{Keyboard: keyboard, Lines: lines}
	person.Hidden = func() bool {
		return !strings.HasSuffix(person.Said.String(), "API token (empty for none): ") || !servertest.Echoes(t, terminal)
	}
	var stdout bytes.Buffer
	code := program.Run(t.Context(), args, environment, terminal, &stdout, person)
	return typedCall{code, stdout.String(), person.Said.String(), person.Shown, len(person.Lines)}
}

// profilesOf returns the profiles of a home as they are stored; empty for none.
func profilesOf(t *testing.T, environment []string) string {
	t.Helper()
	home := strings.TrimPrefix(environment[0], "HOME=")
	content, err := os.ReadFile(filepath.Join(home, ".config", "hush", "profiles.yaml"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(content)
}

// The first command asks which server to use, once.
func TestFirstUseAsksForTheServer(t *testing.T) {
	t.Parallel()
	s, home := servertest.Start(t), servertest.Homeless(t)
	first := answering(t, home, []string{s.Addr}, "whoami")
	if first.code != command.ExitOK || first.left > 0 || !strings.Contains(first.said, "Which server, as in https://hush.example: ") || !strings.Contains(first.said, s.URL+" is the profile default now") {
		t.Errorf("the first call: got %+v, want the question, and what was made of the answer", first)
	}
	servertest.Call(t, home, "", "whoami").Want(t, "whoami", command.ExitOK)
	second := answering(t, home, nil, "whoami")
	if second.code != command.ExitOK || strings.Contains(second.said, "Which") || !strings.Contains(second.stdout, "server      "+s.URL+"\n") {
		t.Errorf("the second call: got %+v, want the same server without a question", second)
	}
}

// So does a login that is not told.
func TestLoginAsksForTheServer(t *testing.T) {
	t.Parallel()
	s, home := servertest.Start(t), servertest.Homeless(t)
	got := answering(t, home, []string{s.Addr, ""}, "login")
	if got.code != command.ExitOK || got.left > 0 || !strings.Contains(got.said, "the profile default calls "+s.URL+" without an account") {
		t.Errorf("hush login: got %+v, want both questions, and a profile", got)
	}
}

func TestFirstUseWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	home := servertest.Homeless(t)
	for answer, code := range map[string]int{"": command.ExitUsage, "ftp://x": command.ExitUsage, "http://127.0.0.1:1": command.ExitNetwork} {
		if got := answering(t, home, []string{answer}, "whoami"); got.code != code {
			t.Errorf("answered with %q: got %+v, want exit code %d", answer, got, code)
		}
	}
	if stored := profilesOf(t, home); stored != "" {
		t.Errorf("profiles: got %s, want none", stored)
	}
}

// A server that sees every text is used after an explicit yes only, which is asked
// for once.
func TestYesToAServerThatSeesTheText(t *testing.T) {
	t.Parallel()
	for _, release := range otstest.Releases() {
		t.Run(release.String(), func(t *testing.T) {
			t.Parallel()
			server, home, protocol := otstest.Start(t, otstest.Options{Release: release}), servertest.Homeless(t), "v1"
			if release.HasV2() {
				protocol = "v2"
			}
			for _, answer := range []string{"no", "", "y"} {
				got := answering(t, home, []string{server.URL, answer}, "whoami")
				if got.code != command.ExitFailure || got.left > 0 || !strings.Contains(got.said, "is not used, since the answer was not yes") || profilesOf(t, home) != "" {
					t.Errorf("answered with %q: got %+v and %s, want that nothing is stored", answer, got, profilesOf(t, home))
				}
			}
			got := answering(t, home, []string{server.URL, "yes"}, "whoami")
			for _, want := range []string{
				server.URL + " is not Hush: it speaks the Onetime Secret interface " + protocol + ". It sees the text and the passphrase of every secret. If its answer to opening one is lost on the way, so is the secret.",
				"Use it? (yes or no): ",
			} {
				if got.code != command.ExitOK || !strings.Contains(got.said, want) {
					t.Errorf("answered with yes: got %+v, want %q", got, want)
				}
			}
			again := servertest.Call(t, home, "", "whoami").Want(t, "whoami", command.ExitOK, server.URL+" speaks "+protocol+": it sees the text of every secret")
			if !strings.Contains(again.Stdout, "protocol    "+protocol+"\n") {
				t.Errorf("the second call: got %s, want the protocol of the yes", again.Stdout)
			}
		})
	}
}

// A script cannot say yes. It gets the exact flag, and the server no text.
func TestNoYesWithoutATerminal(t *testing.T) {
	t.Parallel()
	server := otstest.Start(t, otstest.Options{})
	for name, c := range map[string]struct {
		variable string
		args     []string
		want     string
	}{
		"login":         {"", []string{"login", "--server", server.URL, "--token-file", "-"}, "sees every text; add --protocol v2 to use it nevertheless"},
		"link":          {"", []string{"open", server.URL + "/secret/" + strings.Repeat("k", 31)}, "sees every text; add --protocol v2 to use it nevertheless"},
		"receipt":       {"", []string{"receipt", "-"}, "sees every text; add --protocol v2 to use it nevertheless"},
		"share":         {"", []string{"share", "--server", server.URL, "-"}, "sees every text; add --protocol v2 to use it nevertheless"},
		"share, server": {"", []string{"share", "--encryption", "server", "--server", server.URL, "-"}, "sees every text; add --protocol v2 to use it nevertheless"},
		"variable":      {"HUSH_SERVER=" + server.URL, []string{"share", "-"}, "sees every text; add --protocol v2 to use it nevertheless"},
	} {
		stdin := "hunter2"
		if name == "receipt" {
			stdin = server.URL + "/private/" + strings.Repeat("k", 31)
		}
		got := servertest.Call(t, append(servertest.Homeless(t), c.variable), stdin, c.args...).Want(t, name, command.ExitUsage, c.want)
		if strings.Contains(got.Stderr, "hunter2") || strings.Contains(got.Stderr, "kkk") {
			t.Errorf("%s: got %q, want it without the text and the link", name, got.Stderr)
		}
	}
	if server.Waiting() > 0 {
		t.Errorf("the server has %d secrets, want none", server.Waiting())
	}
}

// The yes to a link is for this link: no profile keeps it.
func TestYesToALink(t *testing.T) {
	t.Parallel()
	server, home := otstest.Start(t, otstest.Options{Release: otstest.ReleaseV1Only}), servertest.Homeless(t)
	shared := servertest.Call(t, append(home, "HUSH_SERVER="+server.URL, "HUSH_PROTOCOL=v1"), "hello", "share", "-").Want(t, "share", command.ExitOK)
	link := strings.TrimSpace(shared.Stdout)
	if got := answering(t, home, []string{"no"}, "open", link); got.code != command.ExitFailure || server.Waiting() != 1 {
		t.Errorf("answered with no: got %+v and %d waiting, want the secret there", got, server.Waiting())
	}
	got := answering(t, home, []string{"yes", ""}, "open", link) // v1 cannot say that there is no passphrase
	if got.code != command.ExitOK || got.stdout != "hello" || !strings.Contains(got.said, "If its answer is lost on the way, so is the secret.") || profilesOf(t, home) != "" {
		t.Errorf("answered with yes: got %+v and the profiles %s, want the text alone", got, profilesOf(t, home))
	}
}

// Hush serves links of the old form, too: there is nothing to ask.
func TestLinkOfTheOldFormAtHush(t *testing.T) {
	t.Parallel()
	s, home := servertest.Start(t), servertest.Homeless(t)
	shared := servertest.Call(t, append(home, "HUSH_SERVER="+s.URL), "hello", "share", "--encryption", "server", "-").Want(t, "share", command.ExitOK)
	link := strings.Replace(strings.TrimSpace(shared.Stdout), "/s#", "/secret/", 1)
	got := answering(t, home, nil, "open", link)
	if !strings.Contains(link, "/secret/") || got.code != command.ExitOK || got.stdout != "hello" || strings.Contains(got.said, "Use it?") {
		t.Errorf("hush open %s: got %+v, want the text without a question", link, got)
	}
}

// A person looks over the user's shoulder while he pastes a token.
func TestTokenIsNotShown(t *testing.T) {
	t.Parallel()
	server, home := otstest.Start(t, otstest.Options{Accounts: map[string]string{"me@ots.example": "hunter2"}}), servertest.Homeless(t)
	wrong := answering(t, home, []string{"yes", "hunter3", "me@ots.example"}, "login", "--server", server.URL)
	if wrong.code != command.ExitRefused || profilesOf(t, home) != "" {
		t.Errorf("login with a wrong token: got %+v and the profiles %s, want nothing stored", wrong, profilesOf(t, home))
	}
	got := answering(t, home, []string{"yes", " hunter2 ", "me@ots.example"}, "login", "--server", server.URL)
	if got.code != command.ExitOK || got.left > 0 || got.shown || !strings.Contains(got.said, "calls "+server.URL+" as me@ots.example") || strings.Contains(got.said, "hunter") {
		t.Errorf("login: got %+v, want the token stored, and not shown", got)
	}
	if stored := profilesOf(t, home); !strings.Contains(stored, "protocol: v2\n    username: me@ots.example\n    token: file\n") || strings.Contains(stored, "hunter") {
		t.Errorf("profiles: got %s, want the account, and no token", stored)
	}
	again := answering(t, home, []string{""}, "login")
	if again.code != command.ExitOK || !strings.Contains(again.said, "the token that the profile had is forgotten; it stays valid until you revoke it at "+server.URL+"\nhush: the profile default calls "+server.URL+" without an account\n") {
		t.Errorf("login without a token: got %+v, want a profile without an account", again)
	}
	for _, c := range server.Calls() {
		if strings.Contains(c.Path+c.Query, "hunter") {
			t.Errorf("call: got %+v, want it without the token", c)
		}
	}
}
