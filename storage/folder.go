package storage

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// AdviseMode returns what to do about a folder that other users can access. The root of
// a volume, whose mode may come back with each mount, cannot be closed to them: a folder
// inside can, for which name is a good name.
func AdviseMode(dir string, info fs.FileInfo, name string) string {
	mode := info.Mode().Perm()
	stat, known := info.Sys().(*syscall.Stat_t)
	switch {
	case info.Mode()&fs.ModeSetgid != 0:
		return fmt.Sprintf("%s has mode %04o, as the root of a volume may; name a folder inside it, which is made with mode 0700: %s (with fsGroup in Kubernetes, set fsGroupChangePolicy: OnRootMismatch, which leaves that mode alone)",
			dir, mode|0o2000, filepath.Join(dir, name))
	case known && int(stat.Uid) != os.Geteuid() && os.Geteuid() != 0:
		return fmt.Sprintf("%s has mode %04o and belongs to another user; run as root: chown %d %s && chmod 700 %s", dir, mode, os.Geteuid(), dir, dir)
	default:
		return fmt.Sprintf("%s has mode %04o; run: chmod 700 %s", dir, mode, dir)
	}
}
