package profile

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"hush/cli/command"
	"hush/cli/console"
	"hush/client"
)

// Store is the profiles of a user and their tokens.
type Store struct {
	folder  string // empty where there can be none
	keyring tokenKeeper
	file    *tokenFile
	console *console.Console
}

// Open returns the store of an environment. It reads nothing.
func Open(environment []string, on *console.Console) *Store {
	return openFolder(folderOf(environment), newSystemKeyring(environment), on)
}

// openFolder returns the store of a folder. Tokens go into the keyring, or into a file of
// the folder while the keyring fails.
func openFolder(folder string, keyring tokenKeeper, on *console.Console) *Store {
	return &Store{folder: folder, keyring: keyring, file: newTokenFile(folder, on.Tellf), console: on}
}

// Load returns all profiles: none if there is no file of them.
func (s *Store) Load() (*Profiles, error) {
	if s.folder == "" {
		return &Profiles{}, nil
	}
	content, _, err := readFile(s.path())
	if err != nil {
		return nil, fmt.Errorf("reading the profiles: %w", err)
	}
	profiles, err := decodeProfiles(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.path(), err)
	}
	return profiles, nil
}

func (s *Store) path() string { return filepath.Join(s.folder, "profiles.yaml") }

// Get returns the profile of a name, or a usage error that names those that there
// are.
func (p *Profiles) Get(name string) (Profile, error) {
	one, ok := p.Find(name)
	if ok {
		return one, nil
	}
	if len(p.All) == 0 {
		return Profile{}, command.Usage("there is no profile %s: \"hush login --profile %s\" makes one", name, name)
	}
	return Profile{}, command.Usage("there is no profile %s; there are: %s", name, strings.Join(p.Names(), ", "))
}

// Complete returns the names of all profiles for the completion of a shell, which
// cannot report an error.
func (s *Store) Complete() []string {
	profiles, err := s.Load()
	if err != nil {
		return nil
	}
	return profiles.Names()
}

// Token returns the token of a profile. It is an error if the profile has one that
// cannot be read.
func (s *Store) Token(ctx context.Context, one Profile) (client.Text, error) {
	if one.Token == PlaceNone {
		return client.Text{}, nil
	}
	token, err := s.keeper(one.Token).get(ctx, one.Name, one.Server)
	if err == nil && token.IsEmpty() {
		err = fmt.Errorf("it is not in %s", s.Where(one.Token))
	}
	if err != nil {
		return client.Text{}, fmt.Errorf("reading the token of the profile %s: %w; \"hush login --profile %s\" stores it again", one.Name, err, one.Name)
	}
	return token, nil
}

func (s *Store) keeper(place Place) tokenKeeper {
	if place == PlaceKeyring {
		return s.keyring
	}
	return s.file
}

// Where says where a token is, for people.
func (s *Store) Where(place Place) string {
	switch place {
	case PlaceKeyring:
		return "the keyring of the system"
	case PlaceFile:
		return s.file.path
	default:
		return "nowhere"
	}
}

// Put adds a profile with its token, or replaces that of the same name and its
// token. The empty Text is no token. It returns the profile as stored.
func (s *Store) Put(ctx context.Context, one Profile, token client.Text) (Profile, error) {
	if err := CheckName(one.Name); err != nil {
		return Profile{}, command.Usage("%v", err)
	}
	err := s.update(func(profiles *Profiles) error {
		before, _ := profiles.Find(one.Name)
		one.Token = PlaceNone
		if !token.IsEmpty() {
			place, err := s.keep(ctx, one, token)
			if err != nil {
				return err
			}
			one.Token = place
		}
		if !replaced(before, one) {
			s.forgetOld(ctx, before)
		}
		profiles.Put(one)
		return nil
	})
	return one, err
}

// keep puts a token into the keyring, or into the file if that fails, with a word
// about it.
func (s *Store) keep(ctx context.Context, one Profile, token client.Text) (Place, error) {
	failed := s.keyring.keep(ctx, one.Name, one.Server, token)
	if failed == nil {
		return PlaceKeyring, nil
	}
	if err := s.file.keep(ctx, one.Name, one.Server, token); err != nil {
		return PlaceNone, fmt.Errorf("storing the token: %w", err)
	}
	if !errors.Is(failed, errNoKeyring) {
		failed = fmt.Errorf("the keyring of the system cannot be used: %w", failed)
	}
	s.console.Tellf("%v; the token is in %s, which only you can read", failed, s.file.path)
	return PlaceFile, nil
}

// replaced reports whether nothing is left of the token of a profile once a new one
// is kept: the file has one by each name, and the keyring one by name and server.
func replaced(before, now Profile) bool {
	return before.Token == PlaceNone || before.Token == now.Token && (now.Token == PlaceFile || before.Server == now.Server)
}

// forgetOld forgets a token that another one replaces. A failure ends nothing: the
// new one is stored already.
func (s *Store) forgetOld(ctx context.Context, before Profile) {
	if err := s.keeper(before.Token).forget(ctx, before.Name, before.Server); err != nil {
		s.console.Tellf("the token that this one replaces is still in %s: %v", s.Where(before.Token), err)
	}
}

// Forget forgets the token of a profile, which stays.
func (s *Store) Forget(ctx context.Context, name string) error {
	return s.update(func(profiles *Profiles) error {
		one, err := profiles.Get(name)
		if err != nil {
			return err
		}
		if err := s.forget(ctx, one); err != nil {
			return err
		}
		one.Token = PlaceNone
		profiles.Put(one)
		return nil
	})
}

func (s *Store) forget(ctx context.Context, one Profile) error {
	if one.Token == PlaceNone {
		return nil
	}
	if err := s.keeper(one.Token).forget(ctx, one.Name, one.Server); err != nil {
		return fmt.Errorf("forgetting the token of the profile %s: %w", one.Name, err)
	}
	return nil
}

// Remove removes a profile and its token.
func (s *Store) Remove(ctx context.Context, name string) error {
	return s.update(func(profiles *Profiles) error {
		one, err := profiles.Get(name)
		if err != nil {
			return err
		}
		if err := s.forget(ctx, one); err != nil {
			return err
		}
		profiles.Remove(name)
		return nil
	})
}

// Use makes a profile the current one.
func (s *Store) Use(name string) error {
	return s.update(func(profiles *Profiles) error {
		if _, err := profiles.Get(name); err != nil {
			return err
		}
		profiles.Current = name
		return nil
	})
}

// update changes the profiles, alone among all programs.
func (s *Store) update(change func(*Profiles) error) error {
	unlock, err := lockFolder(s.folder)
	if err != nil {
		return err
	}
	defer unlock()
	profiles, err := s.Load()
	if err != nil {
		return err
	}
	if err := change(profiles); err != nil {
		return err
	}
	content, err := encodeProfiles(profiles)
	if err != nil {
		return err
	}
	if err := replaceFile(s.path(), content); err != nil {
		return fmt.Errorf("storing the profiles: %w", err)
	}
	return nil
}
