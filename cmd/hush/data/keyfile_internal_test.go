package data

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"hush/seal"
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
