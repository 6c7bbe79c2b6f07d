package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hush/cli/command"
	"hush/routes/apitest"
	"hush/vault/vaulttest"
)

// An operator copies the folder of a stopped service with cp -a, and serves both: each
// link would open twice. What changes the folder as it should is no copy, and --moved is
// needed once.
func TestCopiedFolder(t *testing.T) {
	t.Parallel()
	runOnce(t, "about data folders")
	starts(t)
	dir := vaulttest.LastingDir(t)
	data, copied := filepath.Join(dir, "data"), filepath.Join(dir, "copied")
	s := startHushOn(t, data, inFolder)
	waits := apitest.MustConceal(t, newDrivers(t, s, nil)[0], apitest.Wish{Secret: "waits"})
	s.stop(t)
	if err := exec.Command("cp", "-a", data, copied).Run(); err != nil {
		t.Fatalf("cp -a: got %v, want nil", err)
	}
	refused := func(folder string) {
		t.Helper()
		call(t, []string{}, "", "serve", "--listen=127.0.0.1:0", "--data", folder).want(t, "serve on "+folder, command.ExitFailure,
			"the data folder "+folder+" is a copy", "if it is gone for good, start once with --moved")
	}
	refused(copied)
	call(t, []string{"HUSH_MOVED=true"}, "", "serve", "--listen=127.0.0.1:0", "--data", copied).want(t, "serve with HUSH_MOVED", command.ExitUsage, "counts for one start")
	call(t, nil, "", "admin", "compact", "--data", copied).want(t, "admin compact", command.ExitOK)
	refused(copied)

	call(t, nil, "", "admin", "compact", "--data", data).want(t, "admin compact", command.ExitOK)
	file, restored := filepath.Join(dir, "backup"), filepath.Join(dir, "restored")
	call(t, nil, "", "admin", "backup", "--plain", "-o", file, "--data", data).want(t, "admin backup", command.ExitOK)
	call(t, nil, "", "admin", "restore", file, "--burn-all", "--data", restored, "--root-key-file", filepath.Join(data, "root.key")).want(t, "admin restore", command.ExitOK)
	s = startHushOn(t, restored, inFolder, "--root-key-file", filepath.Join(data, "root.key"))
	s.stop(t)
	s = startHushOn(t, data, inFolder)
	newDrivers(t, s, nil)[0].Reveal(t.Context(), waits.SecretKey, "").WantValue(t, "reveal in the folder", "waits")
	s.stop(t)

	s = startHushOn(t, copied, inFolder, "--moved")
	newDrivers(t, s, nil)[0].Reveal(t.Context(), waits.SecretKey, "").WantValue(t, "reveal in the copy, which is what is refused", "waits")
	s.log.waitFor(t, "remove the flag")
	s.stop(t)
	s = startHushOn(t, copied, inFolder)
	s.stop(t)
	if strings.Contains(s.log.String(), "--moved") {
		t.Errorf("log of the start after --moved: got %q, want nothing of the flag", s.log)
	}
}
