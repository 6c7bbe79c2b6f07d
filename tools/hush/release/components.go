package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
)

// writeComponents lists what a program is made of, in the format of CycloneDX:
// the Go modules that are linked and the packages that its pages contain.
func (b *builder) writeComponents(binary, path string) error {
	content, err := os.ReadFile(binary)
	if err != nil {
		return err
	}
	built, err := buildinfo.Read(bytes.NewReader(content))
	if err != nil {
		return err
	}
	sum := sha256.Sum256(content)
	program := cyclonedx.Component{
		BOMRef: "hush", Type: cyclonedx.ComponentTypeApplication, Name: "hush", Version: b.version,
		Hashes:   &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: hex.EncodeToString(sum[:])}},
		Licenses: &cyclonedx.Licenses{{License: &cyclonedx.License{ID: "Apache-2.0"}}},
	}
	components := slices.Concat(goComponents(built), b.web)
	var references []string
	for _, c := range components {
		references = append(references, c.BOMRef)
	}
	list := cyclonedx.NewBOM()
	list.SerialNumber = serial(sum)
	list.Metadata = &cyclonedx.Metadata{Timestamp: b.time.Format(time.RFC3339), Component: &program}
	list.Components = &components
	list.Dependencies = &[]cyclonedx.Dependency{{Ref: program.BOMRef, Dependencies: &references}}
	return create(path, func(w io.Writer) error {
		// Version 1.6 is the newest that most readers know.
		return cyclonedx.NewBOMEncoder(w, cyclonedx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(list, cyclonedx.SpecVersion1_6)
	})
}

// serial returns a number that belongs to one binary, as a UUID of version 8.
func serial(sum [sha256.Size]byte) string {
	id := sum[:16]
	id[6], id[8] = id[6]&0x0f|0x80, id[8]&0x3f|0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

// goComponents are the modules in a program, Go's own library first.
func goComponents(built *debug.BuildInfo) []cyclonedx.Component {
	version, _, _ := strings.Cut(strings.TrimPrefix(built.GoVersion, "go"), " ")
	components := []cyclonedx.Component{goComponent("std", version)}
	for _, module := range built.Deps {
		if module.Replace != nil {
			module = module.Replace
		}
		components = append(components, goComponent(module.Path, module.Version))
	}
	return components
}

func goComponent(path, version string) cyclonedx.Component {
	name := "pkg:golang/" + path + "@" + strings.ReplaceAll(version, "+", "%2B")
	return cyclonedx.Component{BOMRef: name, Type: cyclonedx.ComponentTypeLibrary, Name: path, Version: version, PackageURL: name}
}

// webComponents are the npm packages in the pages of web/dist. Only what does not
// depend on npm's version and the time is kept.
func webComponents(ctx context.Context, web string) ([]cyclonedx.Component, error) {
	printed, err := output(ctx, web, nil, "npm", "sbom", "--sbom-format=cyclonedx", "--sbom-type=application", "--omit=dev", "--package-lock-only")
	if err != nil {
		return nil, err
	}
	var list cyclonedx.BOM
	if err := cyclonedx.NewBOMDecoder(bytes.NewReader(printed), cyclonedx.BOMFileFormatJSON).Decode(&list); err != nil {
		return nil, fmt.Errorf("what npm printed: %w", err)
	}
	if list.Components == nil {
		return nil, fmt.Errorf("npm named no package of %s", web)
	}
	var components []cyclonedx.Component
	for _, c := range *list.Components {
		components = append(components, cyclonedx.Component{
			BOMRef: c.PackageURL, Type: c.Type, Group: c.Group, Name: c.Name, Version: c.Version,
			Hashes: c.Hashes, Licenses: c.Licenses, PackageURL: c.PackageURL,
		})
	}
	slices.SortFunc(components, func(a, b cyclonedx.Component) int { return cmp.Compare(a.BOMRef, b.BOMRef) })
	return components, nil
}
