package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// commit is what a release is made of.
type commit struct {
	hash string
	time time.Time // of everything that is made of it
}

// readCommit returns the commit of a clone. It refuses changes that are not
// committed: no other clone would give the same files.
func readCommit(ctx context.Context, source string) (commit, error) {
	changed, err := output(ctx, source, nil, "git", "status", "--porcelain")
	if err != nil {
		return commit{}, err
	}
	if len(changed) > 0 {
		return commit{}, errors.New("the source has changes that are not committed:\n" + string(changed))
	}
	line, err := output(ctx, source, nil, "git", "log", "-1", "--format=%H %ct")
	if err != nil {
		return commit{}, err
	}
	hash, seconds, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return commit{}, fmt.Errorf("the time of commit %s: %w", hash, err)
	}
	return commit{hash: hash, time: time.Unix(unix, 0).UTC()}, nil
}

// output runs a program in a folder, with more variables, and returns what it
// prints.
func output(ctx context.Context, folder string, environment []string, name string, args ...string) ([]byte, error) {
	var printed, complaints bytes.Buffer
	c := exec.CommandContext(ctx, name, args...) //nolint:gosec // the programs are named in this package
	c.Dir, c.Env = folder, append(os.Environ(), environment...)
	c.Stdout, c.Stderr = &printed, &complaints
	if err := c.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(append([]string{name}, args...), " "), err, complaints.String())
	}
	return printed.Bytes(), nil
}
