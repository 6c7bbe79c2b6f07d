package people_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hush/cli/command"
	"hush/client"
	"hush/cmd/hush/program"
	"hush/server/servertest"
)

// sitting is a person before a terminal: what is typed, and what the screen shows.
type sitting struct {
	*servertest.Typing

	terminal, screen *os.File
	shows            func() string // ends the screen
}

func sit(t *testing.T, lines ...string) sitting {
	t.Helper()
	keyboard, terminal := servertest.OpenTerminal(t)
	camera, screen := servertest.OpenTerminal(t)
	shown := make(chan string)
	go func() {
		text, _ := io.ReadAll(camera) // ends with an error when the screen is closed
		shown <- string(text)
	}()
	return sitting{
		Typing:   &servertest.Typing{Keyboard: keyboard, Lines: lines, Hidden: func() bool { return !servertest.Echoes(t, terminal) }},
		terminal: terminal, screen: screen,
		shows: func() string {
			_ = screen.Close()
			return strings.ReplaceAll(<-shown, "\r\n", "\n")
		},
	}
}

// A sender puts escape sequences into a secret, which would set the title of the
// recipient's terminal, or make it type commands. The terminal shows them instead.
func TestOpenObeysNothingOnATerminal(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about the client")
	s := servertest.Start(t)
	for text, want := range map[string]string{
		"\x1b]0;owned\a\x1b[2J":           `\x1b]0;owned\x07\x1b[2J` + "\n",
		"plain text":                      "plain text\n",
		"two\nlines\n":                    "two\nlines\n",
		"carriage\rreturn\u202e\u009b31m": "carriage\\x0dreturn\\u202e\\x9b31m\n",
	} {
		shared := servertest.NewSharer(t, s.URL).Text(t, text)
		person, r := sit(t, ""), servertest.NewRecipient(t)
		code := program.Run(t.Context(), []string{"open", shared.Link.Expose()}, r.Environment(), person.terminal, person.screen, person)
		if got := person.shows(); code != command.ExitOK || got != want {
			t.Errorf("hush open of %q: got %d and %q, want %q; it wrote:\n%s", text, code, got, want, person.Said.String())
		}
	}
}

// Someone watches while a recipient pastes a link and types passphrases.
func TestOpenAsksHidden(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about the client")
	s := servertest.Start(t)
	from := servertest.NewSharer(t, s.URL)
	shared := from.MustShare(t, client.ShareRequest{Content: &client.Content{Bytes: []byte("hello")}, Passphrase: client.Hide("quick otter")})
	person, r := sit(t, shared.Link.Expose(), "slow otter", "quick otter"), servertest.NewRecipient(t)
	code := program.Run(t.Context(), []string{"open", "--output=-"}, r.Environment(), person.terminal, person.screen, person)
	said := person.Said.String()
	if got := person.shows(); code != command.ExitOK || got != "hello\n" {
		t.Errorf("hush open: got %d and %q, want hello; it wrote:\n%s", code, got, said)
	}
	for _, want := range []string{"Link: ", "Passphrase: ", "wrong passphrase; 4 tries are left before a pause"} {
		if !strings.Contains(said, want) {
			t.Errorf("hush open: got %q, want %q in it", said, want)
		}
	}
	if person.Shown || strings.Contains(said, "otter") || strings.Contains(said, "#") {
		t.Errorf("hush open: got typing shown %t and %q, want no link and no passphrase shown", person.Shown, said)
	}
	from.WantDelivered(t, shared)
}

