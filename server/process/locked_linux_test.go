package process

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"unsafe"
)

// The page of the keys is neither swapped out nor written into a core file.
func TestLockedMemory(t *testing.T) {
	t.Parallel()
	memory, locked := LockedMemory(100)
	if len(memory) != 100 || !locked {
		t.Fatalf("LockedMemory(100): got %d bytes, locked %t, want 100 that are", len(memory), locked)
	}
	maps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	// Neighbouring pages of the same kind are shown as one range.
	address, flags, within := uintptr(unsafe.Pointer(&memory[0])), "", false
	for line := range strings.SplitSeq(string(maps), "\n") {
		var from, to uintptr
		if n, _ := fmt.Sscanf(line, "%x-%x ", &from, &to); n == 2 {
			within = from <= address && address < to
		}
		if rest, found := strings.CutPrefix(line, "VmFlags:"); found && within {
			flags = rest + " "
		}
	}
	for _, flag := range []string{" lo ", " dd "} {
		if !strings.Contains(flags, flag) {
			t.Errorf("LockedMemory(100): got a page with the flags %q, want%sin them", flags, flag)
		}
	}
}
