package process

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
)

func TestGroupMemory(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"no groups":      {nil, 0},
		"a container":    {map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "268435456\n"}, 256 << 20},
		"without limits": {map[string]string{"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/memory.max": "max\n"}, 0},
		"a group around": {map[string]string{
			"proc/self/cgroup": "0::/a.slice/b.service\n", "sys/fs/cgroup/a.slice/memory.max": "1000\n", "sys/fs/cgroup/a.slice/b.service/memory.max": "2000\n",
		}, 1000},
		"version 1": {map[string]string{
			"proc/self/cgroup": "5:cpu,cpuacct:/x\n4:memory:/docker/x\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "3000\n",
		}, 3000},
		"version 1 without": {map[string]string{
			"proc/self/cgroup": "4:memory:/\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
		}, 0},
		"both": {map[string]string{
			"proc/self/cgroup": "4:memory:/x\n0::/x\n", "sys/fs/cgroup/memory/x/memory.limit_in_bytes": "3000\n", "sys/fs/cgroup/x/memory.max": "2000\n",
		}, 2000},
		"a path that leads out": {map[string]string{"proc/self/cgroup": "0::/../../../x\n", "sys/fs/cgroup/memory.max": "10\n", "x/memory.max": "5\n"}, 10},
		"nonsense":              {map[string]string{"proc/self/cgroup": "\nx\n0:\n", "sys/fs/cgroup/memory.max": "10\n"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			for file, text := range test.files {
				file = filepath.Join(root, file)
				if os.MkdirAll(filepath.Dir(file), 0o700) != nil || os.WriteFile(file, []byte(text), 0o600) != nil {
					t.Fatal("the group's files cannot be written")
				}
			}
			if got := groupMemory(root); got != test.want {
				t.Errorf("groupMemory: got %d, want %d", got, test.want)
			}
		})
	}
}

// The limit holds for the whole process, so this runs alone.
func TestLimitMemory(t *testing.T) { //nolint:paralleltest // changes the limit of the process
	t.Setenv("GOMEMLIMIT", "")
	before := debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(before)
	root := t.TempDir()
	if got := LimitMemory(0, root); got != 0 || debug.SetMemoryLimit(-1) != before {
		t.Errorf("LimitMemory without a group: got %d, want none", got)
	}
	if got := LimitMemory(8<<30, root); got != 8<<30 || debug.SetMemoryLimit(-1) != 8<<30 {
		t.Errorf("LimitMemory(8 GiB): got %d and %d, want 8 GiB", got, debug.SetMemoryLimit(-1))
	}
}
