package people

import (
	"path/filepath"
	"strings"
	"unicode/utf8"

	"hush/client"
	"hush/cmd/hush/people/pending"
)

// unnamed is the name of a file for a content without one.
const unnamed = "secret"

// nameOf returns the name for a content in the folder of a target.
func (t *target) nameOf(content client.Content) string { return safeName(content, t.keepDot) }

// safeName returns the file name that a sender gave, without what could surprise: it is
// no option of a command, is short enough for a disk, and begins with a dot, as .env
// does, only if keepDot allows that.
func safeName(content client.Content, keepDot bool) string {
	name := filepath.Base(filepath.Clean("/" + strings.ToValidUTF8(content.FileName, "_")))
	if name == string(filepath.Separator) {
		return unnamed
	}
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == filepath.Separator || r == '\\' {
			return '_'
		}
		return r
	}, name)
	plain := strings.TrimLeft(name, ".- ")
	switch {
	case plain == "":
		return unnamed
	case keepDot && name == "."+plain && !strings.HasPrefix(name, temporaryPrefix):
		return shorten(name)
	default:
		return shorten(plain)
	}
}

// shorten cuts a name and keeps its extension.
func shorten(name string) string {
	if len(name) <= pending.NameLength {
		return name
	}
	extension := filepath.Ext(name)
	if len(extension) > pending.NameLength/4 {
		extension = ""
	}
	cut := pending.NameLength - len(extension)
	for cut > 0 && !utf8.RuneStart(name[cut]) {
		cut--
	}
	return name[:cut] + extension
}
