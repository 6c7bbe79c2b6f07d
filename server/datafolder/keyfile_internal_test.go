package datafolder

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"hush/seal"
	"hush/server/settings"
)

// A process that ends at any step of adding a key leaves the old file, or the new
// one with all keys; what it leaves beside them does not matter.
func TestAddRootKey(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), RootKeyName)
	if err := WriteRootKey(path); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+unnamedSuffix, []byte("torn"), 0o400); err != nil { // of a process that was killed
		t.Fatal(err)
	}
	added := seal.NewRootKey()
	if err := AddRootKey(path, added); err != nil {
		t.Fatalf("AddRootKey(): got %v, want nil", err)
	}
	after, err := os.ReadFile(path)
	if want := slices.Concat(added.Text(), before); err != nil || !bytes.Equal(after, want) {
		t.Errorf("root.key: got %d bytes, %v, want the new line before the old one", len(after), err)
	}
	if _, err := os.Stat(path + unnamedSuffix); !os.IsNotExist(err) {
		t.Errorf("Stat(unnamed file): got %v, want that it is gone", err)
	}
	file := &keyFile{path: path, own: true}
	if removed, err := file.Remove(added.KID()); !removed || err != nil {
		t.Errorf("Remove(): got %t, %v, want true", removed, err)
	}
	if left, err := os.ReadFile(path); err != nil || !bytes.Equal(left, before) {
		t.Errorf("root.key after Remove(): got other bytes, %v, want those of before", err)
	}
	only, err := seal.ParseRootKeys(before)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.Remove(only[0].KID()); err == nil {
		t.Error("Remove(only key): got nil, want an error")
	}
}

// A file keeps its mode, and a file of the operator is never written.
func TestRootKeyFileOfTheOperator(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "key")
	if err := WriteRootKey(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o440); err != nil { // the group of a service may read it
		t.Fatal(err)
	}
	if err := AddRootKey(path, seal.NewRootKey()); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o440 {
		t.Errorf("Stat(): got %v, %v, want the mode 0440", info, err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file := &keyFile{path: path}
	keys := seal.NewKeys(seal.NewRootKey())
	if err := file.Create(keys); err == nil {
		t.Error("Create(file of the operator): got nil, want an error")
	}
	if removed, err := file.Remove(keys.KID()); removed || err != nil {
		t.Errorf("Remove(file of the operator): got %t, %v, want false", removed, err)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, before) {
		t.Errorf("file of the operator: got other bytes, %v, want it as it was", err)
	}
}

// Several programs add and remove keys at the same time, such as a rotation and "hush
// admin keygen --add". No key that was added is lost: something may be sealed with it
// already.
func TestKeyFileHasManyWriters(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), RootKeyName)
	if err := WriteRootKey(path); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	var kept [3]seal.RootKey
	for i := range kept {
		kept[i] = seal.NewRootKey()
		all.Go(func() {
			if err := AddRootKey(path, kept[i]); err != nil {
				t.Errorf("AddRootKey(): got %v, want nil", err)
			}
			file, passing := &keyFile{path: path, own: true}, seal.NewRootKey()
			for range 20 {
				if err := AddRootKey(path, passing); err != nil {
					t.Errorf("AddRootKey(): got %v, want nil", err)
				}
				if removed, err := file.Remove(passing.KID()); !removed || err != nil {
					t.Errorf("Remove(): got %t, %v, want true", removed, err)
				}
			}
		})
	}
	all.Wait()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	roots, err := seal.ParseRootKeys(content)
	if err != nil || len(roots) != 1+len(kept) {
		t.Fatalf("root.key: got %d keys, %v, want %d", len(roots), err, 1+len(kept))
	}
	for _, want := range kept {
		if !slices.ContainsFunc(roots, func(r seal.RootKey) bool { return r.KID() == want.KID() }) {
			t.Errorf("root.key: got no key %x, want it", want.KID())
		}
	}
}

