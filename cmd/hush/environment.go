package main

import (
	"strings"

	"github.com/spf13/pflag"
)

// variable is the name of a flag in the environment.
func variable(flagName string) string {
	return "HUSH_" + strings.ToUpper(strings.ReplaceAll(flagName, "-", "_"))
}

// applyEnvironment sets flags that were not given from their variables, and
// refuses variables that no flag of the program has. It ignores those that
// Kubernetes injects for a Service called hush.
func applyEnvironment(set *pflag.FlagSet, environment []string) error {
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
		f := set.Lookup(name)
		if f == nil || f.Changed {
			continue
		}
		if err := f.Value.Set(value); err != nil {
			return usage("%s: %v", key, err)
		}
	}
	return nil
}

func injected(key string) bool {
	return key == "HUSH_PORT" || strings.HasPrefix(key, "HUSH_PORT_") || strings.HasPrefix(key, "HUSH_SERVICE_")
}
