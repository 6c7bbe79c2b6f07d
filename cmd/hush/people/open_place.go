package people

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"strings"

	"hush/client"
)

// newOutput returns the file to write to, ready to be written; nil for none.
func (o *openCommand) newOutput(s *revealer) (*outputFile, error) {
	if o.output == "" || o.output == "-" {
		return nil, nil
	}
	return o.newOutputAt(s, o.output)
}

// newOutputAt makes an output file of a path. It refuses a name that is taken where the name is
// known before the secret is opened, which is where the server encrypted it: it is a text.
func (o *openCommand) newOutputAt(s *revealer, path string) (*outputFile, error) {
	// The file of an earlier run that was cut off may be there already.
	to, err := newOutputFile(path, o.overwrite, s.isConsumed())
	if err != nil {
		return nil, err
	}
	for _, file := range to.leftovers {
		if !s.knowsTemporary(file) {
			o.tellLeftover(file)
		}
	}
	to.keepDot = to.isFolder && !o.overwrite && !o.isHome(to.path)
	if s.encryption() != client.EncryptionEndToEnd {
		err = to.checkName(client.Content{})
	}
	if err != nil {
		to.discard()
		return nil, err
	}
	return to, nil
}

// tellLeftover names a file that a killed run has left, and that no run comes back for.
func (o *openCommand) tellLeftover(file string) {
	o.console.Tellf("a run that was cut off left %q, which may have the content of a secret that opens no more: look at it, and delete it", file)
}

// isHome reports whether a folder is the home of the user, where names with a dot
// change what programs do.
func (o *openCommand) isHome(folder string) bool {
	var home string
	for _, entry := range o.environment {
		if value, ok := strings.CutPrefix(entry, "HOME="); ok {
			home = value
		}
	}
	of, err := os.Stat(folder)
	if err != nil {
		return true
	}
	at, err := os.Stat(home)
	return err == nil && os.SameFile(of, at)
}

// mayNeedOutput reports whether a content could be a file that has no place: only its
// sender's device knows whether it is one. Such a question is asked before the secret is
// opened, since the server keeps an opened one for two minutes only.
func (o *openCommand) mayNeedOutput(s *revealer) bool {
	isPlaced := o.output != "" || o.copy || o.asJSON || o.force
	return !isPlaced && s.encryption() == client.EncryptionEndToEnd && o.console.OutIsTerminal() && o.console.CanAsk()
}

// askOutput asks where to save the content if it is a file, until there is a place for
// it. It returns nil if it is to be printed.
func (o *openCommand) askOutput(ctx context.Context, s *revealer) (*outputFile, error) {
	for {
		path, err := o.console.Ask(ctx, "If it is a file, save it as (Enter for its own name in this folder, - to print it): ")
		if err != nil {
			return nil, err
		}
		if path = strings.TrimSpace(path); path == "-" {
			o.output = "-"
			return nil, nil
		}
		to, err := o.newOutputAt(s, cmp.Or(path, "."))
		if err == nil {
			to.keepDot = to.keepDot && path != "" // Enter chooses no folder
			o.placeAsked = true
			return to, nil
		}
		o.console.Tellf("%v", err)
	}
}

// outputName returns the name of the file for a content.
func outputName(to *outputFile, content client.Content) string {
	switch {
	case to == nil:
		return safeName(content, false)
	case to.isFolder:
		return to.nameOf(content)
	default:
		return filepath.Base(to.path)
	}
}

// outputFolders returns the folder of an output file; nothing without one.
func outputFolders(to *outputFile) []string {
	if to == nil {
		return nil
	}
	return []string{to.folder()}
}
