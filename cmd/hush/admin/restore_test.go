package admin_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"hush/backup"
	"hush/cli/console"
	"hush/cmd/hush/admin"
	"hush/seal"
	"hush/server/datafolder"
	"hush/server/settings"
	"hush/storage"
	"hush/storage/bolt"
	"hush/storage/sharefile"
	"hush/storage/spentlog"
	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/shares"
	"hush/vault/spent"
	"hush/vault/vaulttest"
)

// scene is a service with a spent log, and a backup of it.
type scene struct {
	*vaulttest.Kit
	spent, backup string
	member        *vaulttest.Member
	token         seal.APIToken

	waits, opened, burned, racing secret.Concealed
}

// newScene makes a backup in which everything waits, and then ends what is to
// have ended. One secret is opened between the rows and the shares of the backup.
func newScene(t *testing.T) *scene {
	t.Helper()
	s := &scene{spent: filepath.Join(t.TempDir(), "spent"), backup: filepath.Join(t.TempDir(), "backup")}
	s.Kit = vaulttest.New(t, vaulttest.Options{SpentLog: s.spent, Start: time.Now(), Manual: true})
	s.member = &vaulttest.Member{Kit: s.Kit}
	s.member.ID = s.member.AddAccount(t, vaulttest.MemberAddress, vaulttest.Password)
	in := s.member.MustAuthenticate(t, vaulttest.BySession(s.member.SignIn(t, false).Cookie))
	s.token = s.member.MustToken(t, in, credential.NewToken{Name: "one"})
	for _, c := range []*secret.Concealed{&s.waits, &s.opened, &s.burned, &s.racing} {
		*c = s.MustConceal(t, caller.Caller{}, vaulttest.Plaintext, secret.Terms{})
	}
	s.back(t, func() { s.MustReveal(t, caller.Caller{}, s.racing.Secret.Key, "") })
	s.MustReveal(t, caller.Caller{}, s.opened.Secret.Key, "")
	s.MustBurn(t, caller.Caller{}, s.burned.Metadata.Key, "")
	_, err := s.Vault.Credentials.RevokeToken(t.Context(), s.member.ID, credential.TokenNamed("one"))
	vaulttest.Want(t, "RevokeToken()", err, nil)
	return s
}

// back writes the backup. between runs after its rows were read.
func (s *scene) back(t *testing.T, between func()) {
	t.Helper()
	id, sequence := s.SpentLog.Position()
	header := backup.Header{Format: 1, Release: "0.1.0", Time: time.Now(), Spent: &backup.Position{Log: backup.ID(id), Sequence: sequence}}
	var out bytes.Buffer
	w, err := backup.NewWriter(&out, header)
	vaulttest.Want(t, "NewWriter()", err, nil)
	store, shares := s.Store.(*bolt.Store), s.Shares.(*sharefile.File)
	err = store.Snapshot(t.Context(), func(all *bolt.Snapshot) error { return all.Rows(t.Context(), w.Row) })
	vaulttest.Want(t, "Snapshot()", err, nil)
	between()
	extent, err := shares.Live(t.Context(), func(slot storage.Slot, share [storage.ShareSize]byte) error { return w.Slot(slot, share) })
	vaulttest.Want(t, "Live()", err, nil)
	_, err = w.End(extent.Slots, extent.Generation)
	vaulttest.Want(t, "End()", err, nil)
	vaulttest.Want(t, "WriteFile()", os.WriteFile(s.backup, out.Bytes(), 0o600), nil)
}

// lose stops the service, and makes an empty folder with its root key.
func (s *scene) lose(t *testing.T) (dir string) {
	t.Helper()
	s.Close(t)
	dir = filepath.Join(t.TempDir(), "restored")
	vaulttest.Want(t, "Mkdir()", errors.Join(os.Mkdir(dir, 0o700),
		os.WriteFile(filepath.Join(dir, datafolder.RootKeyName), s.RootKey.Text(), 0o400)), nil)
	return dir
}

// restoring runs "hush admin restore" and returns what it told.
func (s *scene) restoring(ctx context.Context, dir string, args ...string) (told string, err error) {
	var out bytes.Buffer
	c := admin.Command(&console.Console{In: strings.NewReader(""), Out: &out, Err: &out}, "", settings.NewReader(nil))
	c.SetArgs(append([]string{"restore", s.backup, "--data", dir}, args...))
	c.SetContext(ctx)
	c.SilenceErrors, c.SilenceUsage = true, true
	err = c.Execute()
	return out.String(), err
}

// served opens the restored folder as a service does.
func (s *scene) served(t *testing.T, dir, spent string) *vaulttest.Kit {
	t.Helper()
	return vaulttest.New(t, vaulttest.Options{Dir: dir, RootKey: &s.RootKey, SpentLog: spent, Start: s.Clock.Now(), Manual: true})
}

