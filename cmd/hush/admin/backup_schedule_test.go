package admin_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"

	"hush/cli/command"
	hushv1 "hush/gen/hush/v1"
	"hush/gen/hush/v1/hushv1connect"
	"hush/routes/apitest"
	"hush/server/servertest"
)

// A service makes its first backup soon, in its sandbox, and tells about it.
func TestScheduledBackup(t *testing.T) {
	t.Parallel()
	dir, identity := t.TempDir(), filepath.Join(t.TempDir(), "identity")
	recipient := strings.TrimSpace(servertest.Call(t, nil, "", "admin", "backup", "keygen", identity).Want(t, "admin backup keygen", command.ExitOK).Stdout)
	p := servertest.StartProcess(t, servertest.Build(t), filepath.Join(t.TempDir(), "data"), servertest.InFolder,
		"--backup-to="+dir, "--backup-every=1h", "--backup-recipient="+recipient, "--colonel=root@example.com", "--log-level=info")
	apitest.MustConceal(t, servertest.Drivers(t, p.Server, nil)[0], apitest.Terms{Secret: "kept"})
	if want := "backup_to=" + dir + " backup_every=1h0m0s"; !strings.Contains(p.Log.String(), want) {
		t.Errorf("the log: got %s, want %q in it", p.Log, want)
	}
	var files []os.DirEntry
	if !servertest.Happens(func() bool {
		files, _ = os.ReadDir(dir)
		return len(files) == 1 && strings.HasSuffix(files[0].Name(), ".hushbackup.age")
	}) {
		t.Fatalf("files: got %v, want a backup; the log: %s", files, p.Log)
	}
	file := filepath.Join(dir, files[0].Name())
	wantMode(t, file, 0o600)
	found := verifyBackup(t, file, "--identity", identity, "--root-key-file", filepath.Join(p.Data, "root.key"))
	if found.Secrets != 1 || found.Shares != 1 {
		t.Errorf("scheduled backup: got %+v, want one secret", found)
	}
	wantBackupFacts(t, p.Server)
}

// Metrics tell about backups only where the service makes them.
func TestBackupMetrics(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		flags []string
		want  bool
	}{
		{nil, false},
		{[]string{"--backup-to=" + t.TempDir(), "--backup-every=1h", "--backup-plain"}, true},
	} {
		s := servertest.Start(t, append(c.flags, servertest.InFolder, "--admin-listen=127.0.0.1:0")...)
		_, text := servertest.Scrape(t, http.DefaultClient, s.MetricsURL(t))
		if got := strings.Contains(text, "hush_backup_interval_seconds 3600"); got != c.want {
			t.Errorf("metrics with %q: got an interval %v, want %v", c.flags, got, c.want)
		}
	}
}

// wantBackupFacts checks that the administrator is told about the backup.
func wantBackupFacts(t *testing.T, s *servertest.Server) {
	t.Helper()
	o := servertest.Operator{T: t, Data: s.Data}
	o.Ok("correct horse battery\n", "account", "create", "root@example.com", "--role", "colonel", "--password-file", "-")
	token := strings.TrimSpace(o.Ok("", "token", "create", "root@example.com").Stdout)
	client := hushv1connect.NewColonelServiceClient(servertest.HTTPClient(t, false, http.Header{"Authorization": {"Bearer " + token}}), s.URL)
	index, err := client.GetIndex(t.Context(), &hushv1.GetIndexRequest{})
	if err != nil {
		t.Fatalf("GetIndex: got %v (%v), want nil", err, connect.CodeOf(err))
	}
	facts := index.GetBackups()
	if facts.GetBytes() == 0 || facts.GetFailing() || facts.GetInterval().AsDuration() != time.Hour || time.Since(facts.GetLastTime().AsTime()) > time.Hour {
		t.Errorf("GetIndex: got backups %v, want the last one", facts)
	}
}

// What would keep a service from making its backups is found before the start.
func TestScheduledBackupIsRefused(t *testing.T) {
	t.Parallel()
	data, dir := newStopped(t), t.TempDir()
	for _, c := range []struct{ flags, want string }{
		{"--backup-to=" + dir, "--backup-to needs --backup-recipient"},
		{"--backup-plain", "need --backup-to"},
		{"--backup-to=" + dir + " --backup-recipient=age1x", "recipients of age"},
		{"--backup-to=" + dir + "/none --backup-plain", "there is no folder " + dir + "/none: make it, or mount its disk"},
		{"--backup-to=" + data + " --backup-plain", "in the data folder"},
		{"--backup-to=" + data + "/hush.db --backup-plain", "is not a folder"},
		{"--backup-to=" + dir + " --backup-plain --store=memory", "store in memory"},
		{"--backup-to=" + dir + " --backup-plain --store=postgres://hush@127.0.0.1/hush", "pg_dump"},
		{"--backup-to=" + dir + " --backup-plain --backup-keep=0", "from 1 to"},
	} {
		for _, name := range []string{"serve", "admin config check"} {
			args := append(strings.Fields(name), append([]string{"--listen=127.0.0.1:0", "--data=" + data}, strings.Fields(c.flags)...)...)
			got := servertest.Call(t, nil, "", args...)
			if got.Code == command.ExitOK || !strings.Contains(got.Stderr+got.Stdout, c.want) {
				t.Errorf("%s %s: got %d, %s%s, want %q", name, c.flags, got.Code, got.Stdout, got.Stderr, c.want)
			}
		}
	}
}
