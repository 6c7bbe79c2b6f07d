package kills_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hush/cli/command"
	"hush/routes/apitest"
	"hush/server/servertest"
	"hush/vault/vaulttest"
)

// An operator copies the folder of a stopped service with cp -a, and serves both: each
// link would open twice. What changes the folder as it should is no copy, and --moved is
// needed once.
func TestCopiedFolder(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about data folders")
	servertest.NeedStart(t)
	dir := vaulttest.LastingDir(t)
	data, copied := filepath.Join(dir, "data"), filepath.Join(dir, "copied")
	s := servertest.StartOn(t, data, servertest.InFolder)
	waits := apitest.MustConceal(t, servertest.Drivers(t, s, nil)[0], apitest.Terms{Secret: "waits"})
	s.Stop(t)
	if err := exec.Command("cp", "-a", data, copied).Run(); err != nil {
		t.Fatalf("cp -a: got %v, want nil", err)
	}
	refused := func(folder string) {
		t.Helper()
		servertest.Call(t, []string{}, "", "serve", "--listen=127.0.0.1:0", "--data", folder).Want(t, "serve on "+folder, command.ExitFailure,
			"the data folder "+folder+" is a copy", "if it is gone for good, start once with --moved")
	}
	refused(copied)
	servertest.Call(t, []string{"HUSH_MOVED=true"}, "", "serve", "--listen=127.0.0.1:0", "--data", copied).Want(t, "serve with HUSH_MOVED", command.ExitUsage, "counts for one start")
	servertest.Call(t, nil, "", "admin", "compact", "--data", copied).Want(t, "admin compact", command.ExitOK)
	refused(copied)

	servertest.Call(t, nil, "", "admin", "compact", "--data", data).Want(t, "admin compact", command.ExitOK)
	file, restored := filepath.Join(dir, "backup"), filepath.Join(dir, "restored")
	servertest.Call(t, nil, "", "admin", "backup", "--plain", "-o", file, "--data", data).Want(t, "admin backup", command.ExitOK)
	servertest.Call(t, nil, "", "admin", "restore", file, "--burn-all", "--data", restored, "--root-key-file", filepath.Join(data, "root.key")).Want(t, "admin restore", command.ExitOK)
	s = servertest.StartOn(t, restored, servertest.InFolder, "--root-key-file", filepath.Join(data, "root.key"))
	s.Stop(t)
	s = servertest.StartOn(t, data, servertest.InFolder)
	servertest.Drivers(t, s, nil)[0].Reveal(t.Context(), waits.SecretKey, "").WantValue(t, "reveal in the folder", "waits")
	s.Stop(t)

	s = servertest.StartOn(t, copied, servertest.InFolder, "--moved")
	servertest.Drivers(t, s, nil)[0].Reveal(t.Context(), waits.SecretKey, "").WantValue(t, "reveal in the copy, which is what is refused", "waits")
	s.Log.WaitFor(t, "remove the flag")
	s.Stop(t)
	s = servertest.StartOn(t, copied, servertest.InFolder)
	s.Stop(t)
	if strings.Contains(s.Log.String(), "--moved") {
		t.Errorf("log of the start after --moved: got %q, want nothing of the flag", s.Log)
	}
}