func wantGone(t *testing.T, k *vaulttest.Kit, c secret.Concealed, state receipt.State) {
	t.Helper()
	vaulttest.WantErr(t, "RevealSecret()", vaulttest.RevealErr(t, k, caller.Caller{}, c.Secret.Key.Expose(), ""), refusal.ErrNotFound)
	vaulttest.WantState(t, k, c.Metadata.Key, state)
}

// What waited opens once, and nothing that has ended comes back.
func TestRestore(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	dir := s.lose(t)
	told, err := s.restoring(t.Context(), dir, "--spent-log", s.spent)
	if err != nil {
		t.Fatalf("hush admin restore: got %v, want nil; it told:\n%s", err, told)
	}
	for _, want := range []string{"1 secret can be opened; 3 had ended since", "1 API token and 0 accounts", "1 session, 0 mailed links"} {
		if !strings.Contains(told, want) {
			t.Errorf("hush admin restore: got %q, want %q in it", told, want)
		}
	}
	k := s.served(t, dir, s.spent)
	wantGone(t, k, s.opened, receipt.StateReceived)
	wantGone(t, k, s.burned, receipt.StateBurned)
	wantGone(t, k, s.racing, receipt.StateReceived)
	_, err = k.Vault.Sessions.Authenticate(t.Context(), caller.Network{}, vaulttest.ByToken(s.token))
	vaulttest.WantErr(t, "Authenticate(revoked token)", err, refusal.ErrUnauthenticated)
	vaulttest.Want(t, "RevealSecret()", k.MustReveal(t, caller.Caller{}, s.waits.Secret.Key, ""), vaulttest.Plaintext)
	k.Close(t)

	// The same backup once more: what ended in between stays so, too.
	again := s.lose(t)
	if told, err := s.restoring(t.Context(), again, "--spent-log", s.spent); err != nil {
		t.Fatalf("hush admin restore (again): got %v, want nil; it told:\n%s", err, told)
	}
	wantGone(t, s.served(t, again, s.spent), s.waits, receipt.StateReceived)
}

// Without a log that tells everything since, the operator must choose.
func TestRestoreRefusesWithoutTheLog(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	dir := s.lose(t)
	other := filepath.Join(t.TempDir(), "other")
	vaulttest.New(t, vaulttest.Options{SpentLog: other, Manual: true}).Close(t)
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"none":    {nil, "--burn-all"},
		"off":     {[]string{"--spent-log=off"}, "--accept-resurrection"},
		"missing": {[]string{"--spent-log", filepath.Join(dir, "nothing")}, "there is no spent log"},
		"other":   {[]string{"--spent-log", other}, "belongs to other data"},
		"both":    {[]string{"--burn-all", "--accept-resurrection"}, "burn-all"},
	} {
		if _, err := s.restoring(t.Context(), dir, c.args...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("hush admin restore (%s): got %v, want %q in it", name, err, c.want)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("the folder after refusals: got %v and %v, want the root key alone", entries, err)
	}
}

// The operator's two choices do what they say.
func TestRestoreWithoutLog(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	burned, accepted := s.lose(t), s.lose(t)
	if told, err := s.restoring(t.Context(), burned, "--burn-all"); err != nil || !strings.Contains(told, "burned every secret: 4") {
		t.Fatalf("hush admin restore --burn-all: got %v, want nil; it told:\n%s", err, told)
	}
	k := s.served(t, burned, "")
	for _, c := range []secret.Concealed{s.waits, s.opened, s.burned, s.racing} {
		wantGone(t, k, c, receipt.StateBurned)
	}
	if told, err := s.restoring(t.Context(), accepted, "--accept-resurrection"); err != nil {
		t.Fatalf("hush admin restore --accept-resurrection: got %v, want nil; it told:\n%s", err, told)
	}
	k = s.served(t, accepted, "")
	for _, c := range []secret.Concealed{s.waits, s.opened, s.burned} {
		vaulttest.Want(t, "RevealSecret()", k.MustReveal(t, caller.Caller{}, c.Secret.Key, ""), vaulttest.Plaintext)
	}
	wantGone(t, k, s.racing, receipt.StateBurned) // its share was gone already
}

// Neither a wrong root key, nor a damaged backup, nor an interruption leaves
// anything but what was there.
func TestRestoreLeavesNothing(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	dir := s.lose(t)
	key := filepath.Join(t.TempDir(), "wrong.key")
	whole, err := os.ReadFile(s.backup)
	vaulttest.Want(t, "ReadFile()", errors.Join(err, os.WriteFile(key, seal.NewRootKey().Text(), 0o400)), nil)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	damaged := bytes.Clone(whole)
	damaged[len(damaged)-1] ^= 1
	for name, c := range map[string]struct {
		cancel  bool
		content []byte
		args    []string
		want    string
	}{
		"wrong key":   {false, whole, []string{"--root-key-file", key}, "the root key is not the one that the backup was made with; nothing was restored"},
		"no key":      {false, whole, []string{"--root-key-file", key + "2"}, "there is no root key file"},
		"damaged":     {false, damaged, nil, "the backup is damaged"},
		"cut":         {false, whole[:len(whole)/2], nil, "the backup is damaged"},
		"interrupted": {true, whole, nil, "interrupted; nothing"},
	} {
		vaulttest.Want(t, "WriteFile()", os.WriteFile(s.backup, c.content, 0o600), nil)
		ctx := t.Context()
		if c.cancel {
			ctx = cancelled
		}
		if _, err := s.restoring(ctx, dir, append(c.args, "--spent-log", s.spent)...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("hush admin restore (%s): got %v, want %q in it", name, err, c.want)
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
			t.Errorf("the folder after %s: got %v and %v, want the root key alone", name, entries, err)
		}
	}
	vaulttest.Want(t, "WriteFile()", os.WriteFile(s.backup, whole, 0o600), nil)
	if told, err := s.restoring(t.Context(), dir, "--spent-log", s.spent); err != nil {
		t.Errorf("hush admin restore (afterwards): got %v, want nil; it told:\n%s", err, told)
	}
}

