package admin_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"hush/cli/command"
	"hush/routes/apitest"
	"hush/server/servertest"
)

// backedUp is what "hush admin backup verify --json" prints, in part.
type backedUp struct {
	Secrets, Accounts, Rows, Shares, DamagedRows int64
	SecretsWithoutShare, SecretsWithoutReceipt   int64
	RootKey                                      string
	Sound                                        bool
	SpentLog                                     *struct{ Sequence uint64 }
}

// verifyBackup checks a backup, which must be sound.
func verifyBackup(t *testing.T, file string, flags ...string) (found backedUp) {
	t.Helper()
	out := servertest.Call(t, nil, "", append([]string{"admin", "backup", "verify", "--json", file}, flags...)...).Want(t, "admin backup verify", command.ExitOK)
	if err := json.Unmarshal([]byte(out.Stdout), &found); err != nil || !found.Sound {
		t.Fatalf("backup verify: got %s, %v, want a sound backup", out.Stdout, err)
	}
	return found
}

// A backup is made beside a service that runs and of one that is stopped; it has
// every secret, and opens with its identity only.
func TestBackup(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := servertest.Start(t, servertest.InFolder)
	d := servertest.Drivers(t, s, nil)[0]
	gone := apitest.MustConceal(t, d, apitest.Terms{Secret: "gone"})
	d.Reveal(t.Context(), gone.SecretKey, "").WantValue(t, "reveal", "gone")
	for range 3 {
		apitest.MustConceal(t, d, apitest.Terms{Secret: "a secret"})
	}
	identity := filepath.Join(dir, "identity")
	recipient := strings.TrimSpace(servertest.Call(t, nil, "", "admin", "backup", "keygen", identity).Want(t, "admin backup keygen", command.ExitOK, "wrote an identity").Stdout)
	servertest.Call(t, nil, "", "admin", "backup", "keygen", identity).Want(t, "admin backup keygen", command.ExitFailure, "exists already")
	wantMode(t, identity, 0o400)
	key := filepath.Join(s.Data, "root.key")
	for _, name := range []string{"running", "stopped"} {
		file := filepath.Join(dir, name)
		servertest.Call(t, nil, "", "admin", "backup", "--data", s.Data, "-o", file, "--recipient", recipient).Want(t, "admin backup", command.ExitOK, "encrypted to 1 recipient")
		servertest.Call(t, nil, "", "admin", "backup", "--data", s.Data, "-o", filepath.Join(t.TempDir(), "two"), "--recipient", recipient+","+recipient).Want(t, "admin backup", command.ExitOK, "encrypted to 2 recipients")
		wantMode(t, file, 0o600)
		found := verifyBackup(t, file, "--identity", identity, "--root-key-file", key)
		want := backedUp{Secrets: 3, Shares: 3, Rows: found.Rows, RootKey: "matches", Sound: true}
		if found != want || found.Rows < 10 {
			t.Errorf("backup of a service that is %s: got %+v, want %+v", name, found, want)
		}
		if name == "running" {
			s.Stop(t)
		}
	}
	servertest.Call(t, nil, "", "admin", "backup", "verify", filepath.Join(dir, "running")).Want(t, "admin backup verify", command.ExitFailure, "--identity")
	other := filepath.Join(dir, "other.key")
	servertest.Call(t, nil, "", "admin", "keygen", other).Want(t, "admin keygen", command.ExitOK)
	servertest.Call(t, nil, "", "admin", "backup", "verify", filepath.Join(dir, "running"), "--identity", identity, "--root-key-file", other).
		Want(t, "admin backup verify", command.ExitFailure, "the root key is not the one of the backup")
	if left, err := os.ReadDir(dir); err != nil || len(left) != 4 {
		t.Errorf("files: got %v, %v, want 4", left, err)
	}
}

func wantMode(t *testing.T, file string, want os.FileMode) {
	t.Helper()
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != want {
		t.Errorf("mode of %s: got %v, %v, want %v", file, info.Mode(), err, want)
	}
}

// A backup has the position of the spent log, of a service that runs and of one
// that is stopped.
func TestBackupHasThePositionOfTheSpentLog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := servertest.Start(t, servertest.InFolder, "--spent-log="+filepath.Join(dir, "spent"), "--spent-log-begin")
	d := servertest.Drivers(t, s, nil)[0]
	for range 3 {
		gone := apitest.MustConceal(t, d, apitest.Terms{Secret: "gone"})
		d.Reveal(t.Context(), gone.SecretKey, "").WantValue(t, "reveal", "gone")
	}
	for _, name := range []string{"running", "stopped"} {
		file := filepath.Join(dir, name)
		servertest.Call(t, nil, "", "admin", "backup", "--data", s.Data, "-o", file, "--plain").Want(t, "admin backup", command.ExitOK)
		if found := verifyBackup(t, file); found.SpentLog == nil || name == "running" && found.SpentLog.Sequence < 3 {
			t.Errorf("backup of a service that is %s: got spent log %+v, want a sequence after three ends", name, found.SpentLog)
		}
		if name == "running" {
			s.Stop(t)
		}
	}
}

