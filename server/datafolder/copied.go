package datafolder

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"hush/server/settings"
	"hush/storage"
	"hush/storage/bolt"
)

// heedCopy returns what is done about a folder whose files are others than those on
// record. A service does not start on it, or every link would open here and in the old
// folder, unless it is told that the folder has moved. A command that serves nothing says
// so and goes on: an operator may look at a copy, or make a backup of it.
func heedCopy(s *settings.Settings, command bool, log *slog.Logger) func(error) error {
	return func(found error) error {
		switch {
		case command:
			log.Warn("hush serve refuses this folder", "cause", explainCopy(found, s.Data).Error())
			return nil
		case s.Moved:
			return nil
		case s.SpentLogFolder() == "":
			return fmt.Errorf("%w; with --spent-log, which is off, an older state of the same files is refused, too", explainCopy(found, s.Data))
		}
		return explainCopy(found, s.Data)
	}
}

// explainCopy says what a CopiedError means for a folder, and what to do.
func explainCopy(err error, folder string) error {
	found, ok := errors.AsType[*bolt.CopiedError](err)
	switch {
	case !ok:
		return err
	case found.FileSystem != "":
		return fmt.Errorf("the data folder %s is a copy: its files were on another file system when they were served last, and are on %s now; %s", folder, found.FileSystem, whereCopied)
	case found.Database && found.Shares:
		return fmt.Errorf("the data folder %s is a copy: hush.db and shares are other files than those that were served last; %s", folder, whereCopied)
	case found.Database:
		return fmt.Errorf("hush.db in %s is another file than the one that was served last: a copy took its place, or an earlier release of hush compacted it; put the right one back, or, if there is no other, start once with --moved", folder)
	}
	return fmt.Errorf("shares in %s is another file than the one that was served last: a copy took its place; put the right one back, or, if there is no other, start once with --moved", folder)
}

// whereCopied is what to do about a copy.
const whereCopied = "whatever waits would open here and in the old folder: serve that one, or, if it is gone for good, start once with --moved"

// checkMoved returns an error for a folder that has moved, and holds no data: a service
// would begin anew there.
func checkMoved(s *settings.Settings) error {
	if !s.Moved {
		return nil
	}
	if err := holdsData(s.Data); err != nil {
		return fmt.Errorf("--moved: %w: name the folder that has moved with --data", err)
	}
	return nil
}

// keepFiles records the files of the folder for a service that is about to serve it. It
// comes last: a start that fails before it leaves a copy refused.
func (d *Data) keepFiles(ctx context.Context) error {
	l := d.logged
	if l == nil || l.command {
		return nil
	}
	err := d.folder.KeepFiles(ctx, l.settings.Moved)
	if errors.Is(err, storage.ErrFull) && !l.settings.Moved {
		l.log.Warn("the disk is full: a copy of the data folder is not refused before a start with more space", "cause", err)
		return nil
	}
	if err != nil {
		return err
	}
	if l.settings.Moved {
		l.log.Warn("--moved: this data folder is the one to serve from now on; remove the flag, so that a copy is refused, and never serve the old folder")
	}
	if name := d.folder.Unrecorded(); name != "" {
		l.log.Info("a copy of the data folder would not be noticed, since its file system gives files no lasting numbers: never serve one", "file_system", name)
	}
	return nil
}
