package process

import (
	"runtime"
	"testing"
)

func TestCheckSandbox(t *testing.T) {
	t.Parallel()
	for version, ok := range map[int]bool{-1: false, 0: false, 1: false, 2: false, 3: runtime.GOOS == "linux", 7: runtime.GOOS == "linux"} {
		if err := CheckSandbox(version); (err == nil) != ok {
			t.Errorf("CheckSandbox(%d): got %v, want it to do: %t", version, err, ok)
		}
	}
}
