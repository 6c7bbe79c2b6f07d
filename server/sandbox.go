package server

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"hush/server/datafolder"
	"hush/server/process"
	"hush/server/settings"
)

// sandboxed is what the log says of the sandbox. See process.EnterSandbox.
const sandboxed = "sandbox on: files can be opened only below these paths, changed only below those to write, and none executed; " +
	"not restricted are file attributes, sockets, the network and what is open already"

// checkSandbox refuses --sandbox=on on a system without a sandbox.
func checkSandbox(s *settings.Settings) error {
	if s.Sandbox != settings.SandboxOn {
		return nil
	}
	if err := process.CheckSandbox(process.SandboxVersion()); err != nil {
		return fmt.Errorf("--sandbox=on: %w", err)
	}
	return nil
}

// confine restricts which files the process opens, creates, deletes and executes
// to what reachOf lists, for good. What is open already stays open. Without
// --sandbox=on it goes on where the system has no sandbox, and says so.
func (s *server) confine() error {
	if s.Sandbox == settings.SandboxOff || !s.alone {
		return nil
	}
	version, r := process.SandboxVersion(), reachOf(s.Settings)
	err := process.CheckSandbox(version)
	if err == nil {
		err = process.EnterSandbox(r)
	}
	if err != nil && s.Sandbox == settings.SandboxOn {
		return fmt.Errorf("--sandbox=on: %w", err)
	}
	if err != nil {
		s.log.Warn("no sandbox: the service can reach every file of its user; see --sandbox", "cause", err)
		return nil
	}
	s.log.Info(sandboxed, "landlock", version, "write", r.Write, "read", r.Read)
	return nil
}

// reachOf lists what a service with these settings needs once it serves. What it
// reads only before that, such as the file of a root key, is not in the list.
//
// Name resolution, certificates of mail servers and time zones are the
// system's. Their files are replaced while the service runs, by DHCP for
// example, and a rule for a file ends with that file; so the rules are for
// their folders.
func reachOf(s *settings.Settings) process.Reach {
	r := process.Reach{Read: []string{
		"/etc",
		"/usr/share/zoneinfo", "/usr/share/ca-certificates", "/usr/local/share/ca-certificates", "/usr/share/pki",
		"/lib", "/lib64", "/usr/lib", "/usr/lib64", // modules of the C library that look names up
	}}
	for _, name := range []string{"/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/ssl/certs/ca-certificates.crt", "/etc/ssl/cert.pem"} {
		if target, err := filepath.EvalSymlinks(name); err == nil {
			r.Read = append(r.Read, filepath.Dir(target))
		}
	}
	if name := os.Getenv("SSL_CERT_FILE"); name != "" {
		r.Read = append(r.Read, name)
	}
	for _, name := range []string{s.TLSCert, s.TLSKey, s.MetricsTLSCert, s.MetricsTLSKey} {
		if name != "" {
			r.Read = append(r.Read, placesOf(name)...)
		}
	}
	r.Read = append(r.Read, filepath.SplitList(os.Getenv("SSL_CERT_DIR"))...)
	for _, name := range datafolder.ConnectionFiles(s) {
		r.Read = append(r.Read, placesOf(name)...)
	}
	if s.CPUProfile != "" {
		r.Read = append(r.Read, "/proc/self/maps") // which a profile ends with
	}
	if s.AdminListen != "" || s.MetricsListen != "" {
		r.Read = append(r.Read, "/proc/self", "/proc/stat") // of which metrics tell about the process
	}
	if s.Store != settings.StoreMemory {
		r.Write = []string{s.Data}
	}
	if s.BackupTo != "" {
		r.Write = append(r.Write, s.BackupTo)
	}
	if folder := s.SpentLogFolder(); folder != "" {
		r.Write = append(r.Write, folder)
	}
	slices.Sort(r.Read)
	r.Read = slices.Compact(r.Read)
	return r
}

// placesOf returns what must be in reach so that a file can be read again after
// another was put in its place: its folder, unless that is the user's own.
func placesOf(name string) []string {
	places := []string{name}
	home, _ := os.UserHomeDir()
	for _, path := range []func(string) (string, error){filepath.Abs, filepath.EvalSymlinks} {
		if path, err := path(name); err == nil && filepath.Dir(path) != home {
			places = append(places, filepath.Dir(path))
		}
	}
	return places
}
