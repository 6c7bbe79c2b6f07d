package vault_test

import (
	"bytes"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/storage/postgres/postgrestest"
	"hush/vault"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/shares"
	"hush/vault/vaulttest"
)

// pieces are what opens a secret together with its link and the root key, as the
// database stores them.
type pieces struct {
	link    seal.Token
	expires time.Time
	record  []byte
	share   [storage.ShareSize]byte // masked
	epoch   []byte                  // the sealed key of the mask
}

func piecesOf(t *testing.T, k *vaulttest.Kit, of secret.Concealed) pieces {
	t.Helper()
	share, err := k.Shares.Get(t.Context(), vaulttest.SlotOf(t, k, of.Secret.Key))
	vaulttest.Want(t, "Get(share)", err, nil)
	p := pieces{link: of.Secret.Key, expires: of.Secret.Expires, record: vaulttest.SecretRow(t, k, of.Secret.Key), share: share}
	const head = 1 + 4 // version and length
	p.epoch = vaulttest.Get(t, k.Store, shares.BucketEpoch, p.epochRow())[head:]
	return p
}

func (p pieces) epochRow() []byte { return vaulttest.Number(uint64(p.expires.Unix() / 3600)) }

// open opens the secret as a thief does who found all pieces.
func (p pieces) open(root seal.RootKey) (string, error) {
	keys := seal.NewKeys(root)
	epoch, err := keys.OpenEpochKey(p.epochRow(), p.epoch)
	if err != nil {
		return "", err
	}
	row := p.link.RowKey(seal.KindSecret)
	share, mask := p.share, epoch.Mask(shares.KindSecret, row[:])
	for i := range share {
		share[i] ^= mask[i]
	}
	return p.unseal(keys, share)
}

func (p pieces) unseal(keys *seal.Keys, share [storage.ShareSize]byte) (string, error) {
	key, err := keys.SecretKeys().Key(keys.KID(), p.link, p.link.RowKey(seal.KindSecret), share, [32]byte{})
	if err != nil {
		return "", err
	}
	text, err := key.Open(p.record[21:len(p.record)-len(p.sealed())], p.sealed())
	return string(text), err
}

// sealed is the ciphertext in the record.
func (p pieces) sealed() []byte { return p.record[vaulttest.SealedOffset(p.record):] }

// wantIn fails the test unless the files of a folder contain the share, and the
// epoch key exactly if epoch is true. Whether they contain the record depends on
// when PostgreSQL reuses its page.
func (p pieces) wantIn(t *testing.T, what, folder string, epoch bool) {
	t.Helper()
	vaulttest.Want(t, what+" contains the share", holds(t, folder, p.share[:]), true)
	vaulttest.Want(t, what+" contains the epoch key", holds(t, folder, p.epoch), epoch)
}

// holds reports whether a file in a folder contains a piece. The WAL may have the
// head of a page amid it, which a thief removes.
func holds(t *testing.T, folder string, piece []byte) (found bool) {
	t.Helper()
	err := filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || found {
			return err
		}
		content, err := os.ReadFile(name)
		half := len(piece) / 2
		found = bytes.Contains(content, piece[:half]) || bytes.Contains(content, piece[half:])
		return err
	})
	vaulttest.Want(t, "WalkDir("+folder+")", err, nil)
	return found
}

// physical is a service on a server whose WAL is archived, and its physical
// copies. Autovacuum is off: the test says when rows are vacuumed.
type physical struct {
	dumps
	*vaulttest.Kit
	root seal.RootKey
}

func newPhysical(t *testing.T) physical {
	t.Helper()
	d := newDumps(t, append(postgrestest.Archiving(), "autovacuum=off", "log_statement=all")...)
	d.run(t, "createdb", "service")
	root := seal.NewRootKey()
	return physical{d, d.open(t, "service", root, true), root}
}

func (p physical) backup(t *testing.T, name string) postgrestest.Backup {
	t.Helper()
	backup, err := p.server.Backup(name)
	vaulttest.Want(t, "Backup("+name+")", err, nil)
	return backup
}

func (p physical) sql(t *testing.T, text string) {
	t.Helper()
	p.run(t, "psql", "-q", "-v", "ON_ERROR_STOP=1", "-d", "service", "-c", text)
}

// restorePoint names the present moment, and waits until the archive has it.
func (p physical) restorePoint(t *testing.T, name string) {
	t.Helper()
	p.sql(t, "SELECT pg_create_restore_point('"+name+"')")
	p.sql(t, "CREATE TABLE IF NOT EXISTS public.waits AS SELECT ''::text AS segment; UPDATE public.waits SET segment = pg_walfile_name(pg_switch_wal())")
	p.sql(t, "DO $$ BEGIN WHILE (SELECT last_archived_wal IS NULL OR last_archived_wal < segment FROM pg_stat_archiver, public.waits) LOOP"+
		" PERFORM pg_stat_clear_snapshot(), pg_sleep(0.01); END LOOP; END $$")
}

// thief starts a server on a copy and opens the service there, with the clock set
// back.
func (p physical) thief(t *testing.T, of postgrestest.Backup, point string) *vaulttest.Kit {
	t.Helper()
	return p.restored(t, of, point).open(t, "service", p.root, false)
}

func (p physical) restored(t *testing.T, of postgrestest.Backup, point string) dumps {
	t.Helper()
	server, err := of.Restore(point)
	vaulttest.Want(t, "Restore("+filepath.Base(of.Folder)+", "+point+")", err, nil)
	t.Cleanup(func() { vaulttest.Want(t, "Stop()", server.Stop(), nil) })
	return dumps{server, p.bin}
}

