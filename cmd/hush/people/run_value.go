package people

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"hush/cli/command"
	"hush/client"
)

// programValue is what the program gets of one secret.
type programValue struct {
	name string
	text client.Text // of the variable
	file memoryFile  // for --file
}

// programValues are those of all secrets.
type programValues []programValue

var errZeroByte = errors.New("the content has a zero byte, which no variable can hold: use --file")

// newProgramValue makes the value of a content.
func newProgramValue(to secretSource, content client.Content) (programValue, error) {
	v := programValue{name: to.name}
	if to.isFile {
		file, err := newMemoryFile(content.Bytes)
		v.file, v.text = file, client.Hide(file.path())
		return v, err
	}
	if bytes.IndexByte(content.Bytes, 0) >= 0 {
		return v, errZeroByte
	}
	v.text = client.Hide(string(withoutLineEnd(content.Bytes)))
	return v, nil
}

// withoutLineEnd removes one line end from the end of a text.
func withoutLineEnd(text []byte) []byte {
	text, ended := bytes.CutSuffix(text, []byte("\n"))
	if ended {
		text = bytes.TrimSuffix(text, []byte("\r"))
	}
	return text
}

// environment returns the environment of the program: that of this process without
// the token, and with the values.
func (all programValues) environment(own []string) []string {
	entries := slices.DeleteFunc(slices.Clone(own), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return name == command.VariableToken || slices.ContainsFunc(all, func(v programValue) bool { return v.name == name })
	})
	for _, v := range all {
		entries = append(entries, v.name+"="+v.text.Expose())
	}
	return entries
}

// discard closes the files, which the program has open.
func (all programValues) discard() {
	for _, v := range all {
		v.file.close()
	}
}
