package settings

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hush/cli/command"
	"hush/cli/console"
	"hush/cli/flags"
)

// Sources say which flag, variable or line of a file gave the settings of a
// command their values. Those that are not there have their defaults.
type Sources struct {
	of    map[string]string // by the name of the setting
	empty []string          // what is empty and counts as not set
}

// Of returns what gave a setting its value; empty for its default.
func (sources *Sources) Of(name string) string { return sources.of[name] }

// Reader gives the settings of one call of the program their values. It reads a
// configuration file once, since a pipe gives what it has to one reader only.
type Reader struct {
	environment []string
	files       map[string]configuration // by path
}

// NewReader returns a Reader of an environment.
func NewReader(environment []string) *Reader {
	return &Reader{environment: environment, files: map[string]configuration{}}
}

// Apply sets the flags that were not given from their variables, then from the
// configuration file. The usage error that it returns names every mistake, and the
// warnings each value that is empty and counts as not set. It returns
// console.ErrInterrupted if ctx ends while it waits for the file.
func (r *Reader) Apply(ctx context.Context, set *pflag.FlagSet) (warnings []string, err error) {
	sources, mistakes := r.Gather(ctx, set)
	if len(mistakes) == 0 {
		return sources.Warnings(), nil
	}
	for _, err := range mistakes {
		if errors.Is(err, console.ErrInterrupted) {
			return nil, err
		}
	}
	return nil, command.Usage("%v", errors.Join(mistakes...))
}

// UsePackaged makes the settings of a command begin with the configuration file of a
// package, which its service reads: a command without any place looks after that
// service. What names another place, or cannot read the file, is left as it is.
func (r *Reader) UsePackaged(set *pflag.FlagSet, path string) {
	config := set.Lookup(configName)
	if config == nil || set.Lookup("data") == nil {
		return
	}
	for _, name := range []string{configName, "data", "store", "root-key-file"} {
		given := set.Changed(name) || slices.ContainsFunc(r.environment, func(entry string) bool {
			return strings.HasPrefix(entry, Variable(name)+"=")
		})
		if given {
			return
		}
	}
	file, err := os.Open(path)
	if err != nil {
		return
	}
	_ = file.Close()
	_ = config.Value.Set(path)
}

// Warnings name what is empty in the environment and the file, and counts as not set.
func (sources *Sources) Warnings() (warnings []string) {
	for _, source := range slices.Sorted(slices.Values(sources.empty)) {
		warnings = append(warnings, source+" is empty, which counts as not set")
	}
	return warnings
}

// needsValue reports whether a variable or a line for a setting must not be empty: without
// the setting the data would be in another place, or a protection would be gone. An empty
// one is mostly that of a variable that was forgotten.
func needsValue(name string) bool { return slices.Contains(needingValue(), name) }

func needingValue() []string {
	return []string{
		configName, "data", "store", "root-key-file", "spent-log", "backup-to", "backup-recipient", "backup-plain",
		"base-url", "trusted-proxies", "resolver", "tls-cert", "tls-key", "acme", "acme-directory",
		"smtp-tls", "smtp-password-file", "spam-key-file", "sandbox",
		"metrics-tls-cert", "metrics-tls-key", "metrics-token-file", "metrics-client-ca",
		"sign-up", "sign-up-domains", "anonymous-create", "encryption", "requests", "passphrase-required", "passphrase-min",
	}
}

// Gather does what Apply does, goes on after a mistake, and returns where the
// values come from.
func (r *Reader) Gather(ctx context.Context, set *pflag.FlagSet) (sources *Sources, mistakes []error) {
	sources = &Sources{of: map[string]string{}}
	set.Visit(func(f *pflag.Flag) { sources.of[f.Name] = "--" + f.Name })
	mistakes = sources.readEnvironment(set, r.environment)
	if config := set.Lookup(configName); config != nil && config.Value.String() != "" {
		path := config.Value.String()
		entries, err := r.load(ctx, path)
		if err != nil {
			return sources, append(mistakes, err)
		}
		mistakes = append(mistakes, sources.readFile(set, path, entries)...)
	}
	return sources, mistakes
}

// byCommandAnnotation is the annotation of a command that reads settings itself.
const byCommandAnnotation = "hush_reads_settings"

