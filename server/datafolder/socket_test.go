package datafolder

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// If another user reaches the socket after all, the system names that user.
func TestStrangersAreDropped(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	inner, err := ListenAdmin(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	listener := inner.(*adminListener)
	first := true
	admit := listener.admit
	listener.admit = func(conn net.Conn) bool {
		stranger := first
		first = false
		return !stranger && admit(conn)
	}
	defer listener.Close()
	go func() {
		if conn, err := listener.Accept(); err == nil {
			_, _ = io.WriteString(conn, "welcome")
			conn.Close()
		}
	}()
	for _, want := range []string{"", "welcome"} {
		conn, err := DialAdmin(t.Context(), folder)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(conn)
		conn.Close()
		if string(got) != want && !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("connection: got %q and %v, want %q", got, err, want)
		}
	}
}

func TestPeerOf(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("needs Linux: no other system is asked who connects")
	}
	folder := t.TempDir()
	listener, err := net.Listen("unix", filepath.Join(folder, SocketName))
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	client, err := DialAdmin(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	conn, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if uid, known := peerOf(conn); !known || int(uid) != os.Geteuid() {
		t.Errorf("peerOf(own connection): got %d %t, want %d", uid, known, os.Geteuid())
	}
	other, _ := net.Pipe()
	if uid, known := peerOf(other); !known || uid == 0 || int(uid) == os.Geteuid() {
		t.Errorf("peerOf(pipe): got %d %t, want no owner", uid, known)
	}
}
