package settings

import (
	"strings"

	"hush/cmd/hush/command"

	"github.com/spf13/pflag"
)

// Variable is the name of a flag in the environment.
func Variable(flagName string) string {
	return "HUSH_" + strings.ToUpper(strings.ReplaceAll(flagName, "-", "_"))
}

// ApplyEnvironment sets flags that were not given from their variables, and
// refuses variables that no flag of the program has. It ignores those that
// Kubernetes injects for a Service called hush.
func ApplyEnvironment(set *pflag.FlagSet, environment []string) error {
	known := map[string]string{}
	for _, name := range Names() {
		known[Variable(name)] = name
	}
	for _, entry := range environment {
		key, value, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(key, "HUSH_") || injected(key) {
			continue
		}
		name, ok := known[key]
		if !ok {
			return command.Usage("unknown variable %s in the environment", key)
		}
		f := set.Lookup(name)
		if f == nil || f.Changed {
			continue
		}
		if err := f.Value.Set(value); err != nil {
			return command.Usage("%s: %v", key, err)
		}
	}
	return nil
}

func injected(key string) bool {
	return key == "HUSH_PORT" || strings.HasPrefix(key, "HUSH_PORT_") || strings.HasPrefix(key, "HUSH_SERVICE_")
}
