package params

import (
	"maps"
	"slices"
	"strings"

	"hush/routes/refusal"
)

// guards returns the parameters whose near misses are refused. Routes ignore what
// they do not know, as their clients expect. But a misspelt passphrase, lifetime or
// recipient would be lost without a word: the secret would be open to everyone who has
// the link, live for the usual time, or reach no one.
func guards() []string { return []string{"passphrase", "ttl", "recipient"} }

// NearMiss refuses a name that is almost that of one of the guarded parameters that
// are declared, see Only. The refusal shows the name, and never a value: a name that
// is so close to a known one is not a misread secret.
func (p Params) NearMiss() error {
	for _, s := range p.sources() {
		for _, name := range slices.Sorted(maps.Keys(s)) {
			for _, field := range p.declared {
				if shown, missed := misses(name, field.Name); missed {
					return refusal.NearMiss(shown, field.Name)
				}
			}
		}
	}
	return nil
}

// keepMiss keeps a malformed name for NearMiss, without its value.
func (s source) keepMiss(name string) {
	if len(name) > maxName {
		return
	}
	for _, meant := range guards() {
		if _, missed := misses(name, meant); missed {
			s.at(name)
		}
	}
}

// misses reports whether a name is a near miss of a parameter, and returns what a
// refusal shows of it. A malformed name is one even if its letters are the right
// ones: no route reads it.
func misses(name, meant string) (shown string, missed bool) {
	if !slices.Contains(guards(), meant) {
		return "", false
	}
	parts, _ := splitName(name)
	if parts == nil {
		return name, isNear(strings.TrimPrefix(name, "secret["), meant)
	}
	return parts[0], parts[0] != meant && isNear(parts[0], meant)
}

// isNear compares names by their letters alone, in lower case: pass-phrase and
// passPhrase are spelled like passphrase. Apart from that, each four letters of the
// name that is meant allow one typing error, and every name allows one: tll is ttl,
// and pasphrse is passphrase, but title and has_passphrase are words of their own.
func isNear(name, meant string) bool {
	errors := max(1, len(meant)/4)
	got, want := letters(name), []rune(meant)
	return max(len(got)-len(want), len(want)-len(got)) <= errors && distance(got, want) <= errors
}

// letters returns the lower-case letters of a name without what separates words, and
// without brackets.
func letters(name string) []rune {
	return []rune(strings.ToLower(strings.NewReplacer("_", "", "-", "", ".", "", " ", "", "[", "", "]", "").Replace(name)))
}

// distance returns how many typing errors turn a into b: letters that are missing,
// added or wrong, and neighbours that are swapped (the optimal string alignment).
func distance(a, b []rune) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range b {
			wrong := last[j]
			if a[i] != b[j] {
				wrong++
			}
			row[j+1] = min(wrong, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
