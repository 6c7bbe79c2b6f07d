package postgrestest

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
)

// Archiving returns the settings of a server that copies each finished segment
// of its WAL into Archive.
func Archiving() []string {
	return []string{"archive_mode=on", "archive_command='mkdir -p ../archive && cp %p ../archive/%f'"}
}

// Archive returns the folder of the server's archived WAL; see Archiving.
func (s *Server) Archive() string { return filepath.Join(s.dir, "archive") }

// Backup is a physical copy of a server.
type Backup struct {
	Folder string
	of     *Server
}

// Backup makes a physical copy of the running server, with the WAL that it needs.
// Stop removes it.
func (s *Server) Backup(name string) (Backup, error) {
	b := Backup{filepath.Join(s.dir, "backup", name), s}
	return b, backUp(s, s, b.Folder)
}

// backUp copies a running server into a new folder, as the user of another.
func backUp(as, running *Server, folder string) error {
	return as.tool("pg_basebackup", "-h", running.dir, "-U", "hush", "-D", folder, "-X", "stream", "-c", "fast", "--no-sync")
}

// CopyDisk copies the data of a server that was halted. Stop removes the copy.
func (s *Server) CopyDisk(name string) (Backup, error) {
	b := Backup{filepath.Join(s.dir, "disk", name), s}
	return b, os.CopyFS(b.Folder, os.DirFS(s.data()))
}

// SetBack makes a copy of the disk the data of its server again, which was halted.
func (b Backup) SetBack() error {
	return errors.Join(os.RemoveAll(b.of.data()), b.copyTo(b.of))
}

// firstSegment finds the WAL segment at which a backup begins in its label.
var firstSegment = regexp.MustCompile(`\(file ([0-9A-F]{24})\)`)

// TrimArchive deletes the archived WAL from before the backup.
func (b Backup) TrimArchive() error {
	label, err := os.ReadFile(filepath.Join(b.Folder, "backup_label"))
	if err != nil {
		return err
	}
	first := firstSegment.FindSubmatch(label)
	if first == nil {
		return errors.New("the backup does not name its first segment")
	}
	return b.of.tool("pg_archivecleanup", b.of.Archive(), string(first[1]))
}

// Restore starts a server of its own on a copy of the backup. It replays archived
// WAL up to a restore point of that name; without a name it uses the backup alone.
// The caller stops it.
func (b Backup) Restore(point string) (*Server, error) {
	dir, err := os.MkdirTemp("/tmp", "hush-pg-")
	if err != nil {
		return nil, err
	}
	restored := &Server{bin: b.of.bin, dir: dir, as: b.of.as}
	if err := b.restoreTo(restored, point); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if err := restored.Run(); err != nil {
		return nil, errors.Join(err, restored.Stop())
	}
	return restored, nil
}

func (b Backup) restoreTo(s *Server, point string) error {
	if err := errors.Join(s.GiveFile(s.dir), b.copyTo(s)); err != nil {
		return err
	}
	// Without hot_standby it takes connections only once recovery has ended.
	settings := []string{"hot_standby=off", "archive_mode=off", "unix_socket_directories='" + s.dir + "'"}
	if point != "" {
		if err := putSignal(s, "recovery.signal"); err != nil {
			return err
		}
		settings = append(settings, "restore_command='cp "+b.of.Archive()+"/%f %p'",
			"recovery_target_action=promote", "recovery_target_name='"+point+"'")
	}
	return s.Configure(settings...)
}

// copyTo makes a copy of the backup the data of a server.
func (b Backup) copyTo(s *Server) error {
	if err := os.CopyFS(s.data(), os.DirFS(b.Folder)); err != nil {
		return err
	}
	return filepath.WalkDir(s.data(), func(name string, entry os.DirEntry, err error) error {
		mode := os.FileMode(0o600)
		if err == nil && entry.IsDir() {
			mode = 0o700
		}
		return errors.Join(err, os.Chmod(name, mode), s.GiveFile(name)) //nolint:gosec // the folder is the test's own
	})
}

// putSignal makes the empty file that tells a server how to start.
func putSignal(s *Server, name string) error {
	file := filepath.Join(s.data(), name)
	return errors.Join(os.WriteFile(file, nil, 0o600), s.GiveFile(file))
}
