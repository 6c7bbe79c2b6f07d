package vault_test

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"hush/seal/chunked"
	"hush/storage"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/vaulttest"
)

// fileVictim is a vault with a file, and copies of its folder at each step of the file.
type fileVictim struct {
	*vaulttest.Kit
	f                                            *vaulttest.File
	canary                                       []byte // that the content has
	claimed                                      caller.Text
	first, upload, secret                        [storage.ShareSize]byte // shares: of the upload before it began anew, then of what is named so
	arriving, restarted, finished, leasing, gone string
	firstSecret                                  [storage.ShareSize]byte
}

func newFileVictim(t *testing.T) *fileVictim {
	t.Helper()
	v := &fileVictim{Kit: vaulttest.New(t, vaulttest.Options{Manual: true, Folder: true}), canary: make([]byte, 48)}
	_, _ = rand.Read(v.canary)
	v.f = v.BeginFile(t, caller.Caller{}, int(chunked.SealedSize(1000)))
	copy(v.f.Content[100:], v.canary)
	vaulttest.Want(t, "PutPart()", v.f.Put(t, 0), nil)
	v.first, v.firstSecret = v.uploadShare(t), vaulttest.ShareOf(t, v.Kit, v.f.Key)
	v.arriving = v.CopyDir(t)

	hash := v.f.ProofHash()
	_, err := v.Vault.Uploads.Restart(t.Context(), v.f.Key.Expose(), v.f.Token, caller.Text(hash[:]))
	vaulttest.Want(t, "Restart()", err, nil)
	v.f.Content[0] ^= 1
	vaulttest.Want(t, "PutPart()", v.f.Put(t, 0), nil)
	v.upload, v.secret = v.uploadShare(t), vaulttest.ShareOf(t, v.Kit, v.f.Key)
	v.restarted = v.CopyDir(t)

	vaulttest.Want(t, "Finish()", v.f.Finish(t), nil)
	v.finished = v.CopyDir(t)
	v.claimed = v.f.MustOpen(t)
	v.leasing = v.CopyDir(t)
	v.MustAcknowledge(t, v.f.Key, v.claimed)
	vaulttest.Want(t, "Remove()", v.Vault.Files.Remove(t.Context()), nil)
	v.gone = v.CopyDir(t)
	return v
}

// uploadShare returns the share of the only upload.
func (v *fileVictim) uploadShare(t *testing.T) [storage.ShareSize]byte {
	t.Helper()
	slots, err := v.Vault.Files.Slots(t.Context())
	vaulttest.Want(t, "Slots()", err, nil)
	vaulttest.Want(t, "uploads", len(slots), 1)
	share, err := v.Shares.Get(t.Context(), slots[0])
	vaulttest.Want(t, "Get(share)", err, nil)
	return share
}

// thief opens a copy of the folder with the root key.
func (v *fileVictim) thief(t *testing.T, dir string) *vaulttest.Kit {
	t.Helper()
	return vaulttest.New(t, vaulttest.Options{Manual: true, Dir: dir, RootKey: &v.RootKey})
}

// mixed returns a copy of the folder as it was late, with the database and the blobs of an
// earlier one.
func mixed(t *testing.T, early, late string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "mixed")
	vaulttest.Want(t, "CopyFS(late)", os.CopyFS(dir, os.DirFS(late)), nil)
	vaulttest.Want(t, "Chmod(mixed)", os.Chmod(dir, 0o700), nil)
	vaulttest.Want(t, "RemoveAll(blobs)", os.RemoveAll(filepath.Join(dir, "files")), nil)
	vaulttest.Want(t, "CopyFS(early blobs)", os.CopyFS(filepath.Join(dir, "files"), os.DirFS(filepath.Join(early, "files"))), nil)
	database, err := os.ReadFile(filepath.Join(early, "hush.db"))
	vaulttest.Want(t, "ReadFile(early database)", err, nil)
	vaulttest.Want(t, "WriteFile(early database)", os.WriteFile(filepath.Join(dir, "hush.db"), database, 0o600), nil)
	return dir
}

func isClosed(err error) bool {
	return errors.Is(err, refusal.ErrNotFound) || errors.Is(err, rows.ErrInconsistent)
}

// of returns the victim's file as a thief has it who knows all that its sender and its
// recipient know.
func (v *fileVictim) of(k *vaulttest.Kit) *vaulttest.File { return v.f.At(k) }

// The attack: the thief has the folder, at any step. No file in it has the content as the
// device sent it, the upload token, the claim, a proof or the key of the link.
func TestFileTheftOfTheFolder(t *testing.T) {
	t.Parallel()
	v := newFileVictim(t)
	for step, dir := range map[string]string{"arriving": v.arriving, "restarted": v.restarted, "finished": v.finished, "leasing": v.leasing, "gone": v.gone} {
		files := vaulttest.FolderBytes(t, dir)
		for name, canary := range map[string][]byte{
			"content": v.canary, "preview": v.f.Preview[:48], "token": v.f.Token[:], "claim": []byte(v.claimed), "link proof": v.f.Proofs[0][:], "proof": v.f.Proofs[1][:],
			"key": []byte(v.f.Key.Expose()[:25]),
		} {
			for _, form := range vaulttest.Spellings(string(canary)) {
				vaulttest.Want(t, step+" folder holds a "+name, bytes.Contains(files, []byte(form)), false)
			}
		}
	}
}

