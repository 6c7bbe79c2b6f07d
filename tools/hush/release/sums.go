package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

const (
	sumsName = "SHA256SUMS"
	// namespace is what the signature is for; ssh-keygen asks for it again.
	namespace = "hush-release"
)

// sign writes the checksums of all files, as sha256sum does, and with a key
// their signature.
func sign(ctx context.Context, out, key string) error {
	names, err := filepath.Glob(filepath.Join(out, `hush[_\-]*`))
	if err != nil {
		return err
	}
	sums := filepath.Join(out, sumsName)
	err = create(sums, func(w io.Writer) error {
		for _, name := range names {
			content, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			fmt.Fprintf(w, "%x  %s\n", sha256.Sum256(content), filepath.Base(name))
		}
		return nil
	})
	if err != nil || key == "" {
		return err
	}
	_, err = output(ctx, "", nil, "ssh-keygen", "-q", "-Y", "sign", "-n", namespace, "-f", key, sums)
	return err
}
