package people

import (
	"path/filepath"
	"strings"
	"unicode/utf8"

	"hush/client"
	"hush/cmd/hush/people/pending"
)

// defaultFileName is the name of a file for a content without one.
const defaultFileName = "secret"

// nameOf returns the name for a content in the folder of an output file.
func (t *outputFile) nameOf(content client.Content) string { return safeName(content, t.keepDot) }

// safeName returns the file name that a sender gave, without what could surprise: it is
// no option of a command, is short enough for a disk, and begins with a dot, as .env
// does, only if keepDot allows that.
func safeName(content client.Content, keepDot bool) string {
	name := filepath.Base(filepath.Clean("/" + strings.ToValidUTF8(content.FileName, "_")))
	if name == string(filepath.Separator) {
		return defaultFileName
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
		return defaultFileName
	case keepDot && name == "."+plain && !strings.HasPrefix(name, temporaryPrefix):
		return shortenFileName(name)
	default:
		return shortenFileName(plain)
	}
}

// shortenFileName cuts a name and keeps its extension.
func shortenFileName(name string) string {
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
