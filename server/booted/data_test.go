package booted_test

import (
	"crypto/tls"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hush/cli/command"
	"hush/routes/apitest"
	"hush/server/servertest"
)

func TestDataFolderIsMade(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, servertest.InFolder)
	for _, want := range []string{"hush: created the data folder " + s.Data, "created a root key, " + filepath.Join(s.Data, "root.key")} {
		if !strings.Contains(s.Log.String(), want) {
			t.Errorf("serve: got %s, want %q in it", s.Log, want)
		}
	}
	for name, want := range map[string]os.FileMode{"": 0o700, "root.key": 0o400, "hush.db": 0o600, "shares": 0o600, "files": 0o700} {
		info, err := os.Stat(filepath.Join(s.Data, name))
		if err != nil {
			t.Errorf("data folder: got %v, want %s", err, name)
		} else if info.Mode().Perm() != want {
			t.Errorf("data folder: got %s with mode %v, want %v", name, info.Mode(), want)
		}
	}
	d := servertest.Drivers(t, s, nil)[0]
	kept := apitest.MustConceal(t, d, apitest.Terms{Secret: "kept"})
	s.Stop(t)
	again := servertest.StartOn(t, s.Data)
	if strings.Contains(again.Log.String(), "created") || strings.Contains(again.Log.String(), "created a root key") {
		t.Errorf("second serve: got %s, want nothing made anew", again.Log)
	}
	servertest.Drivers(t, again, nil)[0].Reveal(t.Context(), kept.SecretKey, "").WantValue(t, "reveal after a restart", "kept")
}

// An operator restores the data without its key, or with that of another
// installation, or lets everybody read it. The service must not start, and must
// consume nothing: with the right key everything is there again.
func TestRootKeyMistakes(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, servertest.InFolder)
	kept := apitest.MustConceal(t, servertest.Drivers(t, s, nil)[0], apitest.Terms{Secret: "kept"})
	s.Stop(t)
	key := filepath.Join(s.Data, "root.key")
	right, err := os.ReadFile(key)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(t.TempDir(), "elsewhere.key")
	serve := func(flags ...string) servertest.Result {
		t.Helper()
		return servertest.Call(t, nil, "", append([]string{"serve", "--listen", "127.0.0.1:0", "--data", s.Data}, flags...)...)
	}
	servertest.Call(t, nil, "", "admin", "keygen", elsewhere).Want(t, "admin keygen", command.ExitOK)
	serve("--root-key-file", elsewhere).Want(t, "serve", command.ExitFailure, "the root key is not the one that the data in "+s.Data+" was made with", "nothing was changed")
	serve("--root-key-file", filepath.Join(s.Data, "missing")).Want(t, "serve", command.ExitFailure, "there is no root key file", "hush admin keygen")
	servertest.Replace(t, key, nil)
	serve().Want(t, "serve", command.ExitFailure, "the root key "+key+" is missing", "--root-key-file")
	servertest.Replace(t, key, []byte("not a key\n"))
	serve().Want(t, "serve", command.ExitFailure, "root key file "+key)
	servertest.Replace(t, key, []byte(strings.Repeat("00", 32)+"\n"))
	serve().Want(t, "serve", command.ExitFailure, "root key file "+key)
	servertest.Replace(t, key, right)
	if err := os.Chmod(key, 0o444); err != nil {
		t.Fatal(err)
	}
	serve().Want(t, "serve", command.ExitFailure, "every user of this machine may read the root key file "+key)
	servertest.Replace(t, key, right)
	shares := filepath.Join(s.Data, "shares")
	if err := os.Rename(shares, shares+".away"); err != nil {
		t.Fatal(err)
	}
	serve().Want(t, "serve", command.ExitFailure, "shares")
	if err := os.Rename(shares+".away", shares); err != nil {
		t.Fatal(err)
	}
	again := servertest.StartOn(t, s.Data)
	servertest.Drivers(t, again, nil)[0].Reveal(t.Context(), kept.SecretKey, "").WantValue(t, "reveal with the right key", "kept")
}

func TestDataFolderOpenToOthersIsRefused(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	if err := errors.Join(os.Mkdir(data, 0o700), os.Chmod(data, 0o755)); err != nil {
		t.Fatal(err)
	}
	servertest.Call(t, nil, "", "serve", "--listen", "127.0.0.1:0", "--data", data).Want(t, "serve", command.ExitFailure, "0755", "chmod 700 "+data)
}

func TestTakenPort(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t)
	data := filepath.Join(t.TempDir(), "data")
	servertest.Call(t, nil, "", "serve", "--listen", s.Addr, "--data", data).Want(t, "serve", command.ExitFailure, "listening", "address already in use")
	if _, err := os.Stat(data); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("serve on a taken port: got a data folder and %v, want none", err)
	}
}

func TestMemoryStore(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, "--store=memory")
	if !strings.Contains(s.Log.String(), "keeping everything in memory") {
		t.Errorf("serve --store=memory: got %s, want a warning", s.Log)
	}
	for _, d := range servertest.Drivers(t, s, nil) {
		kept := apitest.MustConceal(t, d, apitest.Terms{Secret: "x"})
		d.Reveal(t.Context(), kept.SecretKey, "").WantValue(t, d.Name()+" reveal", "x")
	}
	if _, err := os.Stat(s.Data); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("serve --store=memory: got a data folder and %v, want none", err)
	}
}

func TestTLS(t *testing.T) {
	t.Parallel()
	cert, key, pool := servertest.SelfSigned(t)
	s := servertest.Start(t, "--tls-cert", cert, "--tls-key", key)
	if !strings.HasPrefix(s.URL, "https://") {
		t.Errorf("serve with TLS: got %s, want https", s.URL)
	}
	for _, http2 := range []bool{false, true} {
		var protocols http.Protocols
		protocols.SetHTTP1(!http2)
		protocols.SetHTTP2(http2)
		transport := &http.Transport{Protocols: &protocols, TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}
		t.Cleanup(transport.CloseIdleConnections)
		for _, d := range driversOn(&http.Client{Transport: transport}, s, http2) {
			kept := apitest.MustConceal(t, d, apitest.Terms{Secret: "x"})
			d.Reveal(t.Context(), kept.SecretKey, "").WantValue(t, d.Name()+" reveal over TLS", "x")
		}
	}
	got := servertest.Call(t, nil, "", "serve", "--listen", "127.0.0.1:0", "--data", filepath.Join(t.TempDir(), "data"), "--tls-cert", key, "--tls-key", key).
		Want(t, "serve", command.ExitFailure, "reading the certificate")
	if strings.Contains(got.Stderr, servertest.ServingOn) {
		t.Errorf("serve without a certificate: got %q, want no word of serving", got.Stderr)
	}
}

// The power fails during the first start, in each moment of the making of the
// root key. The next start must not take what is left for a key.
func TestFirstStartThatWasCutShort(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{"empty": "", "half": "0123456789abcdef", "foreign": "no key at all\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := filepath.Join(t.TempDir(), "data")
			if err := os.Mkdir(data, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(data, "root.key.new"), []byte(content), 0o400); err != nil {
				t.Fatal(err)
			}
			s := servertest.StartOn(t, data)
			d := servertest.Drivers(t, s, nil)[0]
			kept := apitest.MustConceal(t, d, apitest.Terms{Secret: "kept"})
			d.Reveal(t.Context(), kept.SecretKey, "").WantValue(t, "reveal", "kept")
			if _, err := os.Stat(filepath.Join(data, "root.key.new")); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("root.key.new after the start: got %v, want none", err)
			}
		})
	}
}
