// Command release builds what a release of Hush consists of: an archive and a
// list of components for each system, packages for Linux, and signed checksums.
// The same commit gives the same bytes with the same versions of Go and npm, in
// any folder and at any time.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
)

const allTargets = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,freebsd/amd64,freebsd/arm64"

func main() {
	var o options
	flag.StringVar(&o.source, "source", ".", "`folder` with the clone of Hush to build from")
	flag.StringVar(&o.out, "out", "dist", "`folder` for the files; what it holds of an earlier release is removed")
	flag.StringVar(&o.key, "key", "", "OpenSSH `file` with the key that signs the checksums; a public key is looked up in the agent (default: do not sign)")
	flag.StringVar(&o.version, "version", "", "`version` to build (default: that of the source)")
	targets := flag.String("targets", allTargets, "`list` of GOOS/GOARCH")
	flag.Parse()
	o.targets = strings.Split(*targets, ",")
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := release(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

type options struct {
	source, out, key, version string
	targets                   []string
}

// release makes all files of a release.
func release(ctx context.Context, o options) error {
	c, err := readCommit(ctx, o.source)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "hush-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	b := &builder{commit: c, source: o.source, work: work, out: o.out, version: o.version}
	if err := b.prepare(ctx); err != nil {
		return err
	}
	for _, name := range o.targets {
		if err := b.build(ctx, name); err != nil {
			return fmt.Errorf("building for %s: %w", name, err)
		}
	}
	return sign(ctx, o.out, o.key)
}

// empty makes a folder without the files of an earlier release.
func empty(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil { //nolint:gosec // a release is for everybody
		return err
	}
	var old []string
	for _, pattern := range []string{`hush[_\-]*`, sumsName + "*"} {
		found, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil {
			return err
		}
		old = append(old, found...)
	}
	for _, name := range old {
		if err := os.Remove(name); err != nil {
			return err
		}
	}
	return nil
}
