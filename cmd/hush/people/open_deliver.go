package people

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"strings"
	"unicode/utf8"

	"hush/cli/console"
	"hush/client"
)

// deliver puts a content to its place. It returns what remains to be done once the
// server knows that the content arrived; nil for nothing. It never ends with a content
// that no one has.
func (o *opener) deliver(ctx context.Context, s *Secret, to *target, content client.Content) (after func() error, err error) {
	switch {
	case to != nil && (!o.asked || o.unprintable(content) != ""):
		err = to.save(content)
		after = func() error { return o.report(s, content, to) }
	case o.copy:
		after, err = o.copyText(ctx, s, content)
	case o.json:
		err = o.written(o.printFacts(s, content, nil, true))
	case o.force || !o.console.OutIsTerminal():
		_, err = o.console.Out.Write(content.Bytes)
		err = o.written(err)
	default:
		err = o.show(s, content)
	}
	if err != nil {
		return nil, s.Rescue(ctx, err, content.Bytes, nameIn(to, content), foldersOf(to)...)
	}
	return after, nil
}

// written returns the error for what did not reach standard output.
func (o *opener) written(err error) error {
	if err == nil {
		err = syncOutput(o.console)
	}
	if err != nil {
		return fmt.Errorf("writing to standard output: %w", err)
	}
	return nil
}

// syncOutput makes what was printed last if standard output is a file.
func syncOutput(on *console.Console) error {
	file, ok := on.Out.(*os.File)
	if !ok {
		return nil
	}
	info, err := file.Stat()
	if err == nil && info.Mode().IsRegular() {
		err = file.Sync()
	}
	return err
}

// show prints a content to a terminal, as what it cannot obey. What is no text is not
// printed as long as a later run gets it again.
func (o *opener) show(s *Secret, content client.Content) error {
	reason := o.unprintable(content)
	switch {
	case reason == "":
	case s.CanRepeat():
		return fmt.Errorf("%s, which is not printed to a terminal: name a file with --output", reason)
	default:
		// No later run gets it again, so that this is the last chance to see it.
		o.console.Tellf("%s; it cannot be asked for again, so here it is with escapes", reason)
	}
	text := console.Printable(content.Bytes)
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	_, err := fmt.Fprint(o.console.Out, text)
	return o.written(err)
}

// unprintable returns why a content is not for a terminal; empty if it is.
func (o *opener) unprintable(content client.Content) string {
	size := console.Count(len(content.Bytes), "bytes")
	switch {
	case content.IsFile && content.FileName != "" && o.output != "-":
		return fmt.Sprintf("the content is the file %q of %s", content.FileName, size)
	case content.IsFile && o.output != "-":
		return "the content is a file of " + size
	case console.IsBinary(content.Bytes):
		return "the content is binary, of " + size
	default:
		return ""
	}
}

// report says which file has the content.
func (o *opener) report(s *Secret, content client.Content, to *target) error {
	if o.json {
		return o.printFacts(s, content, to, false)
	}
	verb := "saved"
	if to.was {
		verb = "an earlier run saved"
	}
	o.console.Tellf("%s %s to %q", verb, console.Count(len(content.Bytes), "bytes"), to.path)
	return nil
}

// errNotText says that a content cannot be copied.
var errNotText = errors.New("the content is no text, which the clipboard needs: use --output")

// copyText puts a text into the clipboard. What it returns waits and clears it.
func (o *opener) copyText(ctx context.Context, s *Secret, content client.Content) (after func() error, err error) {
	if console.IsBinary(content.Bytes) {
		return nil, errNotText
	}
	wipe, err := o.console.Copy(ctx, string(content.Bytes))
	if err != nil {
		return nil, err
	}
	return func() error {
		if o.json {
			if err := o.printFacts(s, content, nil, false); err != nil {
				return errors.Join(err, wipe())
			}
		}
		return o.console.ClearAfter(ctx, wipe, o.copyFor)
	}, nil
}

// openedJSON is what --json prints.
type openedJSON struct {
	Kind       string  `json:"kind,omitempty"`
	FileName   string  `json:"file_name,omitempty"`
	Size       int     `json:"size"`
	Encryption string  `json:"encryption"`
	Server     string  `json:"server"`
	Output     string  `json:"output,omitempty"`
	Copied     bool    `json:"copied,omitempty"`
	Text       *string `json:"text,omitempty"`
	Base64     *string `json:"base64,omitempty"`
}

// printFacts prints what is known of a content, and the content itself if it goes
// nowhere else.
func (o *opener) printFacts(s *Secret, content client.Content, to *target, whole bool) error {
	f := openedJSON{
		Kind: "text", FileName: content.FileName, Size: len(content.Bytes),
		Encryption: s.Encryption().String(), Server: s.Link.Server, Copied: o.copy,
	}
	if content.IsFile {
		f.Kind = "file"
	}
	if to != nil {
		f.Output = to.path
	}
	if whole {
		text := string(content.Bytes)
		if utf8.ValidString(text) {
			f.Text = &text
		} else {
			encoded := base64.StdEncoding.EncodeToString(content.Bytes)
			f.Base64 = &encoded
		}
	}
	return PrintJSON(o.console, f)
}
