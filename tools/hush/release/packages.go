package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/goreleaser/nfpm/v2"

	_ "github.com/goreleaser/nfpm/v2/deb" // the format deb
	_ "github.com/goreleaser/nfpm/v2/rpm" // the format rpm
)

// packages returns deploy/nfpm.yaml with values in it.
func packages(source string, values map[string]string) (config nfpm.Config, err error) {
	description, err := os.Open(filepath.Join(source, "deploy/nfpm.yaml"))
	if err != nil {
		return config, err
	}
	defer description.Close()
	return nfpm.ParseWithEnvMapping(description, func(name string) string { return values[name] })
}

// writePackage writes a package of deploy/nfpm.yaml, under the name that the
// format's tools expect.
func (b *builder) writePackage(format, processor, binary string) error {
	config, err := packages(b.source, map[string]string{
		"VERSION": b.version, "ARCH": processor, "BINARY": binary, "TREE": b.tree, "SOURCE": b.source,
	})
	if err != nil {
		return err
	}
	info, err := config.Get(format)
	if err != nil {
		return err
	}
	info.MTime = b.time
	for _, script := range []*string{&info.Scripts.PreInstall, &info.Scripts.PostInstall, &info.Scripts.PreRemove, &info.Scripts.PostRemove} {
		if *script != "" {
			*script = filepath.Join(b.source, *script)
		}
	}
	info = nfpm.WithDefaults(info)
	if err := nfpm.PrepareForPackager(info, format); err != nil {
		return err
	}
	packager, err := nfpm.Get(format)
	if err != nil {
		return err
	}
	name := filepath.Join(b.out, packager.ConventionalFileName(info))
	if err := create(name, func(w io.Writer) error { return packager.Package(info, w) }); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(name), err)
	}
	return nil
}
