package process

import (
	"errors"
	"os"
	"path"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
)

const (
	// LeastMemory is the least limit that the service works with.
	LeastMemory = 128 << 20
	// EnoughMemory is a limit under which full load needs no constant
	// collection of garbage.
	EnoughMemory = 512 << 20
)

// CheckMemory refuses a limit that the service cannot work with.
func CheckMemory(limit int64) error {
	if limit < LeastMemory {
		return errors.New("must be 128MiB or more; allow 512MiB for full load")
	}
	return nil
}

// LimitMemory makes the garbage collector keep the process below limit, or if
// that is 0 below nine tenths of what its control group allows. What the
// environment says in GOMEMLIMIT comes before the group. It returns the limit
// that it set, 0 for none.
func LimitMemory(limit int64, root string) int64 {
	if limit == 0 && os.Getenv("GOMEMLIMIT") == "" {
		limit = groupMemory(root) / 10 * 9
	}
	if limit > 0 {
		debug.SetMemoryLimit(limit)
	}
	return limit
}

// groupMemory returns what the process's control group and those above it
// allow, or 0 for any amount. It reads version 2 and version 1, below
// root.
func groupMemory(root string) int64 {
	groups, err := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	if err != nil {
		return 0
	}
	var least int64
	for line := range strings.Lines(string(groups)) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(fields) != 3 {
			continue
		}
		switch {
		case fields[0] == "0" && fields[1] == "":
			least = tighter(least, memoryAbove(filepath.Join(root, "sys/fs/cgroup"), fields[2], "memory.max"))
		case strings.Contains(","+fields[1]+",", ",memory,"):
			least = tighter(least, memoryAbove(filepath.Join(root, "sys/fs/cgroup/memory"), fields[2], "memory.limit_in_bytes"))
		}
	}
	return least
}

// memoryAbove returns the least that a group and those above it allow.
func memoryAbove(mount, group, file string) int64 {
	var least int64
	for group = path.Clean("/" + group); ; group = path.Dir(group) {
		text, err := os.ReadFile(filepath.Join(mount, group, file))
		if err == nil {
			// "max", and in version 1 a number near the largest, mean any amount.
			if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && n < 1<<60 {
				least = tighter(least, n)
			}
		}
		if group == "/" {
			return least
		}
	}
}

// tighter returns the smaller of two limits, where 0 means no limit.
func tighter(a, b int64) int64 {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}
