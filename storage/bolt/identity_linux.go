package bolt

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// isLasting reports whether a file system gives a file an inode number and a time of birth
// that stay as long as the file exists, through every mount. All others are left out:
// overlayfs gives another number after a mount or a first change, and what a file system
// of another machine or of a program says is up to that.
func isLasting(magic uint32) bool {
	switch magic {
	case unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC,
		unix.BCACHEFS_SUPER_MAGIC, magicZFS, unix.TMPFS_MAGIC:
		return true
	}
	return false
}

// fileSystemName returns what people call a file system.
func fileSystemName(magic uint32) string {
	const magicNTFS = 0x7366746e // of the driver ntfs3
	switch magic {
	case unix.EXT4_SUPER_MAGIC:
		return "ext4"
	case unix.XFS_SUPER_MAGIC:
		return "XFS"
	case unix.BTRFS_SUPER_MAGIC:
		return "btrfs"
	case unix.F2FS_SUPER_MAGIC:
		return "F2FS"
	case unix.BCACHEFS_SUPER_MAGIC:
		return "bcachefs"
	case magicZFS:
		return "ZFS"
	case unix.TMPFS_MAGIC:
		return "tmpfs"
	case unix.OVERLAYFS_SUPER_MAGIC:
		return "overlayfs"
	case unix.NFS_SUPER_MAGIC:
		return "NFS"
	case unix.CIFS_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.SMB_SUPER_MAGIC:
		return "SMB"
	case unix.CEPH_SUPER_MAGIC:
		return "CephFS"
	case unix.V9FS_MAGIC:
		return "9p"
	case unix.FUSE_SUPER_MAGIC:
		return "FUSE" // and virtiofs
	case unix.ECRYPTFS_SUPER_MAGIC:
		return "eCryptfs"
	case unix.MSDOS_SUPER_MAGIC:
		return "FAT"
	case unix.EXFAT_SUPER_MAGIC:
		return "exFAT"
	case magicNTFS:
		return "NTFS"
	}
	return fmt.Sprintf("an unknown one (%#x)", magic)
}

// factsOf asks about a file. The time of birth is unknown to old kernels, and to an ext4
// that was an ext3; the inode number alone is used again.
func factsOf(path string) (is facts, ok bool) {
	var system unix.Statfs_t
	if err := unix.Statfs(path, &system); err != nil {
		return is, false
	}
	is.fileSystem = uint32(system.Type) // signed, and of a width that depends on the machine
	var file unix.Statx_t
	const wanted = unix.STATX_INO | unix.STATX_BTIME
	if err := unix.Statx(unix.AT_FDCWD, path, 0, wanted, &file); err != nil {
		return is, true
	}
	is.numbers = numbers{file.Ino, file.Btime.Sec, file.Btime.Nsec}
	is.born = file.Mask&wanted == wanted
	return is, true
}
