package people

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"hush/cli/command"
)

// lookUpProgram returns the path of a program as a shell finds it: by its path, or by its
// name in the folders of PATH. The errors have the exit codes of env(1).
func lookUpProgram(name string, environment []string) (string, error) {
	if strings.Contains(name, string(filepath.Separator)) {
		return name, checkExecutable(name)
	}
	var refused error
	for _, folder := range filepath.SplitList(environmentValue(environment, "PATH")) {
		if folder == "" {
			folder = "."
		}
		path := folder + string(filepath.Separator) + name // Join would take the ./ away
		err := checkExecutable(path)
		if err == nil {
			return path, nil
		}
		if exit, ok := errors.AsType[*command.ExitError](err); ok && exit.Code == command.ExitNotExecutable && refused == nil {
			refused = err
		}
	}
	if refused != nil {
		return "", refused
	}
	return "", programNotFound(name)
}

// checkExecutable returns why a file cannot be executed; nil if it can.
func checkExecutable(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, unix.ENOTDIR):
		return programNotFound(path)
	case err == nil && info.IsDir():
		err = errors.New("it is a folder")
	case err == nil:
		err = unix.Access(path, unix.X_OK)
	}
	if err != nil {
		return programNotExecutable(path, err)
	}
	return nil
}

func programNotFound(name string) error {
	return &command.ExitError{Code: command.ExitNotFound, Cause: fmt.Errorf("there is no program %s", name)}
}

func programNotExecutable(path string, err error) error {
	return &command.ExitError{Code: command.ExitNotExecutable, Cause: fmt.Errorf("%s cannot be executed: %w", path, err)}
}

// environmentValue returns the value of a variable, the last one as everywhere.
func environmentValue(environment []string, name string) (value string) {
	for _, entry := range environment {
		if text, found := strings.CutPrefix(entry, name+"="); found {
			value = text
		}
	}
	return value
}
