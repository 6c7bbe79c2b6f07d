package servertest

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"hush/routes/apitest"
	"hush/storage/postgres/postgrestest"
)

// Replace puts content in the place of a file, or removes it.
func Replace(t *testing.T, path string, content []byte) {
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

// SelfSigned makes a certificate for the loopback address.
func SelfSigned(t *testing.T) (certFile, keyFile string, pool *x509.CertPool) {
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

// FreeAddress returns an address that no program listens on. The program cannot
// choose one itself here: it names the base URL, not where it listens.
func FreeAddress(t *testing.T) string {
	listen, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Error(err)
		return ""
	}
	defer listen.Close()
	return listen.Addr().String()
}

// ShareOnce shares a text, and returns the key of the secret.
func ShareOnce(ctx context.Context, client *http.Client, url string) (key string, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/api/v1/share", strings.NewReader("secret=restart"))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	var answer struct {
		SecretKey string `json:"secret_key"`
	}
	content, err := io.ReadAll(res.Body)
	if err == nil {
		err = json.Unmarshal(content, &answer)
	}
	if err == nil && answer.SecretKey == "" {
		err = fmt.Errorf("%s: %s", res.Status, content)
	}
	return answer.SecretKey, err
}

// ReadFolder returns the content of all files below a folder.
func ReadFolder(t *testing.T, folder string) []byte {
	t.Helper()
	var all []byte
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name() == "root.key" || entry.Type() == fs.ModeSocket {
			return err
		}
		content, err := os.ReadFile(path)
		all = append(append(all, path...), content...)
		return err
	})
	if err == nil && postgrestest.Shared() != "" && !HasData(folder) {
		dump, wrong := postgrestest.Dump(t.Context(), databaseURL(folder), "hush")
		all, err = append(all, dump...), wrong
	}
	if err != nil || len(all) == 0 {
		t.Fatalf("reading %s: got %d bytes and %v, want all", folder, len(all), err)
	}
	return all
}

// WantNoErrors fails the test if the program logged that something went wrong
// inside it.
func WantNoErrors(t *testing.T, s *Server) {
	t.Helper()
	for line := range strings.Lines(s.Log.String()) {
		if strings.Contains(line, "level=ERROR") {
			t.Errorf("log: got %s, want no errors", line)
		}
	}
}

// Anywhere is a client for which every name leads to the server.
func Anywhere(t *testing.T, s *Server) *http.Client {
	t.Helper()
	return apitest.NewClient(t, func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, s.Addr)
	}, false, nil)
}

// OpensPipe reports whether a thread of a process waits in the kernel for the other end
// of a pipe with a name.
func OpensPipe(pid int) bool {
	threads, _ := filepath.Glob(filepath.Join("/proc", strconv.Itoa(pid), "task", "*", "wchan"))
	for _, thread := range threads {
		if text, _ := os.ReadFile(thread); string(text) == "wait_for_partner" || string(text) == "fifo_open" {
			return true
		}
	}
	return false
}
