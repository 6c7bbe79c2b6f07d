package process

import (
	"errors"
	"fmt"

	"github.com/landlock-lsm/go-landlock/landlock"
	landlocksys "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

const (
	// leastLandlock is the version of Linux 6.2, the first that keeps a process
	// from cutting files short.
	leastLandlock = 3

	readRights  = landlocksys.AccessFSReadFile | landlocksys.AccessFSReadDir
	writeRights = readRights | landlocksys.AccessFSWriteFile | landlocksys.AccessFSTruncate |
		landlocksys.AccessFSMakeReg | landlocksys.AccessFSRemoveFile |
		landlocksys.AccessFSMakeDir | landlocksys.AccessFSRemoveDir | landlocksys.AccessFSMakeSock
)

// DisableCoreDumps turns off core files, access to the memory of this process,
// and new privileges.
func DisableCoreDumps() {
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	// This one belongs to each thread, and Go has several by now.
	_ = landlocksys.AllThreadsPrctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
}

// SandboxVersion is the kernel's version of Landlock, 0 if it has none.
func SandboxVersion() int {
	version, err := landlocksys.LandlockGetABIVersion()
	if err != nil {
		return 0
	}
	return version
}

// CheckSandbox returns an error that says why a version of Landlock does not do.
func CheckSandbox(version int) error {
	switch {
	case version <= 0:
		return errors.New("this kernel has no Landlock, or it is not turned on")
	case version < leastLandlock:
		return fmt.Errorf("this kernel has version %d of Landlock; it takes %d, which came with Linux 6.2", version, leastLandlock)
	}
	return nil
}

// EnterSandbox bounds all threads to r: opening files and devices, listing and
// changing folders, cutting files short. Nothing may be executed. Landlock does
// not restrict attributes of files (their modes, owners and times can be read,
// and changed where the user may), nor connecting to sockets by their path; and
// the network is left alone.
func EnterSandbox(r Reach) error {
	rules := []landlock.Rule{landlock.PathAccess(writeRights, r.Write...)}
	for _, path := range r.Read {
		rights := landlock.AccessFSSet(readRights)
		var stat unix.Stat_t
		if unix.Stat(path, &stat) == nil && stat.Mode&unix.S_IFMT != unix.S_IFDIR {
			rights = landlocksys.AccessFSReadFile
		}
		rules = append(rules, landlock.PathAccess(rights, path).IgnoreIfMissing())
	}
	// What later versions bound, such as connecting to sockets by their path,
	// the resolvers of some systems need.
	return landlock.V5.BestEffort().RestrictPaths(rules...)
}
