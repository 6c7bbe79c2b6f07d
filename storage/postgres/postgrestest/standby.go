package postgrestest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// Standby copies the running server and starts the copy as its standby, with
// settings of its own. It shows to the primary as application_name, which is
// what synchronous_standby_names on the primary waits for; see SyncWith. The
// caller stops it.
func (s *Server) Standby(name string, settings ...string) (*Server, error) {
	dir, err := os.MkdirTemp("/tmp", "hush-pg-")
	if err != nil {
		return nil, err
	}
	standby := &Server{bin: s.bin, dir: dir, as: s.as}
	if err := standby.copyFrom(s, name, settings); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if err := standby.Run(); err != nil {
		return nil, errors.Join(err, standby.Stop())
	}
	return standby, nil
}

func (s *Server) copyFrom(primary *Server, name string, settings []string) error {
	if s.as.Credential != nil {
		if err := os.Chown(s.dir, int(s.as.Credential.Uid), int(s.as.Credential.Gid)); err != nil {
			return err
		}
	}
	if err := backUp(s, primary, s.data()); err != nil {
		return err
	}
	return errors.Join(putSignal(s, "standby.signal"), s.Configure(append([]string{
		"unix_socket_directories='" + s.dir + "'",
		"primary_conninfo='host=" + primary.dir + " user=hush application_name=" + name + "'",
		"synchronous_standby_names=''",
	}, settings...)...))
}

// tool runs a program of the installation as the user that owns the server.
func (s *Server) tool(name string, args ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(s.bin, name), args...) //nolint:gosec // the path is that of the installation
	cmd.SysProcAttr, cmd.Dir = s.as, s.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, out)
	}
	return nil
}

// SyncWith lets commits wait for the standby of that name, from now on; for none
// if it is empty.
func (s *Server) SyncWith(name string) error {
	if err := s.Configure("synchronous_standby_names='" + name + "'"); err != nil {
		return err
	}
	return s.server.Process.Signal(syscall.SIGHUP)
}

// Promote makes a primary of a standby and waits until it is one.
func (s *Server) Promote() error { return s.tool("pg_ctl", "promote", "-w", "-D", s.data()) }
