package bolt

import (
	"os"

	"golang.org/x/sys/unix"
)

// magicZFS is the magic number of ZFS, which the kernel's headers do not list.
const magicZFS = 0x2fc12fc1

func fileSystemWarnings(folder *os.File) ([]string, error) {
	var stat unix.Statfs_t
	if err := unix.Fstatfs(int(folder.Fd()), &stat); err != nil {
		return nil, err
	}
	// Type is signed and its width depends on the machine.
	if warning := warningFor(uint32(stat.Type)); warning != "" {
		return []string{warning}, nil
	}
	return nil, nil
}

// warningFor returns what a file system of that number cannot do for Hush, or
// nothing.
func warningFor(magic uint32) string {
	switch magic {
	case unix.BTRFS_SUPER_MAGIC:
		return "The data folder is on btrfs, which writes changed blocks to a new place: an overwritten share may stay readable on the disk and in snapshots."
	case magicZFS:
		return "The data folder is on ZFS, which writes changed blocks to a new place: an overwritten share may stay readable on the disk and in snapshots."
	case unix.BCACHEFS_SUPER_MAGIC:
		return "The data folder is on bcachefs, which writes changed blocks to a new place: an overwritten share may stay readable on the disk and in snapshots."
	case unix.F2FS_SUPER_MAGIC, unix.NILFS_SUPER_MAGIC:
		return "The data folder is on a log-structured file system, which writes changed blocks to a new place: an overwritten share may stay readable on the disk."
	case unix.OVERLAYFS_SUPER_MAGIC:
		return "The data folder is on overlayfs, the writable layer of a container: its files are copied on the first change and vanish with the container; mount a volume there."
	case unix.TMPFS_MAGIC, unix.RAMFS_MAGIC:
		return "The data folder is in memory and does not survive a restart: every secret is lost with it."
	}
	return remoteWarningFor(magic)
}

func remoteWarningFor(magic uint32) string {
	switch magic {
	case unix.NFS_SUPER_MAGIC:
		return "The data folder is on NFS: its lock may not keep out a process on another machine, and the server decides whether an overwritten share is gone."
	case unix.CIFS_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.SMB_SUPER_MAGIC:
		return "The data folder is on SMB: its lock may not keep out a process on another machine, and the server decides whether an overwritten share is gone."
	case unix.CEPH_SUPER_MAGIC, unix.V9FS_MAGIC:
		return "The data folder is on a network file system: its lock may not keep out a process on another machine, and the server decides whether an overwritten share is gone."
	case unix.FUSE_SUPER_MAGIC:
		return "The data folder is on a FUSE file system: whether locks hold, syncs reach the disk and shares are overwritten in place is up to the program behind it."
	}
	return ""
}

// OpenQuietly opens a file to be read without changing the time of its last
// access, where the system allows that.
func OpenQuietly(path string) (*os.File, error) {
	if file, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOATIME, 0); err == nil {
		return file, nil
	}
	return os.Open(path)
}
