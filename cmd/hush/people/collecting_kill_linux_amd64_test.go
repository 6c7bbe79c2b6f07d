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
	most := servertest.InTier(1, math.MaxInt) // of each step
	for _, flags := range [][]string{{"-o", "saved"}, {"-o", "saved", "--overwrite"}} {
		killed := map[string]int{}
		for step := range steps {
			for killed[step] < most && killAndCollectAgain(t, k.at(t), step, killed[step]+1, flags) && !t.Failed() {
				killed[step]++
			}
		}
		for _, step := range []string{"pwrite", "fsync", "linkat", "unlinkat", "write", "read"} {
			if killed[step] == 0 && !t.Failed() {
				t.Errorf("hush collect %s: got no %s at which to kill it, want one", flags, step)
			}
		}
		t.Logf("hush collect %s: killed at %v", flags, killed)
	}
}

// killAndCollectAgain collects an answer with a kill at a step, and once more. It returns
// false if the program did not come to that step.
func killAndCollectAgain(t *testing.T, a asker, step string, number int, flags []string) bool {
	t.Helper()
	const content = "DATABASE_URL=postgres://app:8Kq-vN2@db/app\n"
	asked, r := a.ask(t, "The database", 1), servertest.NewRecipient(t)
	answered := a.answerText(t, asked, content)
	args := append([]string{"collect", r.KeepLink(t, asked.Collect.Expose())}, flags...)
	saved := filepath.Join(r.Folder, "saved")
	killed, err := killAtStep(r.Program(t, args...), step, number)
	if err != nil {
		endTracing(t, err)
	}
	before, _ := os.ReadFile(saved)
	waited := len(r.Claims(t)) > 0
	again, err := r.Program(t, args...).CombinedOutput()
	// A kill after the last change leaves nothing to do.
	if err != nil && (waited || string(before) != content) {
		t.Errorf("killed at %s %d and run again: got %v, want no error; it wrote:\n%s", step, number, err, again)
	}
	if got, err := os.ReadFile(saved); err != nil || string(got) != content {
		t.Errorf("killed at %s %d and run again: got %v and %q, want the content; it wrote:\n%s", step, number, err, got, again)
	}
	if names := strings.Join(servertest.NamesIn(t, r.Folder), " "); names != "saved" {
		t.Errorf("killed at %s %d and run again: got the files %s, want the one alone", step, number, names)
	}
	if waiting := r.Claims(t); len(waiting) > 0 {
		t.Errorf("killed at %s %d and run again: got the claims %q, want none", step, number, waiting)
	}
	a.WantDelivered(t, answered)
	return killed
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
