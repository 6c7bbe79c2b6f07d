// Command trip counts what one call enters: how many functions, files and packages of
// Hush a reader meets who follows it from the connection to the disk and back. It
// builds itself with coverage, and runs each call three times in a service of its own,
// which has a fixed clock and no background work. "make trip" fails if a count is above
// the one in scripts/trip.txt.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// root is the source tree, seen from the folder of this module, where make trip runs this
// program.
const root = "../.."

// These are below root: this program, and the counts that must not be exceeded.
const (
	program     = "tools/hush/trip"
	figuresFile = "scripts/trip.txt"
)

// runs is how often each call is run. Other functions in one of them mean that chance
// has a part in what is counted.
const runs = 3

func main() {
	var o options
	flag.StringVar(&o.call, "call", "", "run the `call` alone, and count nothing: for the program that this one builds")
	flag.StringVar(&o.counters, "counters", "", "`folder` for what -call entered")
	flag.BoolVar(&o.write, "write", false, "write the counts to "+figuresFile+", unless one is above it")
	flag.BoolVar(&o.list, "list", false, "list the functions")
	flag.Parse()
	err := errors.New("trip takes no arguments")
	switch {
	case flag.NArg() > 0:
	case o.call != "":
		err = runCall(context.Background(), o.call, o.counters)
	default:
		err = count(context.Background(), os.Stdout, o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "trip:", err)
		os.Exit(1)
	}
}

type options struct {
	call, counters string
	write, list    bool
}

// count counts what each call enters, writes the counts to out and compares them with
// those on record.
func count(ctx context.Context, out io.Writer, o options) error {
	work, err := os.MkdirTemp("", "hush-trip-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	built := filepath.Join(work, "trip")
	if err := build(ctx, built); err != nil {
		return err
	}
	var counted []figures
	for _, name := range callNames() {
		entered, err := enteredBy(ctx, built, name, work)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		counted = append(counted, entered.figures(name))
		if o.list {
			fmt.Fprintf(out, "%s enters\n\t%s\n", name, strings.Join(entered.names(), "\n\t"))
		}
	}
	text, err := os.ReadFile(filepath.Join(root, figuresFile))
	if err != nil {
		return err
	}
	allowed, err := parse(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", figuresFile, err)
	}
	fmt.Fprint(out, format(counted))
	if err := compare(out, counted, allowed); err != nil || !o.write {
		return err
	}
	return os.WriteFile(filepath.Join(root, figuresFile), []byte(format(counted)), 0o600)
}

// build builds this program with counters in all packages of Hush that people write. It
// has some itself, without which a program has none at all.
func build(ctx context.Context, name string) error {
	listed, err := output(ctx, "go", "list", "-C", root, "./...")
	if err != nil {
		return err
	}
	packages := slices.DeleteFunc(strings.Fields(listed), func(name string) bool {
		return strings.HasPrefix(name, module+"gen/")
	})
	packages = append(packages, module+program)
	_, err = output(ctx, "go", "build", "-cover", "-covermode=atomic", "-coverpkg="+strings.Join(packages, ","), "-o", name, module+program)
	return err
}

// enteredBy returns the functions that a call enters, which each run must agree on.
func enteredBy(ctx context.Context, built, name, work string) (first functions, err error) {
	for run := range runs {
		counters := filepath.Join(work, fmt.Sprintf("%s-%d", name, run))
		if err := os.Mkdir(counters, 0o700); err != nil {
			return nil, err
		}
		if _, err := output(ctx, built, "-call", name, "-counters", counters); err != nil {
			return nil, err
		}
		profile := filepath.Join(work, "profile")
		if _, err := output(ctx, "go", "tool", "covdata", "textfmt", "-i", counters, "-o", profile); err != nil {
			return nil, err
		}
		text, err := os.ReadFile(profile)
		if err != nil {
			return nil, err
		}
		entered, err := readProfile(root, string(text))
		if err != nil {
			return nil, err
		}
		if len(entered) == 0 {
			return nil, errors.New("the counters say that the call entered nothing")
		}
		if first == nil {
			first = entered
		}
		if other := first.difference(entered); len(other) > 0 {
			return nil, fmt.Errorf("runs 1 and %d do not agree about %s", run+1, strings.Join(other, ", "))
		}
	}
	return first, nil
}

// output runs a program and returns its standard output. Its error has what the program
// wrote about it.
func output(ctx context.Context, name string, args ...string) (string, error) {
	var out, complaints strings.Builder
	cmd := exec.CommandContext(ctx, name, args...) //nolint:gosec // go, and what go built from this folder
	cmd.Stdout, cmd.Stderr = &out, &complaints
	// A program with counters writes all of them when it ends. These are not wanted.
	exit, err := os.MkdirTemp("", "hush-trip-exit-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(exit)
	cmd.Env = append(os.Environ(), "GOCOVERDIR="+exit)
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(append([]string{filepath.Base(name)}, args[:min(2, len(args))]...), " "), err, complaints.String())
	}
	return out.String(), nil
}
