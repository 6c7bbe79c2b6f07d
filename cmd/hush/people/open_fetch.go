package people

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hush/cli/command"
	"hush/cli/console"
	"hush/client"
	"hush/cmd/hush/people/pending"
)

// isInParts reports whether the secret is a file that is fetched in parts.
func (s *revealer) isInParts() bool {
	if s.about.File != nil {
		return true
	}
	if s.claim == nil || !s.consumed {
		return false
	}
	_, found := s.claim.Fetch()
	return found
}

// refuseInParts returns an error if the secret is a file that is fetched in parts, for a
// command that fetches none.
func (s *revealer) refuseInParts() error {
	if !s.isInParts() {
		return nil
	}
	return s.withName(withExitCode(&client.Error{
		Kind:    client.KindUnsupported,
		Message: "the secret is a file of " + sizeOfFile(s.about) + ", which only \"hush open\" fetches; nothing was opened",
	}))
}

// sizeOfFile is how long a file is, as far as that is known before it is opened.
func sizeOfFile(about client.Secret) string {
	switch {
	case about.Preview != nil:
		return sizeText(about.Preview.Size)
	case about.File != nil:
		return "about " + sizeText(about.File.Size)
	default:
		return "some size"
	}
}

// openInParts opens a secret that is a file in parts. Whatever can fail is tried before it
// is revealed.
func (o *openCommand) openInParts(ctx context.Context, s *revealer) error {
	if err := o.checkInParts(); err != nil {
		return s.withName(err)
	}
	s.describe()
	s.describeFile()
	if o.output == "" {
		if err := o.askFolder(ctx); err != nil {
			return err
		}
		s.place = o.claimPlace()
	}
	if done, err := o.finishFetch(ctx, s); done || err != nil {
		return err
	}
	if err := s.readPassphrase(ctx); err != nil {
		return err
	}
	if s.about.File != nil && !s.about.File.Complete {
		if err := o.awaitArrival(ctx, s); err != nil {
			return err
		}
	}
	t, err := o.newFetchTarget(s)
	if err != nil {
		return err
	}
	defer t.close()
	if err := s.storeClaim(ctx); err != nil {
		return err
	}
	if err := t.keepNote(); err != nil {
		return err
	}
	if err := s.fetch(ctx, t); err != nil {
		return t.fetchError(ctx, err)
	}
	if err := t.publishWhole(); err != nil {
		return t.fetchError(ctx, err)
	}
	s.acknowledge(context.WithoutCancel(ctx))
	return o.reportFetched(s, t)
}

// checkInParts refuses places that a file in parts does not go to.
func (o *openCommand) checkInParts() error {
	switch {
	case o.copy:
		return command.Usage("the secret is a large file, which the clipboard does not take: name a file or a folder with --output instead of --copy")
	case o.output == "-", o.output == "" && (o.asJSON || o.force || !o.console.OutIsTerminal() || !o.console.CanAsk()):
		return command.Usage("the secret is a large file: whether all of it is there, and unaltered, is known at its end alone, so it is not written to standard output; name a file or a folder with --output")
	default:
		return nil
	}
}

// describeFile says on standard error what the sender shows of the file.
func (s *revealer) describeFile() {
	preview := s.about.Preview
	switch {
	case preview == nil && s.about.File != nil:
		s.tellf("it is a file of %s; its passphrase hides the rest", sizeOfFile(s.about))
	case preview == nil:
	case preview.FileName == "":
		s.tellf("it is a file without a name, of %s (%s)", sizeText(preview.Size), console.Count(preview.Size, "bytes"))
	default:
		s.tellf("it is the file %q, of %s (%s)", preview.FileName, sizeText(preview.Size), console.Count(preview.Size, "bytes"))
	}
	if preview == nil {
		return
	}
	if preview.Count > 0 {
		s.tellf("it is an archive of %s", console.Count(preview.Count, "files"))
	}
	for line := range strings.SplitSeq(preview.Note, "\n") {
		if preview.Note != "" {
			s.tellf("note of the sender | %s", console.Visible(line))
		}
	}
}

// askFolder asks where to save the file.
func (o *openCommand) askFolder(ctx context.Context) error {
	for {
		path, err := o.console.Ask(ctx, "Save it as (Enter for its own name in this folder): ")
		if err != nil {
			return err
		}
		if path = strings.TrimSpace(path); path != "-" {
			o.output, o.placeAsked = cmp.Or(path, "."), path == ""
			return nil
		}
		o.console.Tellf("a large file is not printed")
	}
}

// arrivalPause is the time between two looks at a file that arrives.
const arrivalPause = 3 * time.Second

