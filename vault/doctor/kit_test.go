package doctor_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"hush/resolver"
	"hush/resolver/resolvertest"
	"hush/seal"
	"hush/storage"
	"hush/storage/blobfile"
	"hush/storage/bolt"
	"hush/storage/bolt/offline"
	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/doctor"
	"hush/vault/feedback"
	"hush/vault/outbox"
	"hush/vault/place"
	"hush/vault/receipt"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// folder is a stopped data folder that was filled through the vault, or a store
// that nodes may serve.
type folder struct {
	dir   string
	store storage.Store // nil for a folder
	root  seal.RootKey
	now   time.Time
}

// fill fills a folder so that every bucket that a folder can have has rows, with
// receipts in every state.
func fill(t *testing.T) folder {
	t.Helper()
	k := filled(t, true)
	k.Close(t)
	return folder{dir: k.Dir, root: k.RootKey, now: k.Clock.Now()}
}

// filled returns a vault that was filled, in a folder or on the store of this run.
func filled(t *testing.T, inFolder bool) *vaulttest.Kit {
	t.Helper()
	dns := resolvertest.New(t)
	r, err := resolver.New(dns.Addr)
	vaulttest.Want(t, "resolver.New()", err, nil)
	k := vaulttest.New(t, vaulttest.Options{
		Folder: inFolder, Manual: true, Host: "hush.example.org", Resolver: r, Policy: caller.Policy{ChallengeAbove: 1000, Requests: caller.RequestsAnyone},
		Send: func(context.Context, outbox.Mail) error { return nil },
	})
	ctx, stranger := t.Context(), vaulttest.Caller(7)
	m := &vaulttest.Member{Kit: k}
	expired := k.MustConceal(t, stranger, vaulttest.Plaintext, secret.Terms{TTL: new(25 * time.Minute)})
	for range 30 { // so that the clock does not leap
		k.Clock.Advance(time.Minute)
		k.MustSweep(t)
	}
	vaulttest.WantState(t, k, expired.Metadata.Key, receipt.StateExpired)

	m.ID = m.AddAccount(t, vaulttest.MemberAddress, vaulttest.Password)
	member := m.MustAuthenticate(t, vaulttest.BySession(m.SignIn(t, true).Cookie))
	m.MustToken(t, member, credential.NewToken{Name: "lasting"})
	m.MustToken(t, member, credential.NewToken{Name: "short", TTL: new(time.Hour)})
	plain := k.MustConceal(t, stranger, vaulttest.Plaintext, secret.Terms{})
	guarded := k.MustConceal(t, stranger, vaulttest.Plaintext, secret.Terms{Passphrase: vaulttest.Passphrase})
	burned := k.MustConceal(t, stranger, vaulttest.Plaintext, secret.Terms{})
	opened := k.MustConceal(t, stranger, vaulttest.Plaintext, secret.Terms{})
	k.MustConceal(t, member, vaulttest.Plaintext, secret.Terms{Recipients: []string{"friend@example.com"}, TTL: new(100 * time.Hour)})
	vaulttest.RevealErr(t, k, stranger, guarded.Secret.Key.Expose(), "wrong")
	k.MustReveal(t, stranger, opened.Secret.Key, "")
	k.MustRevealClaimed(t, k.MustConceal(t, stranger, vaulttest.Plaintext, secret.Terms{}).Secret.Key, vaulttest.Claim(1))
	k.MustBurn(t, stranger, burned.Metadata.Key, "")
	asked := k.MustAsk(t, member, 5)
	k.MustAnswer(t, stranger, asked, vaulttest.Plaintext)
	k.MustBurn(t, stranger, k.MustAnswer(t, stranger, asked, vaulttest.Plaintext).Metadata.Key, "")
	claimed := k.MustAnswer(t, stranger, asked, vaulttest.Plaintext)
	_, err = k.OpenAnswer(t, member, asked, vaulttest.AnswerOf(t, k.MustCollect(t, member, asked), claimed), vaulttest.Claim(2))
	vaulttest.Want(t, "OpenAnswer()", err, nil)
	k.MustAsk(t, stranger, 1)
	k.MustMetadata(t, stranger, plain.Metadata.Key)
	_, err = k.Vault.Sessions.CreateSession(ctx, stranger, vaulttest.MemberAddress, "wrong password", false)
	vaulttest.Want(t, "CreateSession(wrong password) fails", err != nil, true)
	vaulttest.Want(t, "RequestPasswordReset()", k.Vault.SignUps.RequestPasswordReset(ctx, stranger, vaulttest.MemberAddress), nil)

	d, err := k.Vault.Domains.AddDomain(ctx, member, "secrets.example.com")
	vaulttest.Want(t, "AddDomain()", err, nil)
	dns.SetTXT(d.TXTHost+"."+d.Base, d.TXTValue)
	_, err = k.Vault.Checks.VerifyDomain(ctx, member, d.Name)
	vaulttest.Want(t, "VerifyDomain()", err, nil)
	var logo bytes.Buffer
	vaulttest.Want(t, "png.Encode()", png.Encode(&logo, image.NewNRGBA(image.Rect(0, 0, 40, 20))), nil)
	_, _, err = k.Vault.Domains.UpdateDomainLogo(ctx, member, d.Name, 1, logo.Bytes())
	vaulttest.Want(t, "UpdateDomainLogo()", err, nil)

	vaulttest.MustFeedback(t, k, member, "well done")
	vaulttest.MustException(t, k, stranger, feedback.Exception{Message: "it broke", Type: "Error", URL: "https://hush.example.org/"})
	payload := vaulttest.MustSolve(t, k, "").Payload(t)
	vaulttest.Want(t, "Spend()", k.Vault.Challenges.Spend(ctx, payload, "", k.Clock.Now()), nil)
	vaulttest.Want(t, "Import()", k.Vault.Places.Import(ctx, []place.Place{{Name: "Oslo", Latitude: 59.9, Altitude: 12}}, false), nil)
	if k.Blobs != nil {
		fillFiles(t, k)
	}
	vaulttest.AwaitShred(t, k)
	return k
}

