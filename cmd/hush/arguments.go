package main

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
)

// form is how a command is called.
type form struct {
	name      string
	arguments string // as help shows them; empty for a command that takes none
	least     int    // of arguments
	most      int
	flags     []string            // of the one list
	own       func(*flag.FlagSet) // adds flags that no variable stands for; nil for none
}

// parsedArgs are a command's settings and its arguments.
type parsedArgs struct {
	settings
	rest []string
}

// parse reads a command's flags and, for those not given, the environment. It
// refuses unknown flags and unknown variables, and prints help if asked to.
// How many arguments there are is for the command to check.
func (p program) parse(name, arguments string, args []string, flags ...string) (*parsedArgs, error) {
	f := form{name: name, arguments: arguments, flags: flags}
	if arguments != "" {
		f.most = len(args)
	}
	return p.parseForm(f, args)
}

// parseForm is parse for a command with flags of its own. Flags may stand
// before, between and behind the arguments; "--" ends them.
func (p program) parseForm(f form, args []string) (*parsedArgs, error) {
	out, err := p.parseArgs(f, args)
	return out, usageOf(f.name, err)
}

func (p program) parseArgs(f form, args []string) (*parsedArgs, error) {
	var out parsedArgs
	set := flag.NewFlagSet(f.name, flag.ContinueOnError)
	set.SetOutput(p.stderr)
	set.Usage = func() { describe(set, f.arguments) }
	out.register(set, f.flags...)
	if f.own != nil {
		f.own(set)
	}
	if slices.Contains(args, "--help") || slices.Contains(args, "-help") || slices.Contains(args, "-h") {
		set.SetOutput(p.stdout)
	}
	if err := parseQuietly(set, flagsFirst(set, args)); err != nil {
		return nil, err
	}
	if err := applyEnvironment(set, p.environment); err != nil {
		return nil, err
	}
	out.rest = set.Args()
	return &out, f.count(out.rest)
}

// count returns a usage error for too few or too many arguments.
func (f form) count(rest []string) error {
	switch n := len(rest); {
	case f.most == 0 && n > 0:
		return usage("%s takes no argument %q", f.name, rest[0])
	case n >= f.least && n <= f.most:
		return nil
	case f.most == 1:
		return usage("%s: expected 1 argument, got %d", f.name, n)
	case f.least == f.most:
		return usage("%s: expected %d arguments, got %d", f.name, f.least, n)
	default:
		return usage("%s: expected %d to %d arguments, got %d", f.name, f.least, f.most, n)
	}
}

// flagsFirst puts flags before arguments, as package flag wants them.
func flagsFirst(set *flag.FlagSet, args []string) []string {
	var flags, rest []string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			rest = append(rest, args[i+1:]...)
			break
		}
		if len(arg) < 2 || arg[0] != '-' {
			rest = append(rest, arg)
			continue
		}
		flags = append(flags, arg)
		if !takesValue(set, arg) {
			continue
		}
		if i++; i == len(args) {
			return flags // for package flag to miss the value
		}
		flags = append(flags, args[i])
	}
	return append(append(flags, "--"), rest...)
}

// takesValue tells whether the value of a flag is the argument behind it.
func takesValue(set *flag.FlagSet, arg string) bool {
	name := strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-")
	found := set.Lookup(name)
	if found == nil {
		return false
	}
	toggle, ok := found.Value.(interface{ IsBoolFlag() bool })
	return !ok || !toggle.IsBoolFlag()
}

// parseQuietly parses without flag's habit of printing help for every mistake.
func parseQuietly(set *flag.FlagSet, args []string) error {
	help := set.Usage
	set.Usage = func() {}
	out := set.Output()
	set.SetOutput(discard{})
	err := set.Parse(args)
	set.SetOutput(out)
	if errors.Is(err, flag.ErrHelp) {
		help()
		return err
	}
	if err != nil {
		return usage("%s: %s", set.Name(), twoDashes(err.Error()))
	}
	return nil
}

// twoDashes writes the flag in an error of package flag as help does.
func twoDashes(text string) string {
	for _, before := range []string{" for flag ", "not defined: ", "an argument: "} {
		text = strings.Replace(text, before+"-", before+"--", 1)
	}
	return text
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }

// describe prints a command's help.
func describe(set *flag.FlagSet, arguments string) {
	w := set.Output()
	fmt.Fprintf(w, "Usage: hush %s [FLAGS]", set.Name())
	if arguments != "" {
		fmt.Fprintf(w, " %s", arguments)
	}
	fmt.Fprintf(w, "\n\nFlags, and the variables that stand for them:\n")
	listed := new(settings).flags()
	set.VisitAll(func(f *flag.Flag) {
		value, text := flag.UnquoteUsage(f)
		text = strings.TrimSuffix(text, ", "+value) // the words of a choice
		fmt.Fprintf(w, "  --%s %s", f.Name, value)
		if listed[f.Name] != nil {
			fmt.Fprintf(w, "   (%s)", variable(f.Name))
		}
		fmt.Fprintf(w, "\n      %s", text)
		if f.DefValue != "" && f.DefValue != "false" {
			fmt.Fprintf(w, " (default %s)", f.DefValue)
		}
		fmt.Fprintln(w)
	})
}

// variable is the name of a flag in the environment.
func variable(flagName string) string {
	return "HUSH_" + strings.ToUpper(strings.ReplaceAll(flagName, "-", "_"))
}

// applyEnvironment sets flags that were not given from their variables, and
// refuses variables that no flag of the program has. What Kubernetes injects
// for a Service called hush is nobody's setting.
func applyEnvironment(set *flag.FlagSet, environment []string) error {
	given := map[string]bool{}
	set.Visit(func(f *flag.Flag) { given[f.Name] = true })
	known := map[string]string{}
	for _, name := range flagNames() {
		known[variable(name)] = name
	}
	for _, entry := range environment {
		key, value, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(key, "HUSH_") || injected(key) {
			continue
		}
		name, ok := known[key]
		if !ok {
			return usage("unknown variable %s in the environment", key)
		}
		if set.Lookup(name) == nil || given[name] {
			continue
		}
		if err := set.Set(name, value); err != nil {
			return usage("%s: %v", key, err)
		}
	}
	return nil
}

func injected(key string) bool {
	return key == "HUSH_PORT" || strings.HasPrefix(key, "HUSH_PORT_") || strings.HasPrefix(key, "HUSH_SERVICE_")
}
