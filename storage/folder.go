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
// inside can.
func AdviseMode(dir string, info fs.FileInfo) string {
	mode := info.Mode().Perm()
	owned := true
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		owned = int(stat.Uid) == os.Geteuid() || os.Geteuid() == 0
	}
	if info.Mode()&fs.ModeSetgid == 0 && owned {
		return fmt.Sprintf("%s has mode %04o; run: chmod 700 %s", dir, mode, dir)
	}
	if info.Mode()&fs.ModeSetgid != 0 {
		mode |= 0o2000
	}
	return fmt.Sprintf("%s has mode %04o, as the root of a volume may; name a folder inside it, which is made with mode 0700: %s (with fsGroup in Kubernetes, set fsGroupChangePolicy: OnRootMismatch, which leaves that mode alone)",
		dir, mode, filepath.Join(dir, "hush"))
}
