package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// packaged are the settings that the configuration file of the packages has.
var packaged = map[string]string{"data": "/var/lib/hush", "root-key-file": "/etc/hush/root.key"}

// writeTree writes what packages have beside the program, and the program
// itself writes: manual pages, completions and a configuration file.
func writeTree(ctx context.Context, source, tree, program string) (string, error) {
	for _, folder := range []string{"man", "completion"} {
		if err := os.MkdirAll(filepath.Join(tree, folder), 0o755); err != nil { //nolint:gosec // for everybody
			return "", err
		}
	}
	plain := filepath.Join(tree, "plain")
	if _, err := output(ctx, tree, nil, program, "man", plain); err != nil {
		return "", err
	}
	for shell, name := range map[string]string{"bash": "hush", "zsh": "_hush", "fish": "hush.fish"} {
		script, err := output(ctx, tree, nil, program, "completion", shell)
		if err == nil {
			err = create(filepath.Join(tree, "completion", name), func(w io.Writer) error { _, err := w.Write(script); return err })
		}
		if err != nil {
			return "", err
		}
	}
	pages, err := filepath.Glob(filepath.Join(plain, "*.1"))
	if err != nil {
		return "", err
	}
	for _, page := range pages {
		if err := compress(page, filepath.Join(tree, "man", filepath.Base(page)+".gz")); err != nil {
			return "", err
		}
	}
	if err := compress(filepath.Join(source, "CHANGELOG.md"), filepath.Join(tree, "changelog.gz")); err != nil {
		return "", err
	}
	return tree, writeSettings(ctx, tree, program)
}

// writeSettings writes the configuration file of the packages.
func writeSettings(ctx context.Context, tree, program string) error {
	settings, err := output(ctx, tree, nil, program, "admin", "config", "init", "-")
	if err != nil {
		return err
	}
	text := string(settings)
	for name, value := range packaged {
		begin := strings.Index(text, "\n#"+name+": ")
		if begin < 0 {
			return fmt.Errorf("the configuration file has no setting %s", name)
		}
		end := begin + 1 + strings.Index(text[begin+1:], "\n")
		text = text[:begin+1] + name + ": " + value + text[end:]
	}
	return create(filepath.Join(tree, "hush.yaml"), func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
}

// compress writes a file as gzip does, without name and time.
func compress(from, to string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := z.Write(content); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return create(to, func(w io.Writer) error { _, err := packed.WriteTo(w); return err })
}
