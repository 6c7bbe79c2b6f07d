package servertest

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"hush/cmd/hush/program"
	"hush/routes/apitest"
)

// Result is what a run of the program left.
type Result struct {
	Code           int
	Stdout, Stderr string
}

// Call runs the program in this process. What it is told to do ends by itself.
func Call(t testing.TB, environment []string, stdin string, args ...string) Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), apitest.Patience)
	defer cancel()
	var stdout, stderr bytes.Buffer
	code := program.Run(ctx, args, environment, strings.NewReader(stdin), &stdout, &stderr)
	return Result{code, stdout.String(), stderr.String()}
}

// Homeless is the environment of a person without profiles.
func Homeless(t *testing.T) []string {
	t.Helper()
	return []string{"HOME=" + t.TempDir()}
}

// Want fails the test unless the run ended with code and wrote the words.
func (r Result) Want(t testing.TB, call string, code int, stderr ...string) Result {
	t.Helper()
	if r.Code != code {
		t.Errorf("hush %s: got exit code %d, want %d; it wrote:\n%s", call, r.Code, code, r.Stderr)
	}
	for _, words := range stderr {
		if !strings.Contains(r.Stderr, words) {
			t.Errorf("hush %s: got %q, want %q in it", call, r.Stderr, words)
		}
	}
	return r
}