// The attack: a thief has the links, the root key, and physical copies of the
// database with its archived WAL, each from another moment. He starts servers on
// them, recovers to any point in time, and searches the files for what is in dead
// rows and free space. What was revealed, burned or has expired opens as long as
// one of these holds its epoch's key. From what is kept after that nothing opens,
// though the shares and records are still there, in dead rows.
func TestTheftOfPhysicalCopies(t *testing.T) {
	t.Parallel()
	p := newPhysical(t)
	empty := p.backup(t, "empty")
	short, long := secret.Terms{TTL: new(time.Hour)}, secret.Terms{TTL: new(6 * time.Hour)}
	// The key of what waits is stored first: vacuum then moves no other row to
	// where the deleted key was.
	waits, revealed := p.MustConceal(t, caller.Caller{}, vaulttest.Plaintext, long), p.MustConceal(t, caller.Caller{}, vaulttest.Plaintext, short)
	burned, expired := p.MustConceal(t, caller.Caller{}, vaulttest.Plaintext, short), p.MustConceal(t, caller.Caller{}, vaulttest.Plaintext, short)
	ended, all := []secret.Concealed{revealed, burned, expired}, []secret.Concealed{revealed, burned, expired, waits}
	var parts []pieces
	for _, of := range ended {
		parts = append(parts, piecesOf(t, p.Kit, of))
	}
	p.restorePoint(t, "shared")
	shared := p.backup(t, "shared")
	vaulttest.Want(t, "RevealSecret()", p.MustReveal(t, caller.Caller{}, revealed.Secret.Key, ""), vaulttest.Plaintext)
	p.MustBurn(t, caller.Caller{}, burned.Metadata.Key, "")
	opened := p.backup(t, "opened")
	sweepAfter(t, p.Kit, 2*time.Hour+5*time.Minute)
	wantEpochs(t, p.Store, 1) // that of what waits
	deleted := p.backup(t, "deleted")
	p.sql(t, "VACUUM hush.record_epoch")
	p.sql(t, "CHECKPOINT")
	vacuumed := p.backup(t, "vacuumed")
	p.sql(t, "VACUUM FULL hush.record_epoch")
	rewritten := p.backup(t, "rewritten")
	p.restorePoint(t, "last")

	for _, k := range []*vaulttest.Kit{p.thief(t, empty, "shared"), p.thief(t, shared, "")} {
		for _, of := range all {
			vaulttest.Want(t, "RevealSecret(copy from before)", k.MustReveal(t, caller.Caller{}, of.Secret.Key, ""), vaulttest.Plaintext)
		}
	}
	k := p.thief(t, opened, "")
	for _, of := range []secret.Concealed{revealed, burned} {
		err := vaulttest.RevealErr(t, k, caller.Caller{}, of.Secret.Key.Expose(), "")
		vaulttest.WantErr(t, "RevealSecret(copy from after)", err, refusal.ErrNotFound)
	}
	vaulttest.Want(t, "a copy from before contains the record", holds(t, opened.Folder, parts[0].sealed()), true)
	for _, part := range parts {
		for what, folder := range map[string]string{
			"a copy from before the key was deleted": opened.Folder,
			"a copy with the dead row of the key":    deleted.Folder,
			"the archive":                            p.server.Archive(),
		} {
			part.wantIn(t, what, folder, true)
		}
		text, err := part.open(p.root)
		vaulttest.Want(t, "opening what the files contain", err, nil)
		vaulttest.Want(t, "text", text, vaulttest.Plaintext)
	}
	t.Logf("a copy from after VACUUM contains the epoch key in free space: %t", holds(t, vacuumed.Folder, parts[0].epoch))
	log := filepath.Join(p.server.Folder(), "log")
	vaulttest.Want(t, "the log of statements contains the epoch key", holds(t, log, []byte(hex.EncodeToString(parts[0].epoch))), true)
	p.wantNothingWithoutRootKey(t, shared, parts)

	// The retention of everything from before the last copy ends.
	vaulttest.Want(t, "TrimArchive()", rewritten.TrimArchive(), nil)
	for _, part := range parts {
		part.wantIn(t, "a copy from after the table of keys was rewritten", rewritten.Folder, false)
		vaulttest.Want(t, "the trimmed archive contains the epoch key", holds(t, p.server.Archive(), part.epoch), false)
		_, err := part.unseal(seal.NewKeys(p.root), part.share)
		vaulttest.WantErr(t, "opening without the epoch key", err, seal.ErrSealBroken)
	}
	last := p.thief(t, rewritten, "last")
	for _, of := range ended {
		err := vaulttest.RevealErr(t, last, caller.Caller{}, of.Secret.Key.Expose(), "")
		vaulttest.WantErr(t, "RevealSecret(last copy)", err, refusal.ErrNotFound)
	}
	vaulttest.Want(t, "RevealSecret(what waits in the last copy)", last.MustReveal(t, caller.Caller{}, waits.Secret.Key, ""), vaulttest.Plaintext)
}

// wantNothingWithoutRootKey tries a copy from before anything ended, with all
// links and another root key.
func (p physical) wantNothingWithoutRootKey(t *testing.T, of postgrestest.Backup, parts []pieces) {
	t.Helper()
	other := seal.NewRootKey()
	store, backend := p.restored(t, of, "").openStore(t, "service")
	_, err := vault.Open(t.Context(), vault.Options{Store: store, Shares: backend, Keys: seal.NewKeys(other), Now: p.Clock.Now})
	vaulttest.WantErr(t, "Open(copy, other root key)", err, seal.ErrWrongRootKey)
	for _, part := range parts {
		_, err := part.open(other)
		vaulttest.WantErr(t, "opening with another root key", err, seal.ErrSealBroken)
	}
}
