package profile

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"hush/client"
)

// File is the Keeper of credentials.yaml. Its methods that write need the lock on
// the folder.
type File struct {
	path string
	// warn gets a word about a file that others can read.
	warn func(format string, args ...any)
}

// NewFile returns the file of a folder. An empty folder has none.
func NewFile(folder string, warn func(format string, args ...any)) *File {
	return &File{path: filepath.Join(folder, "credentials.yaml"), warn: warn}
}

func (f *File) get(_ context.Context, name, server string) (client.Text, error) {
	tokens, err := f.read()
	if err != nil {
		return client.Text{}, err
	}
	if at := indexOf(tokens, name); at >= 0 && SameServer(tokens[at].Server, server) {
		return client.Hide(tokens[at].Token), nil
	}
	return client.Text{}, nil
}

func (f *File) keep(_ context.Context, name, server string, token client.Text) error {
	tokens, err := f.read()
	if err != nil {
		return err
	}
	kept := tokenEntry{Name: name, Server: server, Token: token.Expose()}
	if at := indexOf(tokens, name); at >= 0 {
		tokens[at] = kept
	} else {
		tokens = append(tokens, kept)
	}
	return f.write(tokens)
}

func (f *File) forget(_ context.Context, name, _ string) error {
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

func (f *File) read() ([]tokenEntry, error) {
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

func (f *File) write(tokens []tokenEntry) error {
	content, err := encode(credentialsHead, credentialsFile{Version: formatVersion, Tokens: tokens})
	if err != nil {
		return err
	}
	return replaceFile(f.path, content)
}