// Root restores for the user of the service, on a disk whose spent log root has
// copied there. The service must be able to go on with both.
func TestRestoreLeavesFilesToTheirOwner(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("needs root: no other user gives files away")
	}
	const user = 12345
	for name, folders := range map[string]func(dir, log string) []string{
		"the log is the user's": func(dir, log string) []string { return []string{dir, log} },
		"the log is root's":     func(dir, _ string) []string { return []string{dir} },
	} {
		s := newScene(t)
		dir := s.lose(t)
		for _, folder := range folders(dir, s.spent) {
			vaulttest.Want(t, "Chown()", os.Chown(folder, user, user), nil)
		}
		if told, err := s.restoring(t.Context(), dir, "--spent-log", s.spent); err != nil {
			t.Fatalf("hush admin restore: got %v, want nil; it told:\n%s", err, told)
		}
		for _, folder := range []string{dir, s.spent} {
			wantOwner(t, name, folder, user)
		}
	}
}

// wantOwner fails the test unless a folder and all in it belong to a user.
func wantOwner(t *testing.T, name, folder string, user uint32) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		if stat, ok := info.Sys().(*syscall.Stat_t); !ok || stat.Uid != user {
			t.Errorf("owner of %s after a restore (%s): got %+v, want %d", path, name, info.Sys(), user)
		}
		return nil
	})
	vaulttest.Want(t, "WalkDir()", err, nil)
}

// looks is a context that is cancelled after some looks at it.
type looks struct {
	context.Context //nolint:containedctx // it is one
	left            atomic.Int64
}

func newLooks(n int) *looks {
	l := &looks{Context: context.Background()}
	l.left.Store(int64(n))
	return l
}

func (l *looks) Err() error {
	if l.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// The defect: a restore told the log that it replaces the data before it had replaced
// anything. Interrupted after that, it left neither: the old data was refused as
// replaced, and a later backup as one of data that was given up.
func TestRestoreTellsTheLogLast(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	dir := s.lose(t)
	old := s.Dir
	entries := func() uint64 {
		log, err := spentlog.Read(s.spent)
		vaulttest.Want(t, "spentlog.Read()", err, nil)
		return log.Last()
	}
	const opening = 3 // looks before the identity and the backup are open, and a folder begun
	before, interrupted := entries(), 0
	for n := 0; ; n++ {
		told, err := s.restoring(newLooks(n), dir, "--spent-log", s.spent)
		if err == nil {
			break
		}
		beforeAll := n < opening && errors.Is(err, console.ErrInterrupted)
		if interrupted++; !beforeAll && !strings.Contains(err.Error(), "interrupted; nothing is left") {
			t.Fatalf("hush admin restore (interrupted at look %d): got %v, want an interruption; it told:\n%s", n, err, told)
		}
		if got := entries(); got != before {
			t.Fatalf("entries of the log after an interruption at look %d: got %d, want %d", n, got, before)
		}
	}
	if got := entries(); got != before+1 || interrupted < 3 {
		t.Errorf("entries of the log after a restore, interrupted %d times: got %d, want %d", interrupted, got, before+1)
	}
	k := s.served(t, dir, s.spent)
	vaulttest.Want(t, "RevealSecret()", k.MustReveal(t, caller.Caller{}, s.waits.Secret.Key, ""), vaulttest.Plaintext)
	k.Close(t)
	opts := bolt.Options{Small: true}
	folder, err := bolt.OpenFolder(old)
	vaulttest.Want(t, "OpenFolder()", err, nil)
	defer folder.Close()
	store, _, err := folder.Open(opts)
	vaulttest.Want(t, "Open()", err, nil)
	log, err := spentlog.Open(s.spent, spentlog.Options{})
	vaulttest.Want(t, "spentlog.Open()", err, nil)
	defer log.Close()
	err = store.View(t.Context(), func(tx storage.Tx) error {
		r, err := spent.Check(tx, log)
		return errors.Join(err, spent.CheckAge(tx, log, r, shares.IsListed))
	})
	vaulttest.WantErr(t, "CheckAge(data that was replaced)", err, spent.ErrReplaced)
}
