package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hush/cli/command"
	"hush/routes/apitest"
)

func TestDataFolderIsMade(t *testing.T) {
	t.Parallel()
	s := startHush(t, inFolder)
	for _, want := range []string{"hush: created the data folder " + s.data, "created a root key, " + filepath.Join(s.data, "root.key")} {
		if !strings.Contains(s.log.String(), want) {
			t.Errorf("serve: got %s, want %q in it", s.log, want)
		}
	}
	for name, want := range map[string]os.FileMode{"": 0o700, "root.key": 0o400, "hush.db": 0o600, "shares": 0o600} {
		info, err := os.Stat(filepath.Join(s.data, name))
		if err != nil {
			t.Errorf("data folder: got %v, want %s", err, name)
		} else if info.Mode().Perm() != want {
			t.Errorf("data folder: got %s with mode %v, want %v", name, info.Mode(), want)
		}
	}
	d := newDrivers(t, s, nil)[0]
	kept := apitest.MustConceal(t, d, apitest.Wish{Secret: "kept"})
	s.stop(t)
	again := startHushOn(t, s.data)
	if strings.Contains(again.log.String(), "created") || strings.Contains(again.log.String(), "created a root key") {
		t.Errorf("second serve: got %s, want nothing made anew", again.log)
	}
	newDrivers(t, again, nil)[0].Reveal(t.Context(), kept.SecretKey, "").WantValue(t, "reveal after a restart", "kept")
}

// An operator restores the data without its key, or with that of another
// installation, or lets everybody read it. The service must not start, and must
// consume nothing: with the right key everything is there again.
func TestRootKeyMistakes(t *testing.T) {
	t.Parallel()
	s := startHush(t, inFolder)
	kept := apitest.MustConceal(t, newDrivers(t, s, nil)[0], apitest.Wish{Secret: "kept"})
	s.stop(t)
	key := filepath.Join(s.data, "root.key")
	right, err := os.ReadFile(key)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(t.TempDir(), "elsewhere.key")
	serve := func(flags ...string) result {
		t.Helper()
		return call(t, nil, "", append([]string{"serve", "--listen", "127.0.0.1:0", "--data", s.data}, flags...)...)
	}
	call(t, nil, "", "admin", "keygen", elsewhere).want(t, "admin keygen", command.ExitOK)
	serve("--root-key-file", elsewhere).want(t, "serve", command.ExitFailure, "the root key is not the one that the data in "+s.data+" was made with", "nothing was changed")
	serve("--root-key-file", filepath.Join(s.data, "missing")).want(t, "serve", command.ExitFailure, "there is no root key file", "hush admin keygen")
	replace(t, key, nil)
	serve().want(t, "serve", command.ExitFailure, "the root key "+key+" is missing", "--root-key-file")
	replace(t, key, []byte("not a key\n"))
	serve().want(t, "serve", command.ExitFailure, "root key file "+key)
	replace(t, key, []byte(strings.Repeat("00", 32)+"\n"))
	serve().want(t, "serve", command.ExitFailure, "root key file "+key)
	replace(t, key, right)
	if err := os.Chmod(key, 0o444); err != nil {
		t.Fatal(err)
	}
	serve().want(t, "serve", command.ExitFailure, "every user of this machine may read the root key file "+key)
	replace(t, key, right)
	shares := filepath.Join(s.data, "shares")
	if err := os.Rename(shares, shares+".away"); err != nil {
		t.Fatal(err)
	}
	serve().want(t, "serve", command.ExitFailure, "shares")
	if err := os.Rename(shares+".away", shares); err != nil {
		t.Fatal(err)
	}
	again := startHushOn(t, s.data)
	newDrivers(t, again, nil)[0].Reveal(t.Context(), kept.SecretKey, "").WantValue(t, "reveal with the right key", "kept")
}

// replace puts content in the place of a file, or removes it.
func replace(t *testing.T, path string, content []byte) {
	t.Helper()
	err := os.Remove(path)
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	if content != nil {
		err = errors.Join(err, os.WriteFile(path, content, 0o400))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestDataFolderOpenToOthersIsRefused(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	if err := errors.Join(os.Mkdir(data, 0o700), os.Chmod(data, 0o755)); err != nil {
		t.Fatal(err)
	}
	call(t, nil, "", "serve", "--listen", "127.0.0.1:0", "--data", data).want(t, "serve", command.ExitFailure, "0755", "chmod 700 "+data)
}

func TestTakenPort(t *testing.T) {
	t.Parallel()
	s := startHush(t)
	data := filepath.Join(t.TempDir(), "data")
	call(t, nil, "", "serve", "--listen", s.addr, "--data", data).want(t, "serve", command.ExitFailure, "listening", "address already in use")
	if _, err := os.Stat(data); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("serve on a taken port: got a data folder and %v, want none", err)
	}
}

func TestMemoryStore(t *testing.T) {
	t.Parallel()
	s := startHush(t, "--store=memory")
	if !strings.Contains(s.log.String(), "keeping everything in memory") {
		t.Errorf("serve --store=memory: got %s, want a warning", s.log)
	}
	for _, d := range newDrivers(t, s, nil) {
		kept := apitest.MustConceal(t, d, apitest.Wish{Secret: "x"})
		d.Reveal(t.Context(), kept.SecretKey, "").WantValue(t, d.Name()+" reveal", "x")
	}
	if _, err := os.Stat(s.data); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("serve --store=memory: got a data folder and %v, want none", err)
	}
}

func TestTLS(t *testing.T) {
	t.Parallel()
	cert, key, pool := selfSigned(t)
	s := startHush(t, "--tls-cert", cert, "--tls-key", key)
	if !strings.HasPrefix(s.url, "https://") {
		t.Errorf("serve with TLS: got %s, want https", s.url)
	}
	for _, http2 := range []bool{false, true} {
		var protocols http.Protocols
		protocols.SetHTTP1(!http2)
		protocols.SetHTTP2(http2)
		transport := &http.Transport{Protocols: &protocols, TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}
		t.Cleanup(transport.CloseIdleConnections)
		for _, d := range driversOn(&http.Client{Transport: transport}, s, http2) {
			kept := apitest.MustConceal(t, d, apitest.Wish{Secret: "x"})
			d.Reveal(t.Context(), kept.SecretKey, "").WantValue(t, d.Name()+" reveal over TLS", "x")
		}
	}
	got := call(t, nil, "", "serve", "--listen", "127.0.0.1:0", "--data", filepath.Join(t.TempDir(), "data"), "--tls-cert", key, "--tls-key", key).
		want(t, "serve", command.ExitFailure, "reading the certificate")
	if strings.Contains(got.stderr, servingOn) {
		t.Errorf("serve without a certificate: got %q, want no word of serving", got.stderr)
	}
}

// selfSigned makes a certificate for the loopback address.
func selfSigned(t *testing.T) (certFile, keyFile string, pool *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"secrets.example.com"}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	certFile, keyFile = filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	err = errors.Join(
		os.WriteFile(certFile, cert, 0o600),
		os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	pool = x509.NewCertPool()
	pool.AppendCertsFromPEM(cert)
	return certFile, keyFile, pool
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
			s := startHushOn(t, data)
			d := newDrivers(t, s, nil)[0]
			kept := apitest.MustConceal(t, d, apitest.Wish{Secret: "kept"})
			d.Reveal(t.Context(), kept.SecretKey, "").WantValue(t, "reveal", "kept")
			if _, err := os.Stat(filepath.Join(data, "root.key.new")); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("root.key.new after the start: got %v, want none", err)
			}
		})
	}
}