// awaitArrival waits until all of the file is at the server. It finds out before whether
// there is a place for it.
func (o *openCommand) awaitArrival(ctx context.Context, s *revealer) error {
	t, err := o.newFetchTarget(s)
	if err != nil {
		return err
	}
	t.discardNew()
	if !o.console.ErrIsTerminal() {
		s.tellf("the file is still arriving, %d %%; waiting for the rest", s.about.File.ArrivedPercent())
	}
	for {
		o.connector.showArrival(*s.about.File)
		select {
		case <-time.After(arrivalPause):
		case <-ctx.Done():
			o.connector.showProgress(client.Progress{})
			return errors.New("interrupted; the file was not opened, and waits for all of it to arrive")
		}
		about, err := s.client.Look(ctx, s.link)
		switch {
		case client.KindOf(err) == client.KindNetwork && ctx.Err() == nil:
			continue
		case ctx.Err() != nil:
			continue
		case err != nil:
			o.connector.showProgress(client.Progress{})
			return s.withName(withExitCode(err))
		case about.File == nil:
			return s.withName(withExitCode(&client.Error{Kind: client.KindAltered, Message: "the server says something else of the secret than before"}))
		}
		if s.about = about; about.File.Complete {
			o.connector.showProgress(client.Progress{})
			return nil
		}
	}
}

// showArrival shows on a terminal how much of a file has arrived at the server.
func (x *connector) showArrival(f client.File) {
	x.line.mu.Lock()
	defer x.line.mu.Unlock()
	if x.line.shown == nil && x.console.ErrIsTerminal() {
		x.line.shown = x.console.Progress()
	}
	if x.line.shown != nil {
		x.line.shown.Show(func() string { return fmt.Sprintf("still arriving, %d %%", f.ArrivedPercent()) })
	}
}

// fetch fetches the file. If its passphrase is wrong and was asked for, it asks again, as
// long as tries are left.
func (s *revealer) fetch(ctx context.Context, t *fetchTarget) error {
	files, err := s.client.Files()
	if err != nil {
		return err
	}
	for {
		s.revealed = true
		err := files.FetchFile(ctx, s.link, s.passphrase, s.claimToSend(), t)
		if failed, ok := errors.AsType[*client.Error](err); ok {
			s.until = failed.Until
		}
		if err == nil || t.begun || !s.mayAskAgain(err) {
			return err
		}
		if err := s.askPassphrase(ctx); err != nil {
			return err
		}
	}
}

// finishFetch does what an earlier run was cut off from that had all of the file. It
// reports whether that was all.
func (o *openCommand) finishFetch(ctx context.Context, s *revealer) (done bool, err error) {
	if s.claim == nil {
		return false, nil
	}
	f, found := s.claim.Fetch()
	if !found || f.To == "" {
		return false, nil
	}
	path, ok := placeOfFetched(f)
	if !ok && f.Is(f.File) {
		t := &fetchTarget{outputFile: &outputFile{path: f.To, overwrite: o.overwrite, temporaryName: f.File}, revealer: s}
		if path, err = t.publishFree(filepath.Base(f.To), pending.FreeNames); err == nil {
			err = pending.SyncFolder(filepath.Dir(path))
		}
		if err != nil {
			return false, err
		}
		ok = true
	}
	if !ok {
		return false, nil
	}
	s.acknowledge(context.WithoutCancel(ctx))
	o.output = path
	return true, o.tellFinished(s)
}

// placeOfFetched finds the name that an earlier run gave a file.
func placeOfFetched(f pending.Fetch) (path string, found bool) {
	for number := 1; number <= pending.FreeNames; number++ {
		path = filepath.Join(filepath.Dir(f.To), pending.FreeName(filepath.Base(f.To), number))
		if f.Is(path) {
			return path, true
		}
		if _, err := os.Lstat(path); err != nil {
			return "", false
		}
	}
	return "", false
}

// noteOf returns the note of a sender; empty for none.
func noteOf(about client.Secret) string {
	if about.Preview == nil {
		return ""
	}
	return about.Preview.Note
}

// reportFetched says where the file is.
func (o *openCommand) reportFetched(s *revealer, t *fetchTarget) error {
	if !o.asJSON {
		s.tellf("saved %s to %q", console.Count(t.content.Size, "bytes"), t.path)
		return nil
	}
	return printJSON(o.console, openedJSON{
		Kind: "file", FileName: t.content.FileName, Size: t.content.Size, Encryption: s.encryption().String(), Server: s.link.Server, Output: t.path,
		Note: noteOf(s.about),
	})
}
