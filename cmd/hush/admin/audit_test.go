package admin_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"hush/cli/command"
	"hush/cmd/hush/program"
	"hush/routes/apitest"
	"hush/server/servertest"
)

// auditLines decodes the lines of an export.
func auditLines(t *testing.T, exported string) (lines []map[string]any) {
	t.Helper()
	for line := range strings.Lines(exported) {
		var row map[string]any
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatalf("line of an export: got %q and %v, want JSON", line, err)
		}
		lines = append(lines, row)
	}
	return lines
}

// An operator exports the audit trail of a service that runs, and the same of its
// data once it has stopped.
func TestAuditExport(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t)
	d := servertest.Drivers(t, s, nil)[0]
	kept := apitest.MustConceal(t, d, apitest.Terms{Secret: "kept"})
	d.Reveal(t.Context(), kept.SecretKey, "").WantValue(t, "reveal", "kept")
	export := func(flags ...string) servertest.Result {
		t.Helper()
		args := slices.Concat([]string{"admin", "audit", "export"}, flags, []string{"--data", s.Data}, servertest.StoreFlags(t, s.Data, flags))
		return servertest.Call(t, nil, "", args...).Want(t, strings.Join(args, " "), command.ExitOK)
	}
	running := export()
	lines := auditLines(t, running.Stdout)
	if len(lines) != 2 || lines[0]["kind"] != "secret-concealed" || lines[1]["kind"] != "secret-revealed" || lines[0]["subject"] != lines[1]["subject"] {
		t.Fatalf("hush admin audit export: got %q, want a conceal and a reveal of one receipt", running.Stdout)
	}
	for _, line := range lines {
		at, err := time.Parse(time.RFC3339, line["time"].(string))
		if err != nil || time.Since(at).Abs() > time.Hour || !strings.HasSuffix(line["time"].(string), "Z") || !strings.Contains(line["time"].(string), ".") {
			t.Errorf("time of a row: got %v, want the present in UTC with milliseconds", line["time"])
		}
	}
	for _, key := range []string{kept.SecretKey, kept.MetadataKey} {
		if strings.Contains(running.Stdout, key) || strings.Contains(running.Stdout, key[:8]) {
			t.Errorf("hush admin audit export: got %q, want no part of a link", running.Stdout)
		}
	}
	for flags, want := range map[string]int{
		"--since=24h": 2, "--until=1d": 0, "--since=2020-01-01 --until=2020-01-02T00:00:00Z": 0,
		"--kind=secret-revealed": 1, "--kind=secret-revealed --kind=secret-concealed,signed-in": 2, "--kind=signed-in": 0,
	} {
		if got := auditLines(t, export(strings.Fields(flags)...).Stdout); len(got) != want {
			t.Errorf("hush admin audit export %s: got %d rows, want %d", flags, len(got), want)
		}
	}
	s.Stop(t)
	if stopped := export(); stopped.Stdout != running.Stdout {
		t.Errorf("hush admin audit export of a stopped service: got %q, want %q", stopped.Stdout, running.Stdout)
	}
	file := filepath.Join(t.TempDir(), "audit.jsonl")
	if out := export("-o", file); out.Stdout != "" {
		t.Errorf("hush admin audit export -o: got %q on standard output, want nothing", out.Stdout)
	}
	if content, err := os.ReadFile(file); err != nil || string(content) != running.Stdout {
		t.Errorf("exported file: got %q, %v, want %q", content, err, running.Stdout)
	}
}

// closedPipe is a standard output whose reader has gone.
type closedPipe struct{}

func (closedPipe) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: os.Stdout.Name(), Err: syscall.EPIPE}
}

// The reader of an export, such as head, goes away before its end. The command
// ends without a message.
func TestAuditExportToClosedPipe(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, servertest.InFolder)
	apitest.MustConceal(t, servertest.Drivers(t, s, nil)[0], apitest.Terms{Secret: "kept"})
	var stderr bytes.Buffer
	args := []string{"admin", "audit", "export", "--data", s.Data}
	if code := program.Run(t.Context(), args, nil, strings.NewReader(""), closedPipe{}, &stderr); code != command.ExitOK || stderr.Len() > 0 {
		t.Errorf("hush admin audit export to a closed pipe: got exit code %d and %q, want 0 and nothing", code, &stderr)
	}
	read, write, err := os.Pipe()
	if err = errors.Join(err, read.Close()); err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), servertest.Build(t), args...)
	c.Env, c.Stdout, c.Stderr = []string{}, write, &stderr
	if err := errors.Join(c.Run(), write.Close()); err != nil || stderr.Len() > 0 {
		t.Errorf("hush admin audit export to a closed pipe, as a process: got %v and %q, want nil and nothing", err, &stderr)
	}
}
