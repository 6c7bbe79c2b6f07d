package admin_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hush/cli/command"
	"hush/routes/apitest"
	"hush/server/servertest"
)

// An operator's backup was cut off, changed or added to, at each of its parts.
// Neither verify nor restore takes it, and a restore leaves nothing that serves.
func TestAlteredBackupIsRefused(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "a file")
	dir := t.TempDir()
	s := servertest.Start(t, servertest.InFolder)
	for range 2 {
		apitest.MustConceal(t, servertest.Drivers(t, s, nil)[0], apitest.Terms{Secret: "kept"})
	}
	s.Stop(t)
	plain, sealed, identity := filepath.Join(dir, "plain"), filepath.Join(dir, "sealed"), filepath.Join(dir, "identity")
	recipient := strings.TrimSpace(servertest.Call(t, nil, "", "admin", "backup", "keygen", identity).Want(t, "admin backup keygen", command.ExitOK).Stdout)
	servertest.Call(t, nil, "", "admin", "backup", "--data", s.Data, "-o", plain, "--plain").Want(t, "admin backup", command.ExitOK)
	servertest.Call(t, nil, "", "admin", "backup", "--data", s.Data, "-o", sealed, "--recipient", recipient).Want(t, "admin backup", command.ExitOK)
	whole, err := os.ReadFile(plain)
	if err != nil {
		t.Fatal(err)
	}
	parts := partsOf(t, whole)
	altered := map[string][]byte{"something follows": append(bytes.Clone(whole), 0), "it comes twice": append(bytes.Clone(whole), whole...)}
	for n, at := range parts {
		altered[fmt.Sprintf("cut off before part %d", n)] = whole[:at]
		altered[fmt.Sprintf("part %d changed", n)] = flipped(whole, at)
	}
	for n := 1; n < len(parts)-1; n++ {
		altered[fmt.Sprintf("without part %d", n)] = append(bytes.Clone(whole[:parts[n]]), whole[parts[n+1]:]...)
	}
	for name, content := range altered {
		wantBackupRefused(t, s.Data, "plain, "+name, content, identity)
	}
	if whole, err = os.ReadFile(sealed); err != nil {
		t.Fatal(err)
	}
	for at := 0; at < len(whole); at += len(whole)/20 + 1 {
		wantBackupRefused(t, s.Data, fmt.Sprintf("encrypted, cut off at %d", at), whole[:at], identity)
		wantBackupRefused(t, s.Data, fmt.Sprintf("encrypted, byte %d changed", at), flipped(whole, at), identity)
	}
	wantBackupRefused(t, s.Data, "encrypted, something follows", append(bytes.Clone(whole), 0), identity)
}

func flipped(content []byte, at int) []byte {
	changed := bytes.Clone(content)
	changed[at] ^= 0x20
	return changed
}

// wantBackupRefused fails the test if a file is taken for a backup of a service.
func wantBackupRefused(t *testing.T, service, name string, content []byte, identity string) {
	t.Helper()
	dir := t.TempDir()
	file, data := filepath.Join(dir, "b"), filepath.Join(dir, "data")
	servertest.Replace(t, file, content)
	if got := servertest.Call(t, nil, "", "admin", "backup", "verify", file, "--identity", identity); got.Code != command.ExitFailure || got.Stdout != "" {
		t.Errorf("backup verify (%s): got %d, %q, want a refusal", name, got.Code, got.Stdout)
	}
	got := servertest.Call(t, nil, "", "admin", "restore", file, "--identity", identity, "--accept-resurrection", "--data", data, "--root-key-file", filepath.Join(service, "root.key"))
	if got.Code != command.ExitFailure {
		t.Errorf("restore (%s): got %d, %s, want a refusal", name, got.Code, got.Stderr)
	}
	if servertest.HasData(data) {
		t.Errorf("restore (%s): got a database, want none", name)
	}
}

// partsOf returns where the parts of a plain backup begin; see package backup.
func partsOf(t *testing.T, content []byte) (at []int) {
	t.Helper()
	at = []int{0}
	for next := 12; next < len(content); {
		at = append(at, next)
		part := content[next:]
		switch part[0] {
		case 'H':
			next += 5 + int(binary.BigEndian.Uint32(part[1:]))
		case 'B':
			next += 3 + int(binary.BigEndian.Uint16(part[1:]))
		case 'R':
			next += 7 + int(binary.BigEndian.Uint16(part[1:])) + int(binary.BigEndian.Uint32(part[3:]))
		case 'S':
			next += 49
		default:
			next = len(content) // the trailer
		}
	}
	if len(at) < 20 {
		t.Fatalf("parts of the backup: got %d, want more", len(at))
	}
	return at
}