// A key is added to the file behind a link. In a data folder that file is the
// operator's, who links it from somewhere else.
func TestKeyFileBehindALink(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	target, link := filepath.Join(folder, "keys", "the.key"), filepath.Join(folder, RootKeyName)
	if err := os.Mkdir(filepath.Dir(target), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(WriteRootKey(target), os.Symlink(filepath.Join("keys", "the.key"), link)); err != nil {
		t.Fatal(err)
	}
	if err := AddRootKey(link, seal.NewRootKey()); err != nil {
		t.Errorf("AddRootKey(link): got %v, want nil", err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("Lstat(root.key): got %v, %v, want the link", info, err)
	}
	if content, err := os.ReadFile(target); err != nil || bytes.Count(content, []byte("\n")) != 2 {
		t.Errorf("file behind the link: got %d bytes, %v, want two lines", len(content), err)
	}
	var s settings.Settings
	s.Data = folder
	if f := keyFileOf(&s); f.own {
		t.Error("keyFileOf(folder with a link): got a file of the folder's own, want one of the operator's")
	}
	s.RootKeyFile = target
	if f := keyFileOf(&s); f.own {
		t.Error("keyFileOf(--root-key-file): got a file of the folder's own, want one of the operator's")
	}
}

// A node finds the line that was added to its file. It does not read a file again that
// has not changed, and a file that cannot be read changes nothing.
func TestKeyFileRefresh(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "key")
	if err := WriteRootKey(path); err != nil {
		t.Fatal(err)
	}
	keys, _, err := readKeys(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	file := &keyFile{path: path}
	want := func(what string, n int) {
		t.Helper()
		file.Refresh(keys)
		if got := len(keys.Ring().KIDs()); got != n {
			t.Errorf("keys after %s: got %d, want %d", what, got, n)
		}
	}
	want("a file as it was", 1)
	before := file.seen
	edited, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	edited = append(edited, seal.NewRootKey().Text()...)
	if err := errors.Join(os.Chmod(path, 0o600), os.WriteFile(path, edited, 0o600)); err != nil {
		t.Fatal(err)
	}
	want("a line that an editor added in place", 2)
	for n := 3; n <= seal.RootKeysMost; n++ {
		if err := AddRootKey(path, seal.NewRootKey()); err != nil {
			t.Fatal(err)
		}
		want("another line", n)
	}
	// A new file may have the inode of an old one.
	if now, err := os.Stat(path); err != nil || file.seen.Size() != now.Size() || before.Size() == now.Size() {
		t.Errorf("file that was read: got one of %d bytes, want the last one", file.seen.Size())
	}
	if err := os.Chmod(path, 0o604); err != nil {
		t.Fatal(err)
	}
	want("a mode that all can read", seal.RootKeysMost)
	if _, err := file.Reload(keys); err == nil || !strings.Contains(err.Error(), "chmod 0400") {
		t.Errorf("Reload(file of mode 0604): got %v, want what to do", err)
	}
	text := make([]byte, 0, 65)
	text = append(text, seal.NewRootKey().Text()...)
	if err := errors.Join(os.Remove(path), os.WriteFile(path, text, 0o400)); err != nil {
		t.Fatal(err)
	}
	want("a ninth key", seal.RootKeysMost)
	if kids, err := file.Reload(keys); err != nil || len(kids) != 1 {
		t.Errorf("Reload(a ninth key): got %d keys, %v, want the one of the file", len(kids), err)
	}
	if err := errors.Join(os.Remove(path), os.WriteFile(path, []byte("# no key\n"), 0o400)); err != nil {
		t.Fatal(err)
	}
	want("a file without a key", seal.RootKeysMost)
}

// A file that others may read, a folder, and text that is no key are refused before
// anything is added, and stay as they are.
func TestAddRootKeyRefuses(t *testing.T) {
	t.Parallel()
	key := string(seal.NewRootKey().Text())
	full := key
	for range seal.RootKeysMost - 1 {
		full += string(seal.NewRootKey().Text())
	}
	for name, c := range map[string]struct {
		content string
		mode    os.FileMode
		want    string
	}{
		"others read it":  {key, 0o404, "every user of this machine may read"},
		"others write it": {key, 0o602, "every user of this machine may read"},
		"a comment":       {"# October\n" + key, 0o400, "64 hexadecimal digits"},
		"twice":           {key + key, 0o400, "the same root key twice"},
		"8 keys":          {full, 0o400, "it has 8 keys, and takes no more"},
		"empty":           {"", 0o400, "64 hexadecimal digits"},
	} {
		path := filepath.Join(t.TempDir(), "key")
		if err := errors.Join(os.WriteFile(path, []byte(c.content), 0o600), os.Chmod(path, c.mode)); err != nil {
			t.Fatal(err)
		}
		if err := AddRootKey(path, seal.NewRootKey()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("AddRootKey(%s): got %v, want %q", name, err, c.want)
		}
		if after, err := os.ReadFile(path); err != nil || string(after) != c.content {
			t.Errorf("AddRootKey(%s): got another file, %v, want it as it was", name, err)
		}
		if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
			t.Errorf("AddRootKey(%s): got %d files, %v, want one", name, len(entries), err)
		}
	}
	if err := AddRootKey(t.TempDir(), seal.NewRootKey()); err == nil || !strings.Contains(err.Error(), "it is a folder") {
		t.Errorf("AddRootKey(folder): got %v, want that it is a folder", err)
	}
}

// Windows ends lines otherwise. The file that is written has one form.
func TestAddRootKeyToAFileOfWindows(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "key")
	old, added := seal.NewRootKey(), seal.NewRootKey()
	text := bytes.ReplaceAll(append([]byte("\n"), old.Text()...), []byte("\n"), []byte("\r\n"))
	if err := os.WriteFile(path, text, 0o400); err != nil {
		t.Fatal(err)
	}
	if err := AddRootKey(path, added); err != nil {
		t.Errorf("AddRootKey(): got %v, want nil", err)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, slices.Concat(added.Text(), old.Text())) {
		t.Errorf("file: got %q, %v, want two lines", after, err)
	}
}
