package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// figures count what one call enters.
type figures struct {
	call                       string
	functions, files, packages int
}

// format writes figures as they stand in the file, a line a call.
func format(all []figures) string {
	var text strings.Builder
	for _, f := range all {
		fmt.Fprintf(&text, "%s: %d functions, %d files, %d packages\n", f.call, f.functions, f.files, f.packages)
	}
	return text.String()
}

// parse reads what format wrote.
func parse(text string) (all []figures, err error) {
	for line := range strings.Lines(text) {
		var f figures
		call, counts, _ := strings.Cut(strings.TrimSpace(line), ":")
		if _, err := fmt.Sscanf(counts, "%d functions, %d files, %d packages", &f.functions, &f.files, &f.packages); err != nil {
			return nil, fmt.Errorf("line %q: %w", line, err)
		}
		f.call = call
		all = append(all, f)
	}
	return all, nil
}

// compare returns an error for each count above the allowed one, and for each call that
// only one of both has. It says on out which counts are below.
func compare(out io.Writer, counted, allowed []figures) error {
	limits := map[string]figures{}
	for _, f := range allowed {
		limits[f.call] = f
	}
	var above []error
	for _, f := range counted {
		limit, found := limits[f.call]
		delete(limits, f.call)
		if !found {
			above = append(above, fmt.Errorf("%s has no line for %s", figuresFile, f.call))
			continue
		}
		for _, c := range []struct {
			what       string
			got, limit int
		}{
			{"functions", f.functions, limit.functions}, {"files", f.files, limit.files}, {"packages", f.packages, limit.packages},
		} {
			if c.got > c.limit {
				above = append(above, fmt.Errorf("%s enters %d %s, want at most %d", f.call, c.got, c.what, c.limit))
			}
			if c.got < c.limit {
				fmt.Fprintf(out, "%s enters %d %s less than %s allows: keep it with make trip TRIP=-write\n", f.call, c.limit-c.got, c.what, figuresFile)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(limits)) {
		above = append(above, fmt.Errorf("%s has a line for %s, which is no call", figuresFile, name))
	}
	return errors.Join(above...)
}
