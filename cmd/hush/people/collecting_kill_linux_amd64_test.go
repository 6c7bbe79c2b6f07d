package people_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hush/cli/command"
	"hush/server/servertest"
)

// killing makes requests at a new service after some: a network may have 50.
type killing struct {
	asker

	times int
}

func (k *killing) at(t *testing.T) asker {
	t.Helper()
	if k.times%40 == 0 {
		_, k.asker = startAsking(t)
	}
	k.times++
	return k.asker
}

// The battery of the requester's laptop is empty at a bad moment: the program is killed at
// each of its steps while it collects an answer, and run again. The answer is there once,
// its responder knows, and nothing else is left.
func TestCollectSurvivesKills(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about the client")
	var k killing
	survivesKills(t, "collect", func() killedOpening {
		a := k.at(t)
		asked := a.ask(t, "The database", 1)
		answered := a.answerText(t, asked, killedContent)
		return killedOpening{link: asked.Collect.Expose(), wantDelivered: func() { a.WantDelivered(t, answered) }}
	})
}

// The same for all answers at once: each is there once.
func TestCollectAllSurvivesKills(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about the client")
	var k killing
	most := servertest.InTier(1, math.MaxInt) // of each step
	for step := range steps {
		number := 1
		for number <= most && killAndCollectAllAgain(t, k.at(t), step, number) && !t.Failed() {
			number++
		}
	}
}

func killAndCollectAllAgain(t *testing.T, a asker, step string, number int) bool {
	t.Helper()
	asked, r := a.ask(t, "All of them", 2), servertest.NewRecipient(t)
	one, two := a.answerText(t, asked, "the first"), a.answerText(t, asked, "the second")
	args := []string{"collect", r.KeepLink(t, asked.Collect.Expose()), "--all", "-o", "."}
	killed, err := killAtStep(r.Program(t, args...), step, number)
	if err != nil {
		endTracing(t, err)
	}
	again, err := r.Program(t, args...).CombinedOutput()
	if err != nil && !strings.Contains(string(again), "no answer waits, and none will come") {
		t.Errorf("killed at %s %d and run again: got %v, want no error; it wrote:\n%s", step, number, err, again)
	}
	if names := strings.Join(servertest.NamesIn(t, r.Folder), " "); names != "secret secret-2" {
		t.Errorf("killed at %s %d and run again: got the files %s, want two; it wrote:\n%s", step, number, names, again)
	}
	wantContent(t, filepath.Join(r.Folder, "secret"), "the first")
	wantContent(t, filepath.Join(r.Folder, "secret-2"), "the second")
	if waiting := r.Claims(t); len(waiting) > 0 {
		t.Errorf("killed at %s %d and run again: got the claims %q, want none; it wrote:\n%s", step, number, waiting, again)
	}
	a.WantDelivered(t, one)
	a.WantDelivered(t, two)
	return killed
}

// A run that asked a person is killed while it opens the answer. A run with its collect
// link gets the answer, and the person need not answer again.
func TestRunOfARequestSurvivesKills(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about the client")
	var k killing
	most := servertest.InTier(1, math.MaxInt) // of each step
	for _, step := range []string{"flock", "pwrite", "fsync", "write"} {
		number := 1
		for number <= most && killAndRunAgain(t, k.at(t), step, number) && !t.Failed() {
			number++
		}
	}
}

func killAndRunAgain(t *testing.T, a asker, step string, number int) bool {
	t.Helper()
	asked, r := a.ask(t, "The database", 1), servertest.NewRecipient(t)
	a.answerText(t, asked, "8Kq-vN2")
	args := []string{"run", "--secret", "A=" + r.KeepLink(t, asked.Collect.Expose()), "--", "/bin/sh", "-c", `printf %s "$A" >got`}
	killed, err := killAtStep(r.Program(t, args...), step, number)
	if err != nil {
		endTracing(t, err)
	}
	if got, _ := os.ReadFile(filepath.Join(r.Folder, "got")); string(got) == "8Kq-vN2" {
		return killed // the program had it
	}
	if err := os.Remove(filepath.Join(r.Folder, "got")); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	again, err := r.Program(t, args...).CombinedOutput()
	if got, _ := os.ReadFile(filepath.Join(r.Folder, "got")); err != nil || string(got) != "8Kq-vN2" {
		t.Errorf("killed at %s %d and run again: got %v and %q, want exit code %d and the answer; it wrote:\n%s", step, number, err, got, command.ExitOK, again)
	}
	return killed
}