// Without flags, a backup goes where the service's own go, and to the same recipients.
func TestBackupAsConfigured(t *testing.T) {
	t.Parallel()
	data, dir, to := newStopped(t), t.TempDir(), t.TempDir()
	identity, config := filepath.Join(dir, "identity"), filepath.Join(dir, "hush.yaml")
	recipient := strings.TrimSpace(servertest.Call(t, nil, "", "admin", "backup", "keygen", identity).Want(t, "admin backup keygen", command.ExitOK).Stdout)
	for protection, want := range map[string]string{"backup-recipient: " + recipient: ".hushbackup.age", "backup-plain: true": ".hushbackup"} {
		if err := os.WriteFile(config, []byte("data: "+data+"\nbackup-to: "+to+"\n"+protection+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		servertest.Call(t, nil, "", "admin", "backup", "--config", config).Want(t, "admin backup --config", command.ExitOK, "backed up ", to)
		made, err := filepath.Glob(filepath.Join(to, "hush-20*"+want))
		if err != nil || len(made) != 1 {
			t.Fatalf("files in backup-to with %s: got %v and %v, want one", protection, made, err)
		}
		if found := verifyBackup(t, made[0], "--identity", identity); !found.Sound {
			t.Errorf("backup with %s: got %+v, want it sound", protection, found)
		}
	}
	file := filepath.Join(dir, "elsewhere")
	servertest.Call(t, nil, "", "admin", "backup", "--config", config, "-o", file, "--recipient", recipient).Want(t, "admin backup", command.ExitOK, "encrypted to 1 recipient")
}

// Wrong calls say what is right, and leave nothing.
func TestBackupIsRefused(t *testing.T) {
	t.Parallel()
	data, dir := newStopped(t), t.TempDir()
	file, link := filepath.Join(dir, "b"), filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(data, link); err != nil {
		t.Fatal(err)
	}
	listed := filepath.Join(t.TempDir(), "recipients")
	if err := os.WriteFile(listed, []byte("# ours\nssh-rsa AAAA\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"-o", file}, command.ExitUsage, "hush admin backup keygen"},
		{[]string{"--plain"}, command.ExitUsage, "-o FILE"},
		{[]string{"-o", file, "--plain", "--recipient", "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"}, command.ExitUsage, "--plain does not go with"},
		{[]string{"-o", file, "--recipient", "age1x"}, command.ExitUsage, "invalid argument for \"--recipient\" flag: must be recipients of age, which begin with age1\n"},
		{[]string{"-o", file, "--recipients-file", filepath.Join(dir, "none")}, command.ExitFailure, "no such file"},
		{[]string{"-o", filepath.Join(dir, "none", "b"), "--plain"}, command.ExitFailure, "hush: there is no folder " + filepath.Join(dir, "none") + "\n"},
		{[]string{"-o", filepath.Join(data, "b"), "--plain"}, command.ExitFailure, "in the data folder"},
		{[]string{"-o", filepath.Join(link, "b"), "--plain"}, command.ExitFailure, "in the data folder"},
		{[]string{"-o", dir, "--plain"}, command.ExitFailure, "none is overwritten"},
		{[]string{"-o", dir + "/", "--plain"}, command.ExitFailure, "none is overwritten"},
		{[]string{"-o", file + "/", "--plain"}, command.ExitFailure, "there is no folder " + file},
		{[]string{"--plain", "-o", file, "--store", "postgres://hush@127.0.0.1/hush"}, command.ExitUsage, "pg_dump"},
		{[]string{"--plain", "-o", file, "--store", "memory"}, command.ExitFailure, "store in memory"},
		{[]string{"-o", file, "--recipients-file", listed}, command.ExitUsage, "error at line 2"},
		{[]string{"--plain", "other"}, command.ExitUsage, "unexpected argument"},
	} {
		args := slices.Concat([]string{"admin", "backup", "--data", data}, c.args)
		servertest.Call(t, nil, "", args...).Want(t, strings.Join(c.args, " "), c.code, c.want)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("files: got %v, %v, want none", left, err)
	}
	servertest.Call(t, nil, "", "admin", "backup", "--data", data, "-o", file, "--plain").Want(t, "admin backup", command.ExitOK, "not encrypted")
	servertest.Call(t, nil, "", "admin", "backup", "--data", data, "-o", file, "--plain").Want(t, "admin backup again", command.ExitFailure, "none is overwritten")
	piped := servertest.Call(t, nil, "", "admin", "backup", "--data", data, "--plain", "-").Want(t, "admin backup -", command.ExitOK)
	servertest.Call(t, nil, piped.Stdout, "admin", "backup", "verify", "-").Want(t, "admin backup verify -", command.ExitOK, "complete")
	servertest.Call(t, nil, piped.Stdout[:len(piped.Stdout)-1], "admin", "backup", "verify", "-").Want(t, "admin backup verify -", command.ExitFailure, "ends too early")
}

// While secrets are revealed at full speed, every backup is sound: it has nothing
// without its receipt, and shares are missing only of what was opened since.
func TestBackupUnderLoad(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, servertest.InFolder, "--rate-limits=off")
	drivers := servertest.Drivers(t, s, nil)
	for range 50 {
		apitest.MustConceal(t, drivers[0], apitest.Terms{Secret: "kept"})
	}
	done := make(chan struct{})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				secret := drivers[0].Conceal(t.Context(), apitest.Terms{Secret: "short"})
				drivers[0].Reveal(t.Context(), secret.SecretKey, "")
			}
		})
	}
	defer all.Wait()
	defer close(done)
	for i := range 5 {
		file := filepath.Join(t.TempDir(), "b")
		servertest.Call(t, nil, "", "admin", "backup", "--data", s.Data, "-o", file, "--plain").Want(t, "admin backup", command.ExitOK)
		found := verifyBackup(t, file)
		if found.Secrets < 50 || found.Shares+found.SecretsWithoutShare != found.Secrets || found.Shares < 50 {
			t.Errorf("backup %d: got %+v, want the 50 secrets that nobody opens", i, found)
		}
	}
}