// fillFiles adds files: one that arrives, one that waits, one with a claim, and one that is
// gone, whose blob is still to be removed.
func fillFiles(t *testing.T, k *vaulttest.Kit) {
	t.Helper()
	const size = 400
	arriving := k.BeginFile(t, vaulttest.Caller(7), size)
	vaulttest.Want(t, "PutPart()", arriving.Put(t, 0), nil)
	k.BeginFile(t, vaulttest.Caller(7), size).Send(t)
	k.BeginFile(t, vaulttest.Caller(7), size).Send(t).MustOpen(t)
	k.MustBurn(t, vaulttest.Caller(7), k.BeginFile(t, vaulttest.Caller(7), size).Send(t).Receipt, "")
}

// lens looks at the blobs of a folder.
func (f folder) lens() blobfile.Lens { return blobfile.Lens(filepath.Join(f.dir, "files")) }

// copied returns a copy of a folder.
func (f folder) copied(t *testing.T) folder {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	vaulttest.Want(t, "CopyFS()", os.CopyFS(dir, os.DirFS(f.dir)), nil)
	vaulttest.Want(t, "Chmod()", os.Chmod(dir, 0o700), nil)
	f.dir = dir
	return f
}

// examine examines a folder as "hush admin doctor" does.
func (f folder) examine(t *testing.T) *doctor.Findings {
	t.Helper()
	found := doctor.NewFindings()
	if f.store != nil {
		opts := doctor.Options{Store: f.store, Served: true, Keys: seal.NewKeys(f.root), Now: f.now, Findings: found}
		vaulttest.Want(t, "Examine()", doctor.Examine(t.Context(), opts), nil)
		return found
	}
	i, err := offline.Inspect(f.dir)
	vaulttest.Want(t, "Inspect()", err, nil)
	defer func() { vaulttest.Want(t, "Inspection.Close()", i.Close(), nil) }()
	if err := i.OpenDatabase(t.Context(), nil); err != nil {
		found.Note(doctor.CodeDatabase, err.Error())
		return found
	}
	opts := doctor.Options{Store: i, Blobs: f.lens(), Keys: seal.NewKeys(f.root), Now: f.now, Findings: found}
	if slots, err := i.OpenShares(t.Context()); err != nil {
		found.Note(doctor.CodeShares, err.Error())
	} else if opts.Slots = slots; slots.Torn > 0 {
		found.Note(doctor.CodeSharesTorn, "")
	}
	opts.Names, err = i.Buckets()
	vaulttest.Want(t, "Buckets()", err, nil)
	vaulttest.Want(t, "Examine()", doctor.Examine(t.Context(), opts), nil)
	return found
}

