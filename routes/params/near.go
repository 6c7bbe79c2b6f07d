package params

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"hush/routes/refusal"
)

// guard is a parameter whose near misses are refused. Routes ignore what they do not
// know, as their clients expect. But a misspelt passphrase, lifetime or recipient would be
// lost without a word: the secret would be open to everyone who has the link, live for
// the usual time, or reach no one.
type guard struct {
	name    string
	letters letters
}

func newGuard(name string) guard {
	g := guard{name: name}
	for _, r := range name {
		g.letters.add(r)
	}
	return g
}

// NearMiss refuses a name that is almost that of one of the guarded parameters that
// are declared, see Only, and a name that no route reads in which such a parameter
// is a part: data[ttl]. The refusal shows the name, and never a value: a name that
// is so close to a known one is not a misread secret.
func (p Params) NearMiss() error {
	var room [4]guard // so that a request without a near miss takes no memory
	declared := room[:0]
	for _, g := range p.names.guards {
		if p.declares(g.name) {
			declared = append(declared, g)
		}
	}
	for _, s := range p.sources() {
		// The first one in alphabetical order, so that equal requests have equal refusals.
		var first string
		var found miss
		for name := range s {
			if found.meant != "" && name > first {
				continue
			}
			if m := missIn(name, declared); m.meant != "" && !isRead(name, declared) {
				first, found = name, m
			}
		}
		if found.meant != "" {
			return refusal.NearMiss(shown(first, found), found.meant)
		}
	}
	return nil
}

// isRead reports whether routes look at a name: that of a guard, or one below it,
// which they refuse themselves.
func isRead(name string, declared []guard) bool {
	base, _, nested := strings.Cut(name, "[")
	for _, g := range declared {
		if base == g.name {
			return !nested || isWellFormed(name)
		}
	}
	return false
}

// keepMiss keeps a name that no route reads for NearMiss, without its value. That it
// is below a guard is no reason: the guard's own entry says so.
func (s source) keepMiss(name string, all []guard) {
	unread := name
	if isRead(name, all) {
		_, unread, _ = strings.Cut(name, "[")
	}
	if m := missIn(unread, all); m.meant != "" {
		s.at(name)
	}
}

// miss is the guard that a name almost has, and where in the name it is. Meant is
// empty if there is none.
type miss struct {
	from, to int
	meant    string
}

// missIn compares the pieces of a name with the guards: the first ones, as many as
// JSON may be deep, and the last one. It also compares the name as a whole, because
// pass.phrase and pass[phrase] are spelled like passphrase.
func missIn(name string, all []guard) miss {
	var whole, piece letters
	from, count := 0, 0
	wrapper := len(name) - len(strings.TrimPrefix(name, "secret["))
	name = strings.TrimRight(name, betweenPieces)
	for i, r := range name {
		if !endsPiece(r) {
			piece.add(r)
			if i >= wrapper {
				whole.add(r)
			}
			continue
		}
		if piece.length > 0 && count < maxDepth {
			count++
			if meant := piece.near(all); meant != "" {
				return miss{from, i, meant}
			}
		}
		piece.length, from = 0, i+1
	}
	if meant := piece.near(all); meant != "" || count == 0 {
		return miss{from, len(name), meant}
	}
	return miss{0, len(name), whole.near(all)}
}

// betweenPieces separates the pieces of a name. The semicolon is what an escaped &
// leaves: amp;passphrase.
const betweenPieces = "[].;"

func endsPiece(r rune) bool { return r == '[' || r == ']' || r == '.' || r == ';' }

func isWellFormed(name string) bool {
	parts, _ := splitName(name)
	return parts != nil
}

// shown returns what a refusal shows of a name: the piece that is almost a guard, and
// what stands before it if that is almost the wrapper. Everything else may be a
// misread secret.
func shown(name string, m miss) string {
	before, piece, after := name[:m.from], name[m.from:m.to], name[m.to:]
	wellFormed := isWellFormed(name)
	switch {
	case strings.Trim(after, betweenPieces) == "":
	case wellFormed && before == "" && piece != m.meant:
		after = "" // passphrse[0] is told like passphrse
	default:
		after = after[:1] + "…"
	}
	if wellFormed && before == "secret[" { // the source has it without its wrapper
		before = "secret[secret]["
	} else if !isWrapper(before) {
		before = "…" + before[len(before)-1:]
	}
	return clipped(before + piece + after)
}

// isWrapper reports whether the text before a piece is nothing or almost secret[.
func isWrapper(before string) bool {
	var got, want letters
	for _, r := range before {
		got.add(r)
	}
	for _, r := range "secret" {
		want.add(r)
	}
	return got.length == 0 || got.isNear(&want)
}

// maxShown is the maximum bytes of a name in a refusal.
const maxShown = 64

func clipped(name string) string {
	if len(name) <= maxShown {
		return name
	}
	end := maxShown
	for end > maxShown-utf8.UTFMax && !utf8.RuneStart(name[end]) {
		end--
	}
	return name[:end] + "…"
}

// maxLetters is enough for the longest guard and its typing errors.
const maxLetters = 12

// letters are the lower-case letters of a name without what separates words, and
// without brackets. The length goes on to maxLetters+1, which is near nothing.
type letters struct {
	runes  [maxLetters]rune
	length int
}

func (l *letters) add(r rune) {
	switch {
	case l.length > maxLetters, r == '_', r == '-', r == ' ', endsPiece(r):
		return
	case l.length < maxLetters:
		l.runes[l.length] = unicode.ToLower(r)
	}
	l.length++
}

// near returns the name of the guard that has almost these letters, or an empty one.
func (l *letters) near(all []guard) string {
	for i := range all {
		if l.isNear(&all[i].letters) {
			return all[i].name
		}
	}
	return ""
}

// isNear compares names by their letters alone, in lower case: pass-phrase and
// passPhrase are spelled like passphrase. Apart from that, each four letters of the
// name that is meant allow one typing error, and every name allows one: tll is ttl,
// and pasphrse is passphrase, but title and has_passphrase are words of their own.
func (l *letters) isNear(meant *letters) bool {
	errors := max(1, meant.length/4)
	if l.length > maxLetters || max(l.length-meant.length, meant.length-l.length) > errors {
		return false
	}
	return distance(l.runes[:l.length], meant.runes[:meant.length]) <= errors
}

// distance returns how many typing errors turn a into b: letters that are missing,
// added or wrong, and neighbours that are swapped (the optimal string alignment).
// Neither has more than maxLetters letters.
func distance(a, b []rune) int {
	var rows [3][maxLetters + 1]int
	before, last, row := &rows[0], &rows[1], &rows[2]
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
