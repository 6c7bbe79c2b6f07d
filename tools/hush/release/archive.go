package main

import (
	"archive/tar"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// file is a file of an archive.
type file struct {
	name, path string
	mode       int64
}

// documentsFolder is where the packages have the documents, as in the source tree.
const documentsFolder = "/usr/share/doc/hush/"

// archiveFiles are the files of an archive, the program first. Its documents are those
// of the packages.
func archiveFiles(source, tree, binary string) ([]file, error) {
	files := []file{{"hush", binary, 0o755}}
	documents, err := documents(source)
	if err != nil {
		return nil, err
	}
	files = append(files, documents...)
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
	return files, nil
}

// documents are the files of the source tree that the packages have among their documents
// under the same names.
func documents(source string) (files []file, err error) {
	config, err := packages(source, map[string]string{"SOURCE": source})
	if err != nil {
		return nil, err
	}
	for _, content := range config.Contents {
		place, below := strings.CutPrefix(content.Destination, documentsFolder)
		pattern, own := strings.CutPrefix(content.Source, source+"/")
		if !below || !own {
			continue
		}
		found, err := filepath.Glob(content.Source)
		if err != nil {
			return nil, fmt.Errorf("documents %s of deploy/nfpm.yaml: %w", pattern, err)
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("documents %s of deploy/nfpm.yaml: %w", pattern, os.ErrNotExist)
		}
		for _, path := range found {
			name := strings.TrimPrefix(path, source+"/")
			if name == place || strings.HasSuffix(place, "/") && place+filepath.Base(path) == name {
				files = append(files, file{name, path, 0o644})
			}
		}
	}
	return files, nil
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