// wantCodes fails the test unless a folder has exactly these findings that are
// more than ordinary.
func (f folder) wantCodes(t *testing.T, want ...doctor.Code) {
	t.Helper()
	var got []doctor.Code
	groups := f.examine(t).Groups()
	for _, g := range groups {
		if g.Level > doctor.LevelInfo && !slices.Contains(got, g.Code) {
			got = append(got, g.Code)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("Examine(): got %q, want %q", got, want)
		for _, g := range groups {
			t.Logf("%s %s %s: %v", g.Level, g.Code, g.Bucket, g.Places)
		}
	}
}

// edit changes rows behind the vault's back.
func (f folder) edit(t *testing.T, change func(tx storage.Tx) error) {
	t.Helper()
	if f.store != nil {
		vaulttest.Want(t, "Update()", f.store.Update(t.Context(), change), nil)
		return
	}
	opened, err := bolt.OpenFolder(f.dir)
	vaulttest.Want(t, "OpenFolder()", err, nil)
	store, _, err := opened.Open(bolt.Options{Small: true})
	vaulttest.Want(t, "Folder.Open()", err, nil)
	vaulttest.Want(t, "Update()", store.Update(t.Context(), change), nil)
	vaulttest.Want(t, "Folder.Close()", opened.Close(), nil)
}

// put sets rows of a bucket: pairs of key and value, and nil to delete.
func (f folder) put(t *testing.T, bucket string, pairs ...[]byte) {
	t.Helper()
	f.edit(t, func(tx storage.Tx) error {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i+1] == nil {
				if err := tx.Delete(bucket, pairs[i]); err != nil {
					return err
				}
			} else if err := tx.Put(bucket, pairs[i], pairs[i+1]); err != nil {
				return err
			}
		}
		return nil
	})
}

// row is a row of a bucket.
type row struct{ key, value []byte }

// rows returns the rows of a bucket.
func (f folder) rows(t *testing.T, bucket string) (list []row) {
	t.Helper()
	f.edit(t, func(tx storage.Tx) error {
		list = nil
		return tx.Range(bucket, nil, nil, func(key, value []byte) error {
			list = append(list, row{slices.Clone(key), append([]byte{}, value...)})
			return nil
		})
	})
	if len(list) == 0 {
		t.Fatalf("bucket %q: got no row, want some to damage", bucket)
	}
	return list
}

// slotOf returns the slot in a stored secret.
func slotOf(record []byte) storage.Slot {
	return storage.Slot{Number: binary.BigEndian.Uint64(record[1:]), Generation: binary.BigEndian.Uint64(record[9:])}
}

// flip changes a bit of a file.
func (f folder) flip(t *testing.T, name string, at int64) {
	t.Helper()
	file, err := os.OpenFile(filepath.Join(f.dir, name), os.O_RDWR, 0)
	vaulttest.Want(t, "OpenFile("+name+")", err, nil)
	defer file.Close()
	b := make([]byte, 1)
	_, err = file.ReadAt(b, at)
	vaulttest.Want(t, "ReadAt("+name+")", err, nil)
	b[0] ^= 1
	_, err = file.WriteAt(b, at)
	vaulttest.Want(t, "WriteAt("+name+")", err, nil)
}
