package disk

import (
	"os"
	"syscall"
	"testing"
)

// TestIsFull: the number alone does not tell a full disk from a failed sync.
func TestIsFull(t *testing.T) {
	tests := []struct {
		err  error
		want bool
	}{
		{&os.PathError{Op: "write", Err: syscall.ENOSPC}, true},
		{&os.PathError{Op: "truncate", Err: syscall.ENOSPC}, true},
		{&os.PathError{Op: "write", Err: syscall.EDQUOT}, true},
		{&os.PathError{Op: "sync", Err: syscall.ENOSPC}, false},
		{&os.PathError{Op: "write", Err: syscall.EIO}, false},
		{syscall.ENOSPC, false},
		{nil, false},
	}
	for _, tt := range tests {
		if got := IsFull(tt.err); got != tt.want {
			t.Errorf("IsFull(%v): got %v, want %v", tt.err, got, tt.want)
		}
	}
}
