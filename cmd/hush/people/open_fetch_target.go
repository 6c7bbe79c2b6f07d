package people

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"hush/cli/console"
	"hush/client"
	"hush/cmd/hush/people/pending"
)

// syncEvery is how often the bytes that came are made to last, so that a kill or a power
// cut does not cost more than those since.
const syncEvery = time.Second / 2

// fetchTarget is where a file goes that is fetched in parts. Its temporary file has a name
// from the beginning, so that a later run goes on with it. It is a client.FileSink.
type fetchTarget struct {
	*outputFile

	revealer *revealer
	// fetch is what an earlier run left in the temporary file.
	fetch pending.Fetch
	isNew bool // the temporary file is that of this run alone

	begun   bool // the server has revealed the file
	content client.FileContent
	have    int64
	sum     uint32

	synced  time.Time
	syncing sync.WaitGroup
	// free is full while nothing is made to last.
	free    chan struct{}
	syncErr error // of what was made to last; read with free
}

// newFetchTarget makes the temporary file for the file of a secret, or takes that of an
// earlier run, and keeps the room for all of it.
func (o *openCommand) newFetchTarget(s *revealer) (*fetchTarget, error) {
	out := &outputFile{path: o.output, overwrite: o.overwrite, isFolder: isFolder(o.output)}
	if err := out.checkPath(); err != nil {
		return nil, err
	}
	out.keepDot = out.isFolder && !o.overwrite && !o.placeAsked && !o.isHome(out.path)
	for _, file := range sweepFolder(out.folder()) {
		if !s.knowsTemporary(file) {
			o.tellLeftover(file)
		}
	}
	t := &fetchTarget{outputFile: out, revealer: s, free: make(chan struct{}, 1)}
	t.free <- struct{}{}
	err := t.takeTemporary()
	if err == nil {
		err = t.reserve()
	}
	if err != nil {
		t.discardNew()
		return nil, fmt.Errorf("nothing can be written to %s: %w", out.folder(), console.NameFolder(o.output, err))
	}
	return t, nil
}

// takeTemporary takes the temporary file of an earlier run, if it is in the same folder and
// still has what was noted of it, or else makes a new one.
func (t *fetchTarget) takeTemporary() (err error) {
	if t.revealer.claim != nil {
		if f, found := t.revealer.claim.Fetch(); found && f.To == "" && t.takeEarlier(f) {
			return nil
		}
	}
	t.isNew, t.fetch = true, pending.Fetch{}
	t.temporary, t.temporaryName, err = makeNamed(t.folder())
	return err
}

func (t *fetchTarget) takeEarlier(f pending.Fetch) bool {
	folder, err := filepath.Abs(t.folder())
	if err != nil || filepath.Dir(f.File) != folder || !f.Is(f.File) {
		return false
	}
	file, err := os.OpenFile(f.File, os.O_RDWR|unix.O_NOFOLLOW, 0)
	if err != nil {
		return false
	}
	_ = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB) // against a sweep
	if !f.Is(f.File) || !f.Verify(file) {
		_ = file.Close()
		return false
	}
	t.temporary, t.temporaryName, t.fetch = file, f.File, f
	return true
}

// reserve keeps the room for all of the file. Before it is opened, only the sender's word
// and the length of what is encrypted say how much that is.
func (t *fetchTarget) reserve() error {
	size := t.fetch.Have
	switch about := t.revealer.about; {
	case about.Preview != nil:
		size = max(size, about.Preview.Size)
	case about.File != nil:
		size = max(size, about.File.Size)
	}
	return pending.Allocate(t.temporary, size)
}

// keepNote notes the temporary file in the claim, before it has anything of the content.
func (t *fetchTarget) keepNote() error {
	if t.revealer.claim == nil {
		return nil
	}
	return t.revealer.claim.NoteFetch(t.temporary, t.fetch.Have, t.fetch.Sum())
}