// The attack: the thief has the root key, the key in the link, the upload token and the folder
// from any step, but not the rest of the link. The token opens the parts while they arrive,
// which are encrypted by the device; afterwards nothing does.
func TestFileTheftByTheOperator(t *testing.T) {
	t.Parallel()
	v := newFileVictim(t)
	for step, dir := range map[string]string{"restarted": v.restarted, "finished": v.finished} {
		f := v.of(v.thief(t, dir))
		f.Proofs = [2][32]byte{}
		_, err := f.Open(t, vaulttest.Claim(9))
		vaulttest.WantErr(t, "RevealSecret("+step+", no proof)", err, refusal.ErrLink)
	}
	f := v.of(v.thief(t, v.leasing))
	_, err := f.Get(t, vaulttest.Claim(9), 0)
	vaulttest.WantErr(t, "GetPart(another claim)", err, refusal.ErrNotFound)
}

// The attack: the thief has the whole link, the root key, the upload token and the folder,
// from before the end. The file opens, unseen, while it waits; during a lease only for who
// has the claim.
func TestFileTheftOfEverythingBefore(t *testing.T) {
	t.Parallel()
	v := newFileVictim(t)
	f := v.of(v.thief(t, v.restarted))
	vaulttest.Want(t, "Finish(copy)", f.Finish(t), nil)
	f.WantContent(t, f.MustOpen(t))
	f = v.of(v.thief(t, v.finished))
	f.WantContent(t, f.MustOpen(t))
	f = v.of(v.thief(t, v.leasing))
	_, err := f.Open(t, vaulttest.Claim(9))
	vaulttest.WantErr(t, "RevealSecret(copy during the lease)", err, refusal.ErrNotFound)
	f.WantContent(t, v.claimed)
}

// The attack: the thief has everything, the claim as well, but the folder was copied after the
// end; or its shares were, and the database and all parts are from before. The shares are
// gone, and nothing opens.
func TestFileTheftOfEverythingAfter(t *testing.T) {
	t.Parallel()
	v := newFileVictim(t)
	files := vaulttest.FolderBytes(t, v.gone)
	for name, share := range map[string][storage.ShareSize]byte{"first upload": v.first, "first secret": v.firstSecret, "upload": v.upload, "secret": v.secret} {
		vaulttest.Want(t, "share of the "+name+" is in a file", bytes.Contains(files, share[:]), false)
	}
	for _, dir := range []string{v.gone, mixed(t, v.arriving, v.gone), mixed(t, v.restarted, v.gone), mixed(t, v.finished, v.gone), mixed(t, v.leasing, v.gone)} {
		f := v.of(v.thief(t, dir))
		_ = f.Finish(t) // a row may still say that it arrives
		_, err := f.Open(t, vaulttest.Claim(9))
		vaulttest.Want(t, "RevealSecret(ended) is refused", err != nil, true)
		_, err = f.Get(t, v.claimed, 0)
		vaulttest.Want(t, "GetPart(ended) is refused", isClosed(err), true)
	}
}

// The attack: the thief has everything, and the folder from after the upload began anew, with
// the database and the parts from before. The first attempt opens no more: nothing but its
// shares does, and they are gone. After the end of the upload the token opens nothing either.
func TestFileTheftAfterStepsOfTheUpload(t *testing.T) {
	t.Parallel()
	v := newFileVictim(t)
	files := vaulttest.FolderBytes(t, v.restarted)
	vaulttest.Want(t, "share of the first upload is in a file", bytes.Contains(files, v.first[:]), false)
	vaulttest.Want(t, "share of the first secret is in a file", bytes.Contains(files, v.firstSecret[:]), false)
	vaulttest.Want(t, "share of the upload is in a file", bytes.Contains(files, v.upload[:]), true)
	f := v.of(v.thief(t, mixed(t, v.arriving, v.restarted)))
	if err := f.Finish(t); err == nil {
		_, err := f.Open(t, vaulttest.Claim(9))
		vaulttest.Want(t, "RevealSecret(first attempt) is refused", err != nil, true)
	}
	files = vaulttest.FolderBytes(t, v.finished)
	vaulttest.Want(t, "share of the finished upload is in a file", bytes.Contains(files, v.upload[:]), false)
	vaulttest.Want(t, "share of the finished secret is in a file", bytes.Contains(files, v.secret[:]), true)
	files = vaulttest.FolderBytes(t, v.leasing)
	vaulttest.Want(t, "share of the opened secret is in a file", bytes.Contains(files, v.secret[:]), false)
}

// The attack: the thief compares all parts that ever lay in a folder. No two of them have the
// same nonce.
func TestFilePartsShareNoNonce(t *testing.T) {
	t.Parallel()
	v := newFileVictim(t)
	seen := map[string][sha256.Size]byte{}
	for _, dir := range []string{v.arriving, v.restarted, v.finished, v.leasing, v.gone} {
		names, err := os.ReadDir(filepath.Join(dir, "files"))
		vaulttest.Want(t, "ReadDir(files)", err, nil)
		for _, name := range names {
			blob, err := os.ReadFile(filepath.Join(dir, "files", name.Name()))
			vaulttest.Want(t, "ReadFile(blob)", err, nil)
			part := blob[4096:]
			digest, nonce := sha256.Sum256(part), string(part[:12])
			if before, there := seen[nonce]; there && before != digest {
				t.Errorf("nonce of two parts: got the same, want others")
			}
			seen[nonce] = digest
		}
	}
	vaulttest.Want(t, "parts that were written", len(seen), 2)
}
