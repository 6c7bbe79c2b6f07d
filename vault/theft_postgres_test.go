package vault_test

import (
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"hush/seal"
	"hush/storage/postgres"
	"hush/storage/postgres/postgrestest"
	"hush/storage/storagetest"
	"hush/testtier"
	"hush/vault"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/shares"
	"hush/vault/vaulttest"
)

// dumps runs the programs of an administrator on a server.
type dumps struct {
	server *postgrestest.Server
	bin    string
}

func newDumps(t *testing.T, settings ...string) dumps {
	t.Helper()
	testtier.Check(t, "starts PostgreSQL")
	installed, _ := filepath.Glob("/usr/lib/postgresql/*/bin/pg_dump")
	if path, err := exec.LookPath("pg_dump"); err == nil {
		installed = append(installed, path)
	}
	server, err := postgrestest.Start(settings...)
	if errors.Is(err, postgrestest.ErrMissing) || len(installed) == 0 {
		t.Skip("needs postgres: not installed")
	}
	vaulttest.Want(t, "postgrestest.Start()", err, nil)
	t.Cleanup(func() { vaulttest.Want(t, "Stop()", server.Stop(), nil) })
	return dumps{server, filepath.Dir(slices.Max(installed))}
}

func (d dumps) run(t *testing.T, program string, args ...string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), filepath.Join(d.bin, program), append([]string{"-h", d.server.Folder(), "-U", "hush"}, args...)...)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s: got %v, want nil\n%s", program, err, out)
	}
}

// open opens a vault on a database, with a clock of its own.
func (d dumps) open(t *testing.T, database string, root seal.RootKey, fresh bool) *vaulttest.Kit {
	t.Helper()
	store, shares := d.openStore(t, database)
	if fresh {
		vaulttest.Want(t, "Update(Init)", store.Update(t.Context(), vault.Init(seal.NewKeys(root), vaulttest.StartTime())), nil)
	}
	// The test sets the clock, so the server's does not count.
	cluster := &vaulttest.Cluster{Store: storagetest.WithoutClock(store), Shares: shares, Root: root}
	return cluster.Node(t, database, vaulttest.Options{Manual: true})
}

func (d dumps) openStore(t *testing.T, database string) (*postgres.Store, *postgres.Shares) {
	t.Helper()
	store, backend, err := postgres.Open(t.Context(), d.server.URL(database), postgres.Options{OwnTables: shares.OwnTables()})
	vaulttest.Want(t, "postgres.Open()", err, nil)
	t.Cleanup(func() { vaulttest.Want(t, "Close()", store.Close(), nil) })
	return store, backend
}

// The attack: a thief has the link, the root key and an old dump of the database,
// from before the secret was revealed. Of a dump without the epoch keys nothing
// opens, and what it holds with the keys that the service still has is gone with
// the hour. A dump with them opens the secret for as long as it is kept.
func TestTheftOfDumps(t *testing.T) {
	t.Parallel()
	d := newDumps(t)
	d.run(t, "createdb", "service")
	root := seal.NewRootKey()
	k := d.open(t, "service", root, true)
	terms := secret.Terms{TTL: new(time.Hour)}
	revealed, waits := k.MustConceal(t, caller.Caller{}, vaulttest.Plaintext, terms), k.MustConceal(t, caller.Caller{}, vaulttest.Plaintext, terms)

	folder := t.TempDir()
	without, with, keys := filepath.Join(folder, "without"), filepath.Join(folder, "with"), filepath.Join(folder, "keys")
	d.run(t, "pg_dump", "--exclude-table-data=hush.record_epoch", "--file="+without, "service")
	d.run(t, "pg_dump", "--file="+with, "service")
	vaulttest.Want(t, "RevealSecret()", k.MustReveal(t, caller.Caller{}, revealed.Secret.Key, ""), vaulttest.Plaintext)
	d.run(t, "pg_dump", "--data-only", "--table=hush.record_epoch", "--file="+keys, "service")
	sweepAfter(t, k, 2*time.Hour+5*time.Minute)
	wantEpochs(t, k.Store, 0)

	thief := func(name string, files ...string) *vaulttest.Kit {
		d.run(t, "createdb", name)
		for _, file := range files {
			d.run(t, "psql", "-q", "-v", "ON_ERROR_STOP=1", "-d", name, "-f", file)
		}
		return d.open(t, name, root, false)
	}
	none := thief("without", without)
	early := thief("early", without, keys)
	whole := thief("whole", with)
	for _, kept := range []secret.Concealed{revealed, waits} {
		err := vaulttest.RevealErr(t, none, caller.Caller{}, kept.Secret.Key.Expose(), "")
		vaulttest.WantErr(t, "RevealSecret(dump without epoch keys)", err, refusal.ErrNotFound)
		wantNoShareOpens(t, none, kept.Secret.Key)
		vaulttest.Want(t, "RevealSecret(the same, with the keys of that hour)", early.MustReveal(t, caller.Caller{}, kept.Secret.Key, ""), vaulttest.Plaintext)
		vaulttest.Want(t, "RevealSecret(dump with epoch keys)", whole.MustReveal(t, caller.Caller{}, kept.Secret.Key, ""), vaulttest.Plaintext)
	}
}
