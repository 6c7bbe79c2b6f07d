package main

import (
	"archive/tar"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"time"
)

// file is a file of an archive.
type file struct {
	name, path string
	mode       int64
}

// archiveFiles are the files of an archive, the program first.
func archiveFiles(source, tree, binary string) []file {
	files := []file{{"hush", binary, 0o755}}
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md", "docs/operations.md"} {
		files = append(files, file{name, filepath.Join(source, name), 0o644})
	}
	for _, pattern := range []string{"plain/*", "completion/*"} {
		found, _ := filepath.Glob(filepath.Join(tree, pattern)) // the pattern is valid
		for _, path := range found {
			folder := filepath.Base(filepath.Dir(path))
			if folder == "plain" {
				folder = "man"
			}
			files = append(files, file{folder + "/" + filepath.Base(path), path, 0o644})
		}
	}
	return files
}

// writeArchive writes a compressed archive in which every file has the same
// time and owner.
func writeArchive(path string, at time.Time, files []file) error {
	return create(path, func(w io.Writer) error {
		packed, err := gzip.NewWriterLevel(w, gzip.BestCompression)
		if err != nil {
			return err
		}
		archive := tar.NewWriter(packed)
		for _, f := range files {
			content, err := os.ReadFile(f.path)
			if err != nil {
				return err
			}
			header := &tar.Header{Typeflag: tar.TypeReg, Name: f.name, Mode: f.mode, Size: int64(len(content)), ModTime: at, Format: tar.FormatUSTAR}
			if err := archive.WriteHeader(header); err != nil {
				return err
			}
			if _, err := archive.Write(content); err != nil {
				return err
			}
		}
		if err := archive.Close(); err != nil {
			return err
		}
		return packed.Close()
	})
}
