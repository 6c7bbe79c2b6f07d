package console

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// maxLine is the maximum bytes of a line that contains a secret value.
const maxLine = 4096

// FirstLine returns the first line of standard input without its end. An empty
// one is an error. It gives up waiting when ctx ends.
func (c *Console) FirstLine(ctx context.Context) (string, error) {
	return Interruptible(ctx, func() (string, error) { return firstLine(c.In) })
}

// firstLine returns a line without its end and without a byte order mark at its
// beginning. An empty one is an error.
func firstLine(from io.Reader) (string, error) {
	line, err := bufio.NewReader(io.LimitReader(from, maxLine+2+int64(len("\ufeff")))).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	line = strings.TrimPrefix(line, "\ufeff") // editors of Windows begin a file with it
	line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
	switch {
	case line == "":
		return "", errors.New("the first line is empty")
	case len(line) > maxLine:
		return "", fmt.Errorf("the first line is longer than %d bytes", maxLine)
	}
	return line, nil
}

// SecretLine returns the first line of a file, or of standard input for "-", without
// its end. An empty one is an error. It warns of a file that every user of this
// machine may read, and gives up waiting for a pipe when ctx ends.
func (c *Console) SecretLine(ctx context.Context, file string) (string, error) {
	if file == "-" {
		return c.FirstLine(ctx)
	}
	if IsEverybodys(file) {
		c.Tellf("every user of this machine may read %s: run chmod 0600 on it", file)
	}
	return ReadSecretFile(ctx, file)
}

// ReadSecretFile returns the first line of a file. It gives up waiting for a pipe when
// ctx ends.
func ReadSecretFile(ctx context.Context, path string) (string, error) {
	return Interruptible(ctx, func() (string, error) { return readSecretFile(path) })
}

func readSecretFile(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	line, err := firstLine(file)
	if err != nil {
		return "", fmt.Errorf("reading %s: %w", path, err)
	}
	return line, nil
}

// IsEverybodys reports whether every user of this machine may read or change a
// file. Containers often get their secrets in such files, so it is a warning and
// not an error.
func IsEverybodys(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o007 != 0
}
