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
func (o *openCommand) deliver(ctx context.Context, s *revealer, to *outputFile, content client.Content) (after func() error, err error) {
	switch {
	case to != nil && (!o.placeAsked || o.notForTerminal(content) != ""):
		err = to.save(content)
		after = func() error { return o.report(s, content, to) }
	case o.copy:
		after, err = o.copyText(ctx, s, content)
	case o.asJSON:
		err = o.outputError(o.printJSON(s, content, nil, true))
	case o.force || !o.console.OutIsTerminal():
		_, err = o.console.Out.Write(content.Bytes)
		err = o.outputError(err)
	default:
		err = o.show(s, content)
	}
	if err != nil {
		return nil, s.rescue(ctx, err, content.Bytes, outputName(to, content), outputFolders(to)...)
	}
	return after, nil
}

// outputError returns the error for what did not reach standard output.
func (o *openCommand) outputError(err error) error {
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
func (o *openCommand) show(s *revealer, content client.Content) error {
	reason := o.notForTerminal(content)
	switch {
	case reason == "":
	case s.canRepeat():
		return fmt.Errorf("%s, which is not printed to a terminal: name a file with --output", reason)
	default:
		// No later run gets it again, so that this is the last chance to see it.
		s.tellf("%s; it cannot be asked for again, so here it is with escapes", reason)
	}
	text := console.Printable(content.Bytes)
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	_, err := fmt.Fprint(o.console.Out, text)
	return o.outputError(err)
}

// notForTerminal returns why a content is not for a terminal; empty if it is.
func (o *openCommand) notForTerminal(content client.Content) string {
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
func (o *openCommand) report(s *revealer, content client.Content, to *outputFile) error {
	if o.asJSON {
		return o.printJSON(s, content, to, false)
	}
	verb := "saved"
	if to.wasSaved {
		verb = "an earlier run saved"
	}
	s.tellf("%s %s to %q", verb, console.Count(len(content.Bytes), "bytes"), to.path)
	return nil
}

// errNoText says that a content cannot be copied.
var errNoText = errors.New("the content is no text, which the clipboard needs: use --output")

// copyText puts a text into the clipboard. What it returns waits and clears it.
func (o *openCommand) copyText(ctx context.Context, s *revealer, content client.Content) (after func() error, err error) {
	if console.IsBinary(content.Bytes) {
		return nil, errNoText
	}
	wipe, err := o.console.Copy(ctx, string(content.Bytes))
	if err != nil {
		return nil, err
	}
	return func() error {
		if o.asJSON {
			if err := o.printJSON(s, content, nil, false); err != nil {
				return errors.Join(err, wipe())
			}
		}
		return o.console.ClearAfter(ctx, wipe, o.copyFor)
	}, nil
}

// openedJSON is what --json prints.
type openedJSON struct {
	Answer     int     `json:"answer,omitempty"`
	Kind       string  `json:"kind,omitempty"`
	FileName   string  `json:"file_name,omitempty"`
	Note       string  `json:"note,omitempty"`
	Size       int64   `json:"size"`
	Encryption string  `json:"encryption"`
	Server     string  `json:"server"`
	Output     string  `json:"output,omitempty"`
	Copied     bool    `json:"copied,omitempty"`
	Text       *string `json:"text,omitempty"`
	Base64     *string `json:"base64,omitempty"`
}

// printJSON prints what is known of a content, and the content itself if it goes
// nowhere else.
func (o *openCommand) printJSON(s *revealer, content client.Content, to *outputFile, withContent bool) error {
	object := openedJSON{
		Answer: o.answer, Kind: "text", FileName: content.FileName, Size: int64(len(content.Bytes)),
		Encryption: s.encryption().String(), Server: s.link.Server, Copied: o.copy,
	}
	if content.IsFile {
		object.Kind = "file"
	}
	if to != nil {
		object.Output = to.path
	}
	if withContent {
		text := string(content.Bytes)
		if utf8.ValidString(text) {
			object.Text = &text
		} else {
			encoded := base64.StdEncoding.EncodeToString(content.Bytes)
			object.Base64 = &encoded
		}
	}
	return printJSON(o.console, object)
}