// ReadByCommand makes Apply leave the settings of a command to the command.
func ReadByCommand(c *cobra.Command) {
	if c.Annotations == nil {
		c.Annotations = map[string]string{}
	}
	c.Annotations[byCommandAnnotation] = "yes"
}

// IsReadByCommand reports whether a command reads its settings itself.
func IsReadByCommand(c *cobra.Command) bool { return c.Annotations[byCommandAnnotation] != "" }

// flagNames finds the flags that an error names.
var flagNames = regexp.MustCompile(`--([a-z][a-z-]*)`)

// Locate adds to an error where the first setting that it names was set, unless
// that was a flag.
func (sources *Sources) Locate(err error) error {
	for _, found := range flagNames.FindAllStringSubmatch(err.Error(), -1) {
		source := sources.of[found[1]]
		if source != "" && !strings.HasPrefix(source, "--") {
			return fmt.Errorf("%s: %w", strings.TrimSuffix(source, ": "+found[1]), err)
		}
	}
	return err
}

// HasPassword reports whether the configuration file has the value of a flag
// that may hold a password.
func (sources *Sources) HasPassword(set *pflag.FlagSet) (has bool) {
	set.VisitAll(func(f *pflag.Flag) {
		if source := sources.of[f.Name]; flags.IsSecret(f) && strings.HasSuffix(source, ": "+f.Name) {
			has = has || credentials.MatchString(f.Value.String())
		}
	})
	return has
}

// credentials are a password in a URL.
var credentials = regexp.MustCompile(`://[^/@]*:[^/@]+@|password=`)

// Variable is the name of a flag in the environment.
func Variable(flagName string) string {
	return "HUSH_" + strings.ToUpper(strings.ReplaceAll(flagName, "-", "_"))
}

// readEnvironment sets flags from their variables, and refuses variables that no
// flag of the program has. It ignores those that Kubernetes injects for a Service
// whose name begins with hush, and those of commands that call a server.
func (sources *Sources) readEnvironment(set *pflag.FlagSet, environment []string) (mistakes []error) {
	known := map[string]string{}
	for _, name := range Names() {
		known[Variable(name)] = name
	}
	for _, entry := range environment {
		key, value, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(key, "HUSH_") || command.IsInjected(key, value) || slices.Contains(command.ClientVariables(), key) {
			continue
		}
		if key == Variable(movedName) {
			mistakes = append(mistakes, fmt.Errorf("%s: %w", key, errMoved))
			continue
		}
		name, ok := known[key]
		if !ok {
			mistakes = append(mistakes, fmt.Errorf("unknown variable %s in the environment%s", key, suggestion(key, known)))
			continue
		}
		if err := sources.set(set, name, key, value); err != nil {
			mistakes = append(mistakes, err)
		}
	}
	return mistakes
}

func suggestion(key string, known map[string]string) string {
	names := make([]string, 0, len(known))
	for name := range known {
		names = append(names, name)
	}
	if near := command.Nearest(key, names); near != "" {
		return fmt.Sprintf("; did you mean %s?", near)
	}
	return ""
}

// set gives a setting its value from a source, unless the command does not have
// it or a source of higher precedence did. A flag that takes a list gets each of
// the values.
func (sources *Sources) set(set *pflag.FlagSet, name, source string, values ...string) error {
	f := set.Lookup(name)
	if f == nil || sources.of[name] != "" {
		return nil
	}
	if !slices.ContainsFunc(values, func(value string) bool { return strings.TrimSpace(value) != "" }) {
		if needsValue(name) {
			return fmt.Errorf("%s: must not be empty: give it a value, or remove it", source)
		}
		sources.empty = append(sources.empty, source)
		return nil
	}
	if slices.ContainsFunc(values, func(value string) bool { return flags.IsFromHome(f, value) }) {
		return fmt.Errorf("%s: must not begin with ~, which only a shell knows: write the whole path", source)
	}
	sources.of[name] = source
	if !flags.IsRepeated(f) {
		values = []string{strings.Join(values, ",")}
	}
	for _, value := range values {
		if err := f.Value.Set(value); err != nil {
			return fmt.Errorf("%s: %w", source, err)
		}
	}
	return nil
}

// Variables returns the names of the variables of all settings.
func Variables() []string {
	names := Names()
	for i, name := range names {
		names[i] = Variable(name)
	}
	return names
}
