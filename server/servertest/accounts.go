package servertest

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"hush/mail/mailtest"
	"hush/routes/apitest"
	"hush/storage/bolt"
	"hush/storage/postgres/postgrestest"
)

// Env is a data folder with accounts in it.
type Env struct {
	apitest.Accounts

	files map[string][]byte
	made  string // the folder that the files are of
}

// NewEnv makes a test environment. One for all tests would grow old while they run:
// lifetimes go by, and a domain's next check comes due. With InFolder among the
// flags it is in the data folder in every run.
func NewEnv(t testing.TB, flags ...string) *Env {
	t.Helper()
	NeedStart(t)
	data := filepath.Join(t.TempDir(), "accounts")
	open := OpenFolder
	if StoreFlags(t, data, flags) != nil { // it made a database
		open = openDatabaseOf
	}
	env, err := buildTestEnv(data, open)
	if err != nil {
		t.Fatalf("making accounts: got %v, want no error", err)
	}
	return env
}

// StartAccounts runs the program on a new copy of the test environment's data folder.
func StartAccounts(t testing.TB, flags ...string) (*Env, *Server) {
	t.Helper()
	env := NewEnv(t, flags...)
	return env, StartOn(t, env.CopyTo(t), flags...)
}

// StartAccountsWithMail is StartAccounts with a server that takes the program's
// mail, and with sign-up open.
func StartAccountsWithMail(t testing.TB, flags ...string) (*Env, *Server, *mailtest.Server) {
	t.Helper()
	relay := mailtest.NewWith(t, mailtest.Options{NoTLS: true})
	env, s := StartAccounts(t, append([]string{
		"--smtp-host", relay.Addr, "--smtp-tls=none", "--mail-from=Hush <no-reply@hush.example>", "--sign-up=open",
	}, flags...)...)
	return env, s, relay
}

// CopyTo writes the test environment's data folder into a folder of the test.
func (k *Env) CopyTo(t testing.TB) string {
	t.Helper()
	data := filepath.Join(t.TempDir(), "data")
	err := os.Mkdir(data, 0o700)
	for name, content := range k.files {
		mode := os.FileMode(0o600)
		if name == "root.key" {
			mode = 0o400
		}
		err = errors.Join(err, writeSparse(filepath.Join(data, name), content, mode))
	}
	if err == nil && HasData(data) {
		err = adopt(t.Context(), data)
	}
	if err == nil && postgrestest.Shared() != "" && !HasData(data) {
		_, err = makeDatabase(t.Context(), data, databaseOf(k.made))
		t.Cleanup(func() { dropDatabase(t, data) })
	}
	if err != nil {
		t.Fatalf("copying the data folder: got %v, want no error", err)
	}
	return data
}

// adopt makes a copied data folder the one to serve, as a start with --moved does: the
// folder that it is a copy of is never served.
func adopt(ctx context.Context, data string) error {
	folder, err := bolt.OpenFolder(data)
	if err != nil {
		return err
	}
	if _, _, err = folder.Open(bolt.Options{Small: true}); err == nil {
		err = folder.KeepFiles(ctx, true)
	}
	return errors.Join(err, folder.Close())
}

// writeSparse writes a new file whose blocks of zeros take no space: most of a new
// database is not in use.
func writeSparse(path string, content []byte, mode os.FileMode) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	zeros := make([]byte, 4096)
	at := int64(0)
	for block := range slices.Chunk(content, len(zeros)) {
		if !bytes.Equal(block, zeros[:len(block)]) {
			_, wrong := file.WriteAt(block, at)
			err = errors.Join(err, wrong)
		}
		at += int64(len(block))
	}
	return errors.Join(err, file.Truncate(at), file.Close())
}

func buildTestEnv(data string, open storeOpener) (env *Env, err error) {
	env = &Env{made: data}
	if err := env.fill(data, open); err != nil {
		return nil, err
	}
	env.files, err = readFiles(data)
	return env, err
}

func readFiles(data string) (map[string][]byte, error) {
	files := map[string][]byte{}
	entries, err := os.ReadDir(data)
	for _, entry := range entries {
		if !entry.Type().IsRegular() {
			continue
		}
		content, wrong := os.ReadFile(filepath.Join(data, entry.Name()))
		files[entry.Name()], err = content, errors.Join(err, wrong)
	}
	return files, err
}
