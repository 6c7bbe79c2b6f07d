package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// mask keeps the service from being started, or ends that.
func (d *firstDay) mask(on bool) error {
	d.masked = on
	path := filepath.Join(d.root, "etc/systemd/system/hush.service")
	if !on {
		return os.Remove(path)
	}
	return os.Symlink("/dev/null", path)
}

func (d *firstDay) closeSockets() {
	for _, file := range d.sockets {
		file.Close()
	}
	d.sockets = nil
}

// firstDayCredentials is where systemd shows the service its credentials.
const firstDayCredentials = "/run/credentials/hush.service"

// makeKey does what hush-keygen.service says.
func (d *firstDay) makeKey() error {
	if _, err := os.Stat(filepath.Join(d.root, "etc/hush/root.key")); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	unit, err := d.unit("hush-keygen.service")
	if err != nil {
		return err
	}
	out, err := exec.Command("chroot", append([]string{d.root}, strings.Fields(unit["ExecStart"][0])...)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("hush-keygen.service: %w: %s", err, out)
	}
	return nil
}

// makeFolders makes the folders that the unit names, and shows the service its
// credential.
func (d *firstDay) makeFolders(unit map[string][]string) error {
	owned := []string{firstDayCredentials, "/var/lib/" + unit["StateDirectory"][0], "/run/" + unit["RuntimeDirectory"][0]}
	for _, folder := range owned {
		path := filepath.Join(d.root, folder)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.MkdirAll(path, 0o700)); err != nil {
			return err
		}
	}
	name, from, _ := strings.Cut(unit["LoadCredential"][0], ":")
	key, err := os.ReadFile(filepath.Join(d.root, from))
	if err != nil {
		return err
	}
	credential := filepath.Join(firstDayCredentials, name)
	_ = os.Remove(filepath.Join(d.root, credential)) // of the start before
	if err := os.WriteFile(filepath.Join(d.root, credential), key, 0o400); err != nil {
		return err
	}
	return exec.Command("chown", append([]string{d.user()}, within(d.root, append(owned, credential))...)...).Run()
}

func within(root string, paths []string) (all []string) {
	for _, path := range paths {
		all = append(all, filepath.Join(root, path))
	}
	return all
}

// user returns the numbers of the user that the package has made.
func (d *firstDay) user() string {
	text, err := os.ReadFile(filepath.Join(d.root, "etc/passwd"))
	if err != nil {
		return err.Error()
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Split(line, ":"); fields[0] == "hush" {
			return fields[2] + ":" + fields[3]
		}
	}
	return "hush is no user"
}

// unit returns what an installed unit and its drop-ins say: its keys with their
// values, in order.
func (d *firstDay) unit(name string) (map[string][]string, error) {
	files := []string{filepath.Join(d.root, "usr/lib/systemd/system", name)}
	more, err := filepath.Glob(filepath.Join(d.root, "etc/systemd/system", name+".d", "*.conf"))
	unit := map[string][]string{}
	for _, file := range append(files, more...) {
		text, wrong := os.ReadFile(file)
		err = errors.Join(err, wrong)
		for line := range strings.Lines(string(text)) {
			if key, value, found := strings.Cut(strings.TrimSpace(line), "="); found && !strings.HasPrefix(key, "#") {
				unit[key] = append(unit[key], value)
			}
		}
	}
	return unit, err
}

// checkPaths returns an error for a folder of the settings that the unit, which
// makes the file system read-only, does not let the service write to.
func (d *firstDay) checkPaths(unit map[string][]string) error {
	settings, err := os.ReadFile(filepath.Join(d.root, "etc/hush/hush.yaml"))
	writable := strings.Fields(strings.Join(unit["ReadWritePaths"], " "))
	for line := range strings.Lines(string(settings)) {
		name, folder, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if (name == "spent-log" || name == "backup-to") && !slices.Contains(writable, folder) {
			err = errors.Join(err, fmt.Errorf("the unit lets the service write to %q, and not to the folder %s of %s", writable, folder, name))
		}
	}
	for _, folder := range writable {
		_, missing := os.Stat(filepath.Join(d.root, folder)) // systemd would not start it either
		err = errors.Join(err, missing)
	}
	return err
}
