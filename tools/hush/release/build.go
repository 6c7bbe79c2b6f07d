package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/CycloneDX/cyclonedx-go"
)

// builder makes the files of each target.
type builder struct {
	commit
	source, work, out string
	version           string

	flags []string              // of the linker
	tree  string                // the folder with files that all packages have
	web   []cyclonedx.Component // what the pages are made of
}

// prepare makes what all targets have in common.
func (b *builder) prepare(ctx context.Context) (err error) {
	if b.source, err = filepath.Abs(b.source); err != nil {
		return err
	}
	if b.web, err = webComponents(ctx, filepath.Join(b.source, "web")); err != nil {
		return err
	}
	b.flags = []string{"-s", "-w"}
	if b.version != "" {
		b.flags = append(b.flags, "-X", "hush/cmd/hush/program.version="+b.version)
	}
	native := filepath.Join(b.work, "native")
	if err := b.compile(ctx, runtime.GOOS, runtime.GOARCH, native); err != nil {
		return err
	}
	if b.version == "" {
		printed, err := output(ctx, b.work, nil, native, "--version")
		if err != nil {
			return err
		}
		b.version = strings.TrimPrefix(strings.TrimSpace(string(printed)), "hush ")
	}
	if b.tree, err = writeTree(ctx, b.source, filepath.Join(b.work, "tree"), native); err != nil {
		return err
	}
	return empty(b.out)
}

// compile builds the program. What the caller has in his environment must not
// change the result.
func (b *builder) compile(ctx context.Context, system, processor, path string) error {
	_, err := output(ctx, b.source, []string{
		"CGO_ENABLED=0", "GOOS=" + system, "GOARCH=" + processor, "GOAMD64=v1", "GOARM64=v8.0",
		"GOENV=off", "GOFLAGS=", "GOEXPERIMENT=", "GOFIPS140=off", "GOWORK=off", "GO111MODULE=on",
	}, "go", "build", "-trimpath", "-buildvcs=true", "-ldflags", strings.Join(b.flags, " "), "-o", path, "./cmd/hush")
	return err
}

// build makes the files of one target.
func (b *builder) build(ctx context.Context, target string) error {
	system, processor, found := strings.Cut(target, "/")
	if !found {
		return fmt.Errorf("a target is GOOS/GOARCH, as in linux/amd64, and not %q", target)
	}
	name := filepath.Join(b.out, strings.Join([]string{"hush", b.version, system, processor}, "_"))
	binary := filepath.Join(b.work, system+"-"+processor)
	if err := b.compile(ctx, system, processor, binary); err != nil {
		return err
	}
	if err := b.writeComponents(binary, name+".cdx.json"); err != nil {
		return fmt.Errorf("listing components: %w", err)
	}
	files, err := archiveFiles(b.source, b.tree, binary)
	if err != nil {
		return fmt.Errorf("listing an archive: %w", err)
	}
	if err := writeArchive(name+".tar.gz", b.time, files); err != nil {
		return fmt.Errorf("writing an archive: %w", err)
	}
	if system != "linux" {
		return nil
	}
	for _, format := range []string{"deb", "rpm"} {
		if err := b.writePackage(format, processor, binary); err != nil {
			return fmt.Errorf("writing a %s package: %w", format, err)
		}
	}
	return nil
}

// create writes a new file that everyone may read.
func create(path string, write func(io.Writer) error) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:gosec // a release is for everybody
	if err != nil {
		return err
	}
	if err := write(file); err != nil {
		_ = file.Close()
		return err
	}
	return file.Close()
}
