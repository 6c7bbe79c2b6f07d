package settings

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"hush/cli/command"
	"hush/cli/console"
	"hush/cli/flags"
)

// configName is the setting that names the configuration file.
const configName = "config"

// maxFile is the maximum bytes of a configuration file.
const maxFile = 1 << 20

// errFileTooLong is returned for a file that cannot be a configuration.
var errFileTooLong = fmt.Errorf("longer than %d bytes", maxFile)

// fileSettings say which file has further settings.
type fileSettings struct {
	Config string // empty if there is none
}

func (s *fileSettings) settings() []setting {
	return []setting{
		{configName, firstDay(flags.Text(&s.Config, "", "YAML `file` with settings; see \"hush admin config init\""))},
	}
}

// entry is one setting in a file.
type entry struct {
	name   string
	line   int
	values []string
	isList bool
}

// configuration is a file that was read, or why it was not.
type configuration struct {
	entries []entry
	err     error
}

// load reads a configuration file, unless it did so before. It gives up waiting for a
// pipe when ctx ends.
func (r *Reader) load(ctx context.Context, path string) ([]entry, error) {
	read, done := r.files[path]
	if !done {
		read.entries, read.err = console.Interruptible(ctx, func() ([]entry, error) { return loadFile(path) })
		r.files[path] = read
	}
	return read.entries, read.err
}

// readFile sets flags from the entries of a file. A setting that the command does not
// have is ignored; one that no command has is a mistake.
func (sources *Sources) readFile(set *pflag.FlagSet, path string, entries []entry) (mistakes []error) {
	names, seen := Names(), map[string]int{}
	for _, e := range entries {
		where := path + ":" + strconv.Itoa(e.line)
		if err := e.check(set, names, seen); err != nil {
			mistakes = append(mistakes, fmt.Errorf("%s: %w", where, err))
			continue
		}
		seen[e.name] = e.line
		if err := sources.set(set, e.name, where+": "+e.name, e.values...); err != nil {
			mistakes = append(mistakes, err)
		}
	}
	return mistakes
}

// check returns what is wrong with an entry, apart from its value.
func (e *entry) check(set *pflag.FlagSet, names []string, seen map[string]int) error {
	f := set.Lookup(e.name)
	switch {
	case e.name == configName:
		return errors.New("config: a configuration file cannot name another one")
	case e.name == movedName:
		return fmt.Errorf("%s: %w", e.name, errMoved)
	case !slices.Contains(names, e.name):
		if near := command.Nearest(e.name, names); near != "" {
			return fmt.Errorf("unknown setting %q; did you mean %q?", e.name, near)
		}
		return fmt.Errorf("unknown setting %q", e.name)
	case seen[e.name] != 0:
		return fmt.Errorf("%s: already set in line %d", e.name, seen[e.name])
	case e.values == nil:
		return fmt.Errorf("%s: no value: give it one, or remove the line", e.name)
	case e.isList && f != nil && !flags.IsList(f):
		return fmt.Errorf("%s: takes one value, not a list", e.name)
	}
	return nil
}

// loadFile reads a configuration file. Its error names the file and, where it
// can, the line.
func loadFile(path string) ([]entry, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading the configuration: %w", err)
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o002 != 0 {
		return nil, fmt.Errorf("every user of this machine may change the configuration %s: run chmod o-w on it", path)
	}
	content, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err == nil && len(content) > maxFile {
		err = errFileTooLong
	}
	if err != nil {
		return nil, fmt.Errorf("reading the configuration %s: %w", path, err)
	}
	entries, err := parseFile(content)
	if err != nil {
		return nil, fmt.Errorf("%s%w", path, err)
	}
	return entries, nil
}

// lineError is an error in a line of a file, or in all of it if line is 0.
type lineError struct {
	line int
	text string
}

func (e *lineError) Error() string {
	if e.line == 0 {
		return ": " + e.text
	}
	return fmt.Sprintf(":%d: %s", e.line, e.text)
}

// parseFile reads the settings of a file in their order. Its errors are
// lineErrors.
func parseFile(content []byte) ([]entry, error) {
	decoder := yaml.NewDecoder(strings.NewReader(string(content)))
	var document, next yaml.Node
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, syntaxError(err)
	}
	if err := decoder.Decode(&next); !errors.Is(err, io.EOF) {
		return nil, &lineError{next.Line, "must hold one document"}
	}
	top := document.Content[0]
	if top.Kind == yaml.ScalarNode && top.Tag == "!!null" {
		return nil, nil
	}
	if top.Kind != yaml.MappingNode {
		return nil, &lineError{top.Line, "must hold lines such as \"listen: 127.0.0.1:7143\""}
	}
	var entries []entry
	for i := 0; i+1 < len(top.Content); i += 2 {
		e, err := parseEntry(top.Content[i], top.Content[i+1])
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// parseEntry reads a line, or a list below it. Values are taken as they are
// written: "on" is a word.
func parseEntry(key, value *yaml.Node) (entry, error) {
	if key.Kind != yaml.ScalarNode || key.Tag == "!!merge" {
		return entry{}, &lineError{key.Line, "must begin with the name of a setting"}
	}
	e := entry{name: key.Value, line: key.Line}
	switch value.Kind {
	case yaml.ScalarNode:
		if value.Tag != "!!null" {
			e.values = []string{value.Value}
		}
		return e, nil
	case yaml.SequenceNode:
		e.isList, e.values = true, []string{}
		for _, item := range value.Content {
			if item.Kind != yaml.ScalarNode || item.Tag == "!!null" {
				return entry{}, &lineError{item.Line, e.name + ": each value must be text or a number"}
			}
			e.values = append(e.values, item.Value)
		}
		return e, nil
	default:
		return entry{}, &lineError{value.Line, e.name + ": must be text, a number or a list of them"}
	}
}

// syntaxError turns "yaml: line 3: text" into a lineError.
func syntaxError(err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if rest, ok := strings.CutPrefix(text, "line "); ok {
		number, what, found := strings.Cut(rest, ": ")
		if line, err := strconv.Atoi(number); err == nil && found {
			return &lineError{line, what}
		}
	}
	return &lineError{0, text}
}
