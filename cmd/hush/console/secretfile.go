package console

import (
	"bufio"
	"bytes"
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
	return Interruptible(ctx, func() (string, error) {
		line, _, err := firstLine(c.In)
		return line, err
	})
}

// OnlyLine is SecretLine where more lines would be ignored: of a link, say. They are an
// error. Of standard input it sees those that arrive together with the first.
func (c *Console) OnlyLine(ctx context.Context, file string) (string, error) {
	read := func() (string, bool, error) { return firstLine(c.In) }
	if file != "-" {
		c.warnOf(file)
		read = func() (string, bool, error) { return readSecretFile(file) }
	}
	return Interruptible(ctx, func() (string, error) {
		line, more, err := read()
		if err == nil && more {
			err = errors.New("there is more than one line, and one link is read at a time")
		}
		return line, err
	})
}

// firstLine returns a line without its end and without a byte order mark at its
// beginning. An empty one is an error. It reports whether it read more than white space
// behind that.
func firstLine(from io.Reader) (line string, more bool, err error) {
	reader := bufio.NewReader(io.LimitReader(from, maxLine+2+int64(len("\ufeff"))))
	line, err = reader.ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", false, err
	}
	rest, _ := reader.Peek(reader.Buffered())
	more = len(bytes.TrimSpace(rest)) > 0
	line = strings.TrimPrefix(line, "\ufeff") // editors of Windows begin a file with it
	line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
	switch {
	case line == "":
		return "", false, errors.New("the first line is empty")
	case len(line) > maxLine:
		return "", false, fmt.Errorf("the first line is longer than %d bytes", maxLine)
	}
	return line, more, nil
}

// SecretLine returns the first line of a file, or of standard input for "-", without
// its end. An empty one is an error. It warns of a file that every user of this
// machine may read, and gives up waiting for a pipe when ctx ends.
func (c *Console) SecretLine(ctx context.Context, file string) (string, error) {
	if file == "-" {
		return c.FirstLine(ctx)
	}
	c.warnOf(file)
	return ReadSecretFile(ctx, file)
}

func (c *Console) warnOf(file string) {
	if IsEverybodys(file) {
		c.Tellf("every user of this machine may read %s: run chmod 0600 on it", file)
	}
}

// ReadSecretFile returns the first line of a file. It gives up waiting for a pipe when
// ctx ends.
func ReadSecretFile(ctx context.Context, path string) (string, error) {
	return Interruptible(ctx, func() (string, error) {
		line, _, err := readSecretFile(path)
		return line, err
	})
}

func readSecretFile(path string) (line string, more bool, err error) {
	file, err := os.Open(path)
	if err != nil {
		return "", false, err
	}
	defer file.Close()
	line, more, err = firstLine(file)
	if err != nil {
		return "", false, fmt.Errorf("reading %s: %w", path, err)
	}
	return line, more, nil
}

// IsEverybodys reports whether every user of this machine may read or change a
// file. Containers often get their secrets in such files, so it is a warning and
// not an error.
func IsEverybodys(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o007 != 0
}
