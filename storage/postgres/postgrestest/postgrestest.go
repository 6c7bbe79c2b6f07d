// Package postgrestest runs a private PostgreSQL server for tests, with the
// settings that a real one has: durable, and reached over a unix socket in a
// temporary folder that is removed with it.
package postgrestest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// ErrMissing says that this machine has no PostgreSQL, or no user that may run
// it.
var ErrMissing = errors.New("postgres: not installed")

// Server is a running server.
type Server struct {
	bin    string
	dir    string
	as     *syscall.SysProcAttr
	server *exec.Cmd
	exited chan struct{}
}

// startLimit bounds how long initdb and the start of a server may take.
const startLimit = 5 * time.Minute

// Start makes a new cluster and starts its server with settings, such as
// "max_connections=20". Stop ends it. It returns ErrMissing where there is no
// PostgreSQL.
func Start(settings ...string) (*Server, error) {
	bin, err := findBinaries()
	if err != nil {
		return nil, err
	}
	attributes, owner, err := runAs()
	if err != nil {
		return nil, err
	}
	// Short, since the path of a unix socket may have 107 bytes at most.
	dir, err := os.MkdirTemp("/tmp", "hush-pg-")
	if err != nil {
		return nil, err
	}
	s := &Server{bin: bin, dir: dir, as: attributes}
	if err := s.create(owner, settings); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if err := s.Run(); err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return s, nil
}

// findBinaries returns the folder of postgres and initdb: the one on the path, or
// the newest of those that Debian installs.
func findBinaries() (string, error) {
	has := func(dir string) bool {
		for _, name := range []string{"postgres", "initdb"} {
			if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
				return false
			}
		}
		return true
	}
	if found, err := exec.LookPath("postgres"); err == nil {
		if file, err := filepath.EvalSymlinks(found); err == nil && has(filepath.Dir(file)) {
			return filepath.Dir(file), nil
		}
	}
	installed, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	slices.SortFunc(installed, func(a, b string) int { return versionOf(b) - versionOf(a) })
	for _, dir := range installed {
		if has(dir) {
			return dir, nil
		}
	}
	return "", ErrMissing
}

func versionOf(bin string) int {
	version, _ := strconv.Atoi(filepath.Base(filepath.Dir(bin)))
	return version
}

// runAs returns how to run the server: PostgreSQL refuses to run as root, so
// root runs it as another user. The owner is nil if that is the caller.
func runAs() (*syscall.SysProcAttr, *syscall.Credential, error) {
	own := &syscall.SysProcAttr{Setpgid: true}
	if os.Geteuid() != 0 {
		return own, nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		found, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(found.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(found.Gid, 10, 32)
		if err1 == nil && err2 == nil && uid != 0 {
			own.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
			return own, own.Credential, nil
		}
	}
	return nil, nil, ErrMissing
}

func (s *Server) create(owner *syscall.Credential, settings []string) error {
	if owner != nil {
		if err := os.Chown(s.dir, int(owner.Uid), int(owner.Gid)); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	initdb := exec.CommandContext(ctx, filepath.Join(s.bin, "initdb"), //nolint:gosec // the path is that of the installation
		"-D", s.data(), "-U", "hush", "-A", "trust",
		"-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions")
	initdb.SysProcAttr, initdb.Dir = s.as, s.dir
	if out, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out)
	}
	return s.Configure(append([]string{
		"listen_addresses=''", "unix_socket_directories='" + s.dir + "'", "max_connections=100",
		"shared_buffers='64MB'", "logging_collector=off",
	}, settings...)...)
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

// Configure adds settings, which count from the next start.
func (s *Server) Configure(settings ...string) error {
	name := filepath.Join(s.data(), "postgresql.conf")
	file, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteString(strings.Join(settings, "\n") + "\n")
	return errors.Join(err, file.Close())
}

// Run starts the server again after Halt, and waits until it answers.
func (s *Server) Run() error {
	log, err := os.OpenFile(s.logName(), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	server := exec.Command(filepath.Join(s.bin, "postgres"), "-D", s.data()) //nolint:noctx,gosec // Halt ends it; the path is that of the installation
	server.SysProcAttr, server.Dir, server.Stdout, server.Stderr = s.as, s.dir, log, log
	if err := server.Start(); err != nil {
		return err
	}
	exited := make(chan struct{})
	go func() {
		_ = server.Wait()
		close(exited)
	}()
	s.server, s.exited = server, exited
	return s.awaitReady()
}

func (s *Server) logName() string { return filepath.Join(s.dir, "log") }

// awaitReady waits for the line in the server's file of locks that says that it
// takes connections, perhaps as a standby.
func (s *Server) awaitReady() error {
	for until := time.Now().Add(startLimit); time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
		select {
		case <-s.exited:
			out, _ := os.ReadFile(s.logName())
			return fmt.Errorf("postgres ended at its start:\n%s", out)
		default:
		}
		raw, err := os.ReadFile(filepath.Join(s.data(), "postmaster.pid"))
		if err == nil && (strings.Contains(string(raw), "ready") || strings.Contains(string(raw), "standby")) {
			return nil
		}
	}
	return errors.New("postgres did not get ready")
}

// Crash ends the server as a power cut ends its processes, without a checkpoint.
func (s *Server) Crash() error { return s.end(syscall.SIGQUIT) }

// Halt ends the server in order, and breaks the connections.
func (s *Server) Halt() error { return s.end(syscall.SIGINT) }

func (s *Server) end(how syscall.Signal) error {
	if s.server == nil {
		return nil
	}
	if err := s.server.Process.Signal(how); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	<-s.exited
	s.server = nil
	return nil
}

// Stop ends the server for good and removes its folder.
func (s *Server) Stop() error {
	return errors.Join(s.end(syscall.SIGQUIT), os.RemoveAll(s.dir))
}

// URL returns the address of a database of the server.
func (s *Server) URL(database string) string {
	query := url.Values{"host": {s.dir}, "user": {"hush"}}
	return "postgres:///" + url.PathEscape(database) + "?" + query.Encode()
}

func (s *Server) socket() string { return filepath.Join(s.dir, ".s.PGSQL.5432") }

// GiveFile makes the user that runs the server the owner of a file.
func (s *Server) GiveFile(name string) error {
	if s.as.Credential == nil {
		return nil
	}
	return os.Chown(name, int(s.as.Credential.Uid), int(s.as.Credential.Gid))
}

// Program returns the path of a program of the installation, such as pg_dump.
func (s *Server) Program(name string) string { return filepath.Join(s.bin, name) }

// Folder returns the folder of the server, where its socket is.
func (s *Server) Folder() string { return s.dir }

// CPU returns the processor time that the server has used, with its processes
// that have ended.
func (s *Server) CPU() time.Duration {
	if s.server == nil {
		return 0
	}
	pid := strconv.Itoa(s.server.Process.Pid)
	ticks := int64(0)
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range stats {
		raw, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended
		}
		// pid (name) state parent ... ; the name may hold anything.
		head, tail, _ := strings.Cut(string(raw), " (")
		fields := strings.Fields(tail[strings.LastIndex(tail, ")")+1:])
		if len(fields) < 15 || head != pid && fields[1] != pid {
			continue
		}
		own := fields[11:13]
		if head == pid {
			own = fields[11:15]
		}
		for _, f := range own {
			n, _ := strconv.ParseInt(f, 10, 64)
			ticks += n
		}
	}
	return time.Duration(ticks) * (time.Second / 100) // USER_HZ
}
