package main

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
)

// The values of --sandbox.
const (
	sandboxOff = "off"
	sandboxOn  = "on"
)

// sandboxed is what the log says of the sandbox. See enterSandbox.
const sandboxed = "sandbox on: files can be opened only below these paths, changed only below those to write, and none executed; " +
	"not restricted are file attributes, sockets, the network and what is open already"

// prepareProcess takes from a process that serves what it never needs: core
// files, access of other processes of its user to its memory, and new
// privileges. A failure does not stop the start, except that --sandbox=on is
// refused on a system without a sandbox, before anything was changed.
func (p program) prepareProcess(s *settings) error {
	if s.sandbox == sandboxOn {
		if err := checkSandbox(sandboxVersion()); err != nil {
			return fmt.Errorf("--sandbox=on: %w", err)
		}
	}
	if p.alone {
		disableCoreDumps()
	}
	return nil
}

// confine restricts which files the process opens, creates, deletes and executes
// to what reach lists, for good. What is open already stays open. Without
// --sandbox=on it goes on where the system has no sandbox, and says so.
func (p program) confine(s *settings, log *slog.Logger) error {
	if s.sandbox == sandboxOff || !p.alone {
		return nil
	}
	version, r := sandboxVersion(), s.reach()
	err := checkSandbox(version)
	if err == nil {
		err = enterSandbox(r)
	}
	if err != nil && s.sandbox == sandboxOn {
		return fmt.Errorf("--sandbox=on: %w", err)
	}
	if err != nil {
		log.Warn("no sandbox: the service can reach every file of its user; see --sandbox", "cause", err)
		return nil
	}
	log.Info(sandboxed, "landlock", version, "write", r.write, "read", r.read)
	return nil
}

// reach is which files a serving process may open.
type reach struct {
	write []string // folders in which it may do anything but execute
	read  []string // files and folders, those included that are not there
}

// reach lists what a service with these settings needs once it serves. What it
// reads only before that, such as the file of a root key, is not in the list.
//
// Name resolution, certificates of mail servers and time zones are the
// system's. Their files are replaced while the service runs, by DHCP for
// example, and a rule for a file ends with that file; so the rules are for
// their folders.
func (s *settings) reach() reach {
	r := reach{read: []string{
		"/etc",
		"/usr/share/zoneinfo", "/usr/share/ca-certificates", "/usr/local/share/ca-certificates", "/usr/share/pki",
		"/lib", "/lib64", "/usr/lib", "/usr/lib64", // modules of the C library that look names up
	}}
	for _, name := range []string{"/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/ssl/certs/ca-certificates.crt", "/etc/ssl/cert.pem"} {
		if target, err := filepath.EvalSymlinks(name); err == nil {
			r.read = append(r.read, filepath.Dir(target))
		}
	}
	for _, name := range []string{os.Getenv("SSL_CERT_FILE"), s.tlsCert, s.tlsKey} {
		if name != "" {
			r.read = append(r.read, name)
		}
	}
	r.read = append(r.read, filepath.SplitList(os.Getenv("SSL_CERT_DIR"))...)
	if s.cpuProfile != "" {
		r.read = append(r.read, "/proc/self/maps") // which a profile ends with
	}
	if s.store != "memory" {
		r.write = []string{s.data}
	}
	slices.Sort(r.read)
	r.read = slices.Compact(r.read)
	return r
}