// Begin implements client.FileSink.
func (t *fetchTarget) Begin(content client.FileContent) (have int64, err error) {
	t.begun, t.content = true, content
	if t.fetch.Have > content.Size {
		t.fetch = pending.Fetch{} // not of this file
	}
	if t.have, t.sum, t.synced = t.fetch.Have, t.fetch.Sum(), time.Now(); t.have > 0 {
		t.revealer.tellf("going on behind the %s that an earlier run fetched", sizeText(t.have))
	}
	if err := pending.Allocate(t.temporary, content.Size); err != nil {
		return 0, err
	}
	_, err = t.temporary.Seek(t.have, 0)
	return t.have, err
}

// Write implements io.Writer.
func (t *fetchTarget) Write(content []byte) (int, error) {
	n, err := t.temporary.Write(content)
	t.have += int64(n)
	t.sum = pending.FetchSum(t.sum, content[:n])
	if err != nil {
		return n, err
	}
	if time.Since(t.synced) >= syncEvery {
		err = t.makeLast()
	}
	return n, err
}

// makeLast makes the bytes so far last, and notes that, while others come. It does nothing
// while that is being done.
func (t *fetchTarget) makeLast() error {
	select {
	case <-t.free:
	default:
		return nil
	}
	if err := t.syncErr; err != nil {
		t.free <- struct{}{}
		return err
	}
	t.synced = time.Now()
	have, sum := t.have, t.sum
	t.syncing.Go(func() {
		t.syncErr = t.temporary.Sync()
		if t.syncErr == nil && t.revealer.claim != nil {
			t.syncErr = t.revealer.claim.NoteHave(have, sum)
		}
		t.free <- struct{}{}
	})
	return nil
}

// publishWhole gives the file its name, once all of it has come and was checked. It returns
// once a power cut would not undo that.
func (t *fetchTarget) publishWhole() error {
	t.syncing.Wait()
	if t.syncErr != nil {
		return t.syncErr
	}
	if err := t.temporary.Truncate(t.content.Size); err != nil {
		return err
	}
	if err := t.temporary.Sync(); err != nil {
		return err
	}
	name, names, folder := filepath.Base(t.path), 1, t.folder()
	if t.isFolder {
		name, names = t.nameOf(client.Content{IsFile: true, FileName: t.content.FileName}), pending.FreeNames
	}
	if err := t.revealer.noteWhole(t.temporaryName, filepath.Join(folder, name)); err != nil {
		return err
	}
	path, err := t.publishFree(name, names)
	if err != nil {
		return err
	}
	t.path, t.isFolder = path, false
	return pending.SyncFolder(folder)
}

// fetchError returns the error for a file that has not come, or not all of it, and says what
// can still be done. What has come is kept as long as a later run can go on.
func (t *fetchTarget) fetchError(ctx context.Context, err error) error {
	s := t.revealer
	t.syncing.Wait()
	if t.syncErr == nil && t.begun && t.have > t.fetch.Have {
		t.synced = time.Time{}
		_ = t.makeLast()
		t.syncing.Wait()
	}
	if !t.begun {
		failed := s.openError(ctx, err)
		if s.claim == nil || !s.claim.IsPersisted() || isRefusedBefore(err) {
			t.discardNew()
		}
		return failed
	}
	switch client.KindOf(err) {
	case client.KindLost, client.KindGone:
		t.discard()
		s.removeClaim()
		return s.withName(withExitCode(err))
	}
	if ctx.Err() != nil {
		err = errors.New("interrupted")
	}
	if !s.canRepeat() {
		t.discard()
		return s.notDelivered(err)
	}
	return s.withName(rewriteError(withExitCode(err), func(err error) error {
		return fmt.Errorf("%w; %s of %s are here: %s to go on", err, sizeText(t.have), sizeText(t.content.Size), s.again())
	}))
}

// isRefusedBefore reports whether an error says that nothing was revealed.
func isRefusedBefore(err error) bool {
	switch client.KindOf(err) {
	case client.KindFailure, client.KindNetwork, client.KindAltered, client.KindLimited:
		return false
	default:
		return true
	}
}

// close ends the work with the temporary file, which stays for a later run.
func (t *fetchTarget) close() {
	t.syncing.Wait()
	if t.temporary != nil {
		_ = t.temporary.Close()
		t.temporary = nil
	}
}

// discardNew removes the temporary file, unless an earlier run made it.
func (t *fetchTarget) discardNew() {
	if t.isNew {
		t.discard()
		return
	}
	t.close()
}