// A file is no text for a terminal. The program asks where to save it while the secret
// still waits, until there is a place for it: a person may take longer than the server
// keeps an opened secret.
func TestOpenAsksWhereToSave(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about the client")
	s := servertest.Start(t)
	from, r := servertest.NewSharer(t, s.URL), servertest.NewRecipient(t)
	taken, free := filepath.Join(r.Folder, "taken"), filepath.Join(r.Folder, "free")
	if err := os.WriteFile(taken, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	file := client.ShareRequest{Content: &client.Content{Bytes: []byte("A=1\n"), IsFile: true, FileName: ".env"}}
	shared := from.MustShare(t, file)
	args := []string{"open", shared.Link.Expose()}
	person := sit(t)
	said, ended := servertest.NewOutput(), make(chan int)
	go func() { ended <- program.Run(t.Context(), args, r.Environment(), person.terminal, person.screen, said) }()
	said.WaitFor(t, "save it as (Enter for its own name in this folder, - to print it): ")
	if got, err := from.Receipt(t.Context(), shared.Receipt.Key); err != nil || got.State != client.StateWaiting {
		t.Errorf("receipt at the question: got %v and %s, want it to wait", err, got.State)
	}
	if _, err := io.WriteString(person.Keyboard, "\x04"); err != nil {
		t.Fatal(err)
	}
	if code := <-ended; code != command.ExitFailure || !strings.Contains(said.String(), "interrupted; nothing was done") {
		t.Errorf("hush open, interrupted: got %d and %s, want that nothing was done", code, said)
	}
	if waiting := r.Claims(t); len(waiting) != 0 {
		t.Errorf("claims: got %q, want none before the secret was opened", waiting)
	}

	typed := sit(t, taken, filepath.Join(r.Folder, "missing", "file"), free)
	code := program.Run(t.Context(), args, r.Environment(), typed.terminal, typed.screen, typed)
	words := typed.Said.String()
	if got := typed.shows(); code != command.ExitOK || got != "" {
		t.Errorf("hush open of a file: got %d and %q, want it saved; it wrote:\n%s", code, got, words)
	}
	for _, want := range []string{"exists", "there is no folder", "saved 4 bytes to"} {
		if !strings.Contains(words, want) {
			t.Errorf("hush open of a file: got %q, want %q in it", words, want)
		}
	}
	wantContent(t, free, "A=1\n")
	wantContent(t, taken, "mine")
	from.WantDelivered(t, shared)

	shared = from.MustShare(t, file)
	typed = sit(t, r.Folder)
	code = program.Run(t.Context(), []string{"open", shared.Link.Expose()}, r.Environment(), typed.terminal, typed.screen, typed)
	typed.shows()
	if code != command.ExitOK {
		t.Errorf("hush open into a folder: got %d, want 0; it wrote:\n%s", code, typed.Said.String())
	}
	wantContent(t, filepath.Join(r.Folder, ".env"), "A=1\n")

	shared = from.MustShare(t, file)
	typed = sit(t, "-")
	code = program.Run(t.Context(), []string{"open", shared.Link.Expose()}, r.Environment(), typed.terminal, typed.screen, typed)
	if got := typed.shows(); code != command.ExitOK || got != "A=1\n" {
		t.Errorf("hush open, answered with -: got %d and %q, want the content; it wrote:\n%s", code, got, typed.Said.String())
	}
	from.WantDelivered(t, shared)
}

// Binary content would leave a terminal in disorder.
func TestOpenKeepsBinaryFromATerminal(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about the client")
	s := servertest.Start(t)
	from, r := servertest.NewSharer(t, s.URL), servertest.NewRecipient(t)
	shared := from.MustShare(t, client.ShareRequest{Content: &client.Content{Bytes: []byte("\x00\x01\x1b[31m"), IsFile: true}})
	for _, c := range []struct {
		flag, shows string
		code        int
	}{
		{"--output=-", "", command.ExitFailure},
		{"--force", "\x00\x01\x1b[31m", command.ExitOK},
	} {
		person := sit(t)
		code := program.Run(t.Context(), []string{"open", shared.Link.Expose(), c.flag}, r.Environment(), person.terminal, person.screen, person)
		if got := person.shows(); code != c.code || got != c.shows {
			t.Errorf("hush open %s of binary content: got %d and %q, want %d and %q; it wrote:\n%s", c.flag, code, got, c.code, c.shows, person.Said.String())
		}
	}
	from.WantDelivered(t, shared)
}

// The home of a recipient is full or read-only. A kill would lose what is opened there,
// so that the person decides.
func TestOpenAsksWithoutAPlaceForTheClaim(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about the client")
	s := servertest.Start(t)
	from, r := servertest.NewSharer(t, s.URL), servertest.NewRecipient(t)
	shared := from.Text(t, "hello\n")
	state := filepath.Join(r.Folder, "state")
	if err := os.WriteFile(state, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	environment := append(r.Environment(), "XDG_STATE_HOME="+state)
	open := []string{"open", shared.Link.Expose()}
	start := []string{"run", "--secret", "A=" + shared.Link.Expose(), "--", "true"}
	for _, c := range []struct {
		args          []string
		answer, shows string
		code          int
		waits         bool
	}{
		{open, "no", "", command.ExitFailure, true},
		{start, "no", "", command.ExitRun, true},
		{open, "yes", "hello\n", command.ExitOK, false},
	} {
		person := sit(t, c.answer)
		if c.args[0] == "open" {
			person.Lines = []string{"-", c.answer} // where to save it if it is a file
		}
		code := program.Run(t.Context(), c.args, environment, person.terminal, person.screen, person)
		said := person.Said.String()
		if got := person.shows(); code != c.code || got != c.shows || !strings.Contains(said, "Open it all the same? (yes or no): ") {
			t.Errorf("hush %s, answered with %s: got %d and %q, want %d and %q; it wrote:\n%s", c.args[0], c.answer, code, got, c.code, c.shows, said)
		}
		if receipt, err := from.Receipt(t.Context(), shared.Receipt.Key); err != nil || (receipt.State == client.StateWaiting) != c.waits {
			t.Errorf("hush %s, answered with %s: got %v and %s, want it to wait: %t", c.args[0], c.answer, err, receipt.State, c.waits)
		}
	}
	from.WantDelivered(t, shared)
}
