package datafolder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"hush/server/settings"
	"hush/storage/blobfile"
	"hush/storage/bolt"
	"hush/storage/postgres"
)

// Check returns what would keep Open from opening the data that the settings
// name, as far as it shows without opening or creating data and without connecting
// to anything. Each error names its setting, and none has a part of a password.
func Check(s *settings.Settings) (mistakes []error) {
	if s.Store == settings.StoreMemory {
		return nil
	}
	if err := bolt.CheckFolder(s.Data); err != nil {
		mistakes = append(mistakes, fmt.Errorf("--data: %w", err))
	} else if err := errors.Join(checkOwnKey(s), checkFiles(s)); err != nil {
		mistakes = append(mistakes, fmt.Errorf("--data: %w", err))
	}
	if err := checkSpentLog(s); err != nil {
		mistakes = append(mistakes, err)
	}
	if s.RootKeyFile != "" {
		if err := checkKeyFile(s.RootKeyFile); err != nil && !errors.Is(err, fs.ErrPermission) {
			mistakes = append(mistakes, fmt.Errorf("--root-key-file: %w", err))
		}
	}
	if s.SharedStore() {
		if err := postgres.Check(s.Store); err != nil {
			mistakes = append(mistakes, fmt.Errorf("--store: %w", &openError{postgres.Place(s.Store), err}))
		}
	}
	return append(mistakes, checkSockets(s)...)
}

// checkOwnKey returns an error for a root key in the data folder that everybody
// may read, or that is missing beside data.
func checkOwnKey(s *settings.Settings) error {
	if s.RootKeyFile != "" {
		return nil
	}
	path := rootKeyPath(s)
	err := checkKeyFile(path)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return nil
	case !errors.Is(err, ErrNoKey):
		return err
	case !s.SharedStore() && holdsData(s.Data) == nil:
		return missingKeyError(path)
	}
	return nil
}

// checkFiles returns an error for what is in the place of the folder of files.
func checkFiles(s *settings.Settings) error {
	if s.SharedStore() {
		return nil
	}
	return blobfile.Check(filepath.Join(s.Data, FilesName))
}

// checkSockets returns an error for each address that is the socket of operators'
// commands.
func checkSockets(s *settings.Settings) (mistakes []error) {
	for _, set := range []struct{ flag, address string }{{"--listen", s.ListenAddress()}, {"--admin-listen", s.AdminListen}} {
		kind, path := settings.ParseAddress(set.address)
		if kind == settings.ListenUnix && filepath.Base(path) == SocketName && isSameFolder(filepath.Dir(path), s.Data) {
			mistakes = append(mistakes, fmt.Errorf("%s=%s is the socket of the operator's commands: choose another path", set.flag, set.address))
		}
	}
	return mistakes
}

// isSameFolder reports whether two paths lead to one folder, which may be missing.
func isSameFolder(a, b string) bool {
	one, err := os.Stat(a)
	other, wrong := os.Stat(b)
	if err == nil && wrong == nil {
		return os.SameFile(one, other)
	}
	return absolute(a) == absolute(b)
}
