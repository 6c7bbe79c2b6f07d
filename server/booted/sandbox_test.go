package booted_test

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hush/routes/apitest"
	"hush/server/process"
	"hush/server/servertest"
)

func needLandlock(t *testing.T) {
	t.Helper()
	servertest.NeedStart(t)
	if err := process.CheckSandbox(process.SandboxVersion()); err != nil {
		t.Skip("needs landlock: " + err.Error())
	}
}

// The service does its work in the sandbox, and stays in it: it does not touch
// a socket outside, though its data folder leads there by now.
func TestServerStaysInItsSandbox(t *testing.T) {
	t.Parallel()
	needLandlock(t)
	for mode, touches := range map[string]bool{"on": false, "auto": false, "off": true} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			top := t.TempDir()
			data := filepath.Join(top, "data")
			p := servertest.StartProcess(t, servertest.Build(t), data, "--sandbox="+mode, "--log-level=info", "--cpu-profile="+filepath.Join(top, "profile"))
			if got := strings.Contains(p.Log.String(), "sandbox on"); got == touches {
				t.Errorf("log: got the sandbox on %t, want %t", got, !touches)
			}
			if got := strings.Contains(p.Log.String(), "write=["+data+"]"); got == touches {
				t.Errorf("log: got the folder to write %t, want %t", got, !touches)
			}
			d := servertest.Drivers(t, p.Server, nil)[0]
			kept := apitest.MustConceal(t, d, apitest.Terms{Secret: "within"})
			if got := d.Reveal(t.Context(), kept.SecretKey, ""); got.Value != "within" {
				t.Errorf("reveal: got %+v, want the text", got)
			}
			servertest.Operator{T: t, Data: data}.Account("a@example.com")
			outside := filepath.Join(top, "outside")
			if err := os.Mkdir(outside, 0o700); err != nil {
				t.Fatal(err)
			}
			socket := filepath.Join(outside, "admin.sock")
			listener, err := net.Listen("unix", socket)
			if err != nil {
				t.Fatal(err)
			}
			defer listener.Close()
			if err := os.Rename(data, data+"2"); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(outside, data); err != nil {
				t.Fatal(err)
			}
			if err := p.Terminate(t); err != nil {
				t.Errorf("SIGTERM: got %v, want exit code 0; it wrote:\n%s", err, p.Log)
			}
			if _, err := os.Lstat(socket); os.IsNotExist(err) != touches {
				t.Errorf("socket outside: got %v, want it removed: %t", err, touches)
			}
			if info, err := os.Stat(filepath.Join(top, "profile")); err != nil || info.Size() == 0 {
				t.Errorf("profile: got %v and %v, want it written", info, err)
			}
		})
	}
}
