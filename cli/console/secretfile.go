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

// inputLine is the first line of a file or of standard input.
type inputLine struct {
	text string
	// more reports whether more than white space was read behind it.
	more bool
}

// SecretLine returns the first line of a file, or of standard input for "-", without
// its end. An empty one is an error. It warns of a file that every user of this
// machine may read, and gives up waiting for a pipe when ctx ends.
func (c *Console) SecretLine(ctx context.Context, file string) (string, error) {
	line, err := c.firstLine(ctx, file)
	return line.text, err
}

// OnlyLine is SecretLine where more lines would be ignored: those behind a link, say.
// They are an error. Of a pipe it sees those that arrive together with the first.
func (c *Console) OnlyLine(ctx context.Context, file string) (string, error) {
	line, err := c.firstLine(ctx, file)
	if err == nil && line.more {
		return "", errors.New("there is more than one line, and one link is read at a time")
	}
	return line.text, err
}

func (c *Console) firstLine(ctx context.Context, file string) (inputLine, error) {
	if file == "-" {
		return Interruptible(ctx, func() (inputLine, error) { return readFirstLine(c.In) })
	}
	if IsEverybodys(file) {
		c.Tellf("every user of this machine may read %s: run chmod 0600 on it", file)
	}
	return Interruptible(ctx, func() (inputLine, error) { return readSecretFile(file) })
}

// ReadSecretFile returns the first line of a file. It gives up waiting for a pipe when
// ctx ends.
func ReadSecretFile(ctx context.Context, path string) (string, error) {
	line, err := Interruptible(ctx, func() (inputLine, error) { return readSecretFile(path) })
	return line.text, err
}

func readSecretFile(path string) (inputLine, error) {
	file, err := os.Open(path)
	if err != nil {
		return inputLine{}, err
	}
	defer file.Close()
	line, err := readFirstLine(file)
	if err != nil {
		return inputLine{}, fmt.Errorf("reading %s: %w", path, err)
	}
	return line, nil
}

// readFirstLine returns a line without its end and without a byte order mark at its
// beginning. An empty one is an error.
func readFirstLine(from io.Reader) (inputLine, error) {
	reader := bufio.NewReader(io.LimitReader(from, maxLine+2+int64(len("\ufeff"))))
	text, err := reader.ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return inputLine{}, err
	}
	text = strings.TrimPrefix(text, "\ufeff") // editors of Windows begin a file with it
	text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	switch {
	case text == "":
		return inputLine{}, errors.New("the first line is empty")
	case len(text) > maxLine:
		return inputLine{}, fmt.Errorf("the first line is longer than %d bytes", maxLine)
	}
	behind, _ := reader.Peek(reader.Buffered())
	return inputLine{text: text, more: len(bytes.TrimSpace(behind)) > 0}, nil
}

// IsEverybodys reports whether every user of this machine may read or change a
// file. Containers often get their secrets in such files, so it is a warning and
// not an error.
func IsEverybodys(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o007 != 0
}
