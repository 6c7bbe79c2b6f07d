package process

import (
	"fmt"
	"os"
	"runtime/pprof"
)

// WriteProfile writes a CPU profile to path until the function that it returns is
// called. Without a path it does nothing.
func WriteProfile(path string) (stop func(), err error) {
	if path == "" {
		return func() {}, nil
	}
	file, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("writing a profile: %w", err)
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		return nil, fmt.Errorf("writing a profile: %w", err)
	}
	return func() { pprof.StopCPUProfile(); _ = file.Close() }, nil
}
