package profile

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"hush/client"
)

// tokenFile is the tokenKeeper of credentials.yaml. Its methods that write need the lock on
// the folder.
type tokenFile struct {
	path string
	// warn gets a word about a file that others can read.
	warn func(format string, args ...any)
}

// newTokenFile returns the file of a folder. An empty folder has none.
func newTokenFile(folder string, warn func(format string, args ...any)) *tokenFile {
	return &tokenFile{path: filepath.Join(folder, "credentials.yaml"), warn: warn}
}

func (f *tokenFile) get(_ context.Context, name, server string) (client.Text, error) {
	tokens, err := f.read()
	if err != nil {
		return client.Text{}, err
	}
	if at := indexOf(tokens, name); at >= 0 && SameServer(tokens[at].Server, server) {
		return client.Hide(tokens[at].Token), nil
	}
	return client.Text{}, nil
}

func (f *tokenFile) keep(_ context.Context, name, server string, token client.Text) error {
	tokens, err := f.read()
	if err != nil {
		return err
	}
	entry := tokenEntry{Name: name, Server: server, Token: token.Expose()}
	if at := indexOf(tokens, name); at >= 0 {
		tokens[at] = entry
	} else {
		tokens = append(tokens, entry)
	}
	return f.write(tokens)
}

func (f *tokenFile) forget(_ context.Context, name, _ string) error {
	tokens, err := f.read()
	at := indexOf(tokens, name)
	if err != nil || at < 0 {
		return err
	}
	return f.write(slices.Delete(tokens, at, at+1))
}

func indexOf(tokens []tokenEntry, name string) int {
	return slices.IndexFunc(tokens, func(one tokenEntry) bool { return one.Name == name })
}

func (f *tokenFile) read() ([]tokenEntry, error) {
	content, mode, err := readFile(f.path)
	if err != nil {
		return nil, err
	}
	if mode&0o077 != 0 {
		f.warn("other users of this machine may read %s: run chmod 0600 on it, and revoke the tokens in it if they might have", f.path)
	}
	var file credentialsFile
	if err := decode(content, &file, &file.Version, formatVersion); err != nil {
		return nil, fmt.Errorf("%s: %w", f.path, err)
	}
	return file.Tokens, nil
}

func (f *tokenFile) write(tokens []tokenEntry) error {
	content, err := encode(credentialsHead, credentialsFile{Version: formatVersion, Tokens: tokens})
	if err != nil {
		return err
	}
	return replaceFile(f.path, content)
}
