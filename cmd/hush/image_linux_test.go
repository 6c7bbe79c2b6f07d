package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hush/cli/command"
	"hush/routes/apitest"
	"hush/server/servertest"
	"hush/testtier"
)

// imageUser is the user of the container.
const imageUser = 65532

// builder calls buildah with a storage of the test's own.
type builder struct {
	t    *testing.T
	path string
	dir  string
}

func newBuilder(t *testing.T) *builder {
	t.Helper()
	path := servertest.NeedProgram(t, "buildah")
	if os.Geteuid() != 0 {
		t.Skip("needs root: buildah's chroot isolation and mounts")
	}
	if err := exec.Command("unshare", "--mount", "true").Run(); err != nil {
		t.Skip("needs mounts: not permitted here")
	}
	return &builder{t, path, servertest.ProxyFolder(t)}
}

// call returns what buildah writes on standard output.
func (b *builder) call(args ...string) string {
	b.t.Helper()
	cmd := exec.Command(b.path, slices.Concat([]string{
		"--root", filepath.Join(b.dir, "storage"), "--runroot", filepath.Join(b.dir, "run"), "--storage-driver", "vfs",
	}, args)...)
	var complaints strings.Builder
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		found, _ := exec.Command("find", filepath.Join(b.dir, "context")).CombinedOutput()
		b.t.Fatalf("buildah %s: got %v, want no error; it wrote:\n%s\nThere is\n%s", args, err, &complaints, found)
	}
	return strings.TrimSpace(string(out))
}

// release builds the image of a release of this tree.
func (b *builder) release(name string) {
	b.t.Helper()
	context := filepath.Join(b.dir, "context")
	layout := exec.Command("../../scripts/image.sh", filepath.Join(context, ".tmp/image"), runtime.GOARCH)
	if out, err := layout.CombinedOutput(); err != nil {
		b.t.Fatalf("scripts/image.sh: got %v, want no error; it wrote:\n%s", err, out)
	}
	ignored, err := os.ReadFile("../../.dockerignore")
	if err = errors.Join(err, os.WriteFile(filepath.Join(context, ".dockerignore"), ignored, 0o600),
		os.WriteFile(filepath.Join(context, "unwanted"), nil, 0o600)); err != nil {
		b.t.Fatal(err)
	}
	b.call("bud", "--isolation", "chroot", "--format", "docker", "--build-arg", "TARGETARCH="+runtime.GOARCH,
		"--build-arg", "VERSION=1.2.3", "--file", "../../deploy/container/Dockerfile", "--tag", name, context)
}

// fromClone builds the image of a clone with nothing but its Dockerfile. A root of Debian,
// into which this machine's Go is mounted, takes the name of the image that the Dockerfile
// begins with.
func (b *builder) fromClone(name string) {
	b.t.Helper()
	base := regexp.MustCompile(`(?m)^FROM (golang:\S+) AS build$`).FindStringSubmatch(readFile(b.t, "../../Dockerfile"))
	if base == nil {
		b.t.Fatal("Dockerfile: got no image of Go to begin with, want one")
	}
	b.debian("docker.io/library/" + base[1])
	context := filepath.Join(b.dir, "context")
	if out, err := exec.Command("git", "clone", "--quiet", "../..", context).CombinedOutput(); err != nil {
		b.t.Fatalf("git clone: got %v, want no error; it wrote:\n%s", err, out)
	}
	for _, file := range []string{"Dockerfile", ".dockerignore"} { // as they are, committed or not
		if err := os.WriteFile(filepath.Join(context, file), []byte(readFile(b.t, "../../"+file)), 0o600); err != nil {
			b.t.Fatal(err)
		}
	}
	args := []string{"bud", "--isolation", "chroot", "--format", "docker", "--pull-never", "--layers=false"}
	// Go itself, and what was downloaded and compiled before.
	for folder, place := range map[string]string{"GOROOT": "/usr/local/go", "GOMODCACHE": "/go/pkg/mod", "GOCACHE": "/root/.cache/go-build"} {
		args = append(args, "--volume", goVariable(b.t, folder)+":"+place)
	}
	b.call(append(args, "--tag", name, context)...)
}

// debian makes an image of a fresh root of Debian, with the variables of one of Go.
func (b *builder) debian(name string) {
	b.t.Helper()
	root := filepath.Join(b.dir, "debian.tar")
	script := `set -- ; for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.sources; do [ ! -e "$list" ] || set -- "$@" "$list"; done
exec mmdebstrap --quiet --variant=essential --include=ca-certificates --dpkgopt=force-unsafe-io "$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)" "$ROOT" "$@"`
	debian := exec.Command("sh", "-c", script)
	debian.Env = append(os.Environ(), "ROOT="+root)
	if out, err := debian.CombinedOutput(); err != nil {
		b.t.Fatalf("mmdebstrap: got %v, want a root; it wrote:\n%s", err, out)
	}
	container := b.call("from", "scratch")
	b.call("add", container, root, "/")
	b.call("config", "--env", "PATH=/usr/local/go/bin:/usr/sbin:/usr/bin:/sbin:/bin", "--env", "GOPATH=/go",
		"--env", "GOTOOLCHAIN=local", "--env", "GOPROXY=off", container)
	b.call("commit", container, name)
	b.call("rm", container)
}

func goVariable(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatalf("go env %s: got %v, want a folder", name, err)
	}
	return strings.TrimSpace(string(out))
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// imageConfig is what an image says of itself.
type imageConfig struct {
	User         string
	Env          []string
	Entrypoint   []string
	Cmd          []string
	StopSignal   string
	Volumes      map[string]struct{}
	ExposedPorts map[string]struct{}
	Labels       map[string]string
	Healthcheck  struct{ Test []string }
}

// An operator builds the image of a release and runs it as deploy/container/compose.yaml
// says: as its user, with no capability, on a root that cannot be written.
func TestImage(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about the image")
	testtier.Full(t, "builds an image")
	b := newBuilder(t)
	b.release("localhost/hush")
	b.check("localhost/hush", "deploy/container/compose.yaml", map[string]string{"org.opencontainers.image.version": "1.2.3"})
}

// Who has a clone and nothing else runs docker compose up: the Dockerfile and compose.yaml
// of the root, without the program, without Node, without a key.
func TestImageOfAClone(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about the image")
	testtier.Full(t, "builds an image")
	servertest.NeedProgram(t, "mmdebstrap")
	servertest.NeedProgram(t, "git")
	b := newBuilder(t)
	b.fromClone("localhost/hush")
	b.check("localhost/hush", "compose.yaml", nil)
}

// check wants an image to be as it must, and to run as a compose file says.
func (b *builder) check(name, compose string, labels map[string]string) {
	t := b.t
	t.Helper()
	var image struct {
		Docker struct {
			Config imageConfig
			Rootfs struct {
				Layers []string `json:"diff_ids"`
			}
		}
	}
	if err := json.Unmarshal([]byte(b.call("inspect", "--type", "image", name)), &image); err != nil {
		t.Fatal(err)
	}
	config := image.Docker.Config
	delete(config.Labels, "io.buildah.version")
	config.Env = slices.DeleteFunc(config.Env, func(v string) bool { return strings.HasPrefix(v, "PATH=") })
	want := imageConfig{
		User: "65532:65532", Env: []string{"HUSH_DATA=/data", "HUSH_LISTEN=0.0.0.0:7143"},
		Entrypoint: []string{"/hush"}, Cmd: []string{"serve"}, StopSignal: "SIGTERM",
		Volumes: map[string]struct{}{"/data": {}}, ExposedPorts: map[string]struct{}{"7143/tcp": {}},
		Labels: map[string]string{
			"org.opencontainers.image.title": "Hush", "org.opencontainers.image.description": "Share a secret once",
			"org.opencontainers.image.licenses": "Apache-2.0",
		},
		Healthcheck: struct{ Test []string }{[]string{"CMD", "/hush", "healthcheck"}},
	}
	maps.Copy(want.Labels, labels)
	if diff := cmp.Diff(want, config); diff != "" {
		t.Errorf("configuration of the image (-want +got):\n%s", diff)
	}
	if len(image.Docker.Rootfs.Layers) != 1 {
		t.Errorf("layers: got %d, want 1", len(image.Docker.Rootfs.Layers))
	}
	root := b.call("mount", b.call("from", name))
	checkImageFiles(t, root)
	checkContainer(t, root, config, composeSettings(t, compose))
}

// checkImageFiles wants no file that is not needed.
func checkImageFiles(t *testing.T, root string) {
	t.Helper()
	got := map[string]string{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == root {
			return err
		}
		info, err := entry.Info()
		name, _ := filepath.Rel(root, path)
		if name == "data" || !entry.IsDir() {
			stat := info.Sys().(*syscall.Stat_t)
			got[name] = map[bool]string{true: "root", false: "user"}[stat.Uid == 0]
			if stat.Uid != 0 && stat.Uid != imageUser || stat.Uid == 0 && info.Mode().Perm()&0o222 != 0 {
				t.Errorf("/%s: got mode %v of %d, want root's to be read-only", name, info.Mode(), stat.Uid)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"hush": "root", "etc/ssl/certs/ca-certificates.crt": "root", "data": "user"}
	if !maps.Equal(got, want) {
		t.Errorf("files of the image: got %v, want %v", got, want)
	}
}

// container is an image's root that is served from. A key is mounted as a secret.
type container struct {
	root, data, key string
	env             []string
}

// checkContainer shares, restarts and reveals, with the settings of a compose file.
func checkContainer(t *testing.T, root string, config imageConfig, settings []string) {
	t.Helper()
	addr := servertest.FreeAddress(t)
	c := container{root: root, data: filepath.Join(servertest.ProxyFolder(t), "data")}
	// What container runtimes do: they make a volume as the image has the folder,
	// mount the key, and write the names of the host.
	err := errors.Join(os.Mkdir(c.data, 0o700), os.Chown(c.data, imageUser, imageUser),
		os.WriteFile(filepath.Join(root, "etc/hosts"), []byte("127.0.0.1 localhost\n"), 0o444))
	if slices.Contains(settings, "HUSH_ROOT_KEY_FILE=/run/secrets/hush-root-key") {
		c.key = filepath.Join(servertest.ProxyFolder(t), "root.key")
		servertest.Call(t, nil, "", "admin", "keygen", c.key).Want(t, "admin keygen", command.ExitOK)
		err = errors.Join(err, os.Chown(c.key, imageUser, imageUser), os.MkdirAll(filepath.Join(root, "run/secrets"), 0o755),
			os.WriteFile(filepath.Join(root, "run/secrets/hush-root-key"), nil, 0o444))
	}
	if err != nil {
		t.Fatal(err)
	}
	c.env = slices.Concat(config.Env, settings, []string{"HUSH_LISTEN=" + addr, "HUSH_BASE_URL=" + servertest.ProxyURL})
	p := c.start(t, slices.Concat(config.Entrypoint, config.Cmd)...)
	p.URL = "http://" + addr
	made := apitest.MustConceal(t, servertest.Drivers(t, p.Server, nil)[0], apitest.Terms{Secret: "in a container"})
	if out, err := c.command(config.Healthcheck.Test[1:]...).CombinedOutput(); err != nil || string(out) != "ok\n" {
		t.Errorf("healthcheck: got %q and %v, want ok", out, err)
	}
	if out, err := c.command("/hush", "admin", "keygen", "/root.key").CombinedOutput(); err == nil || !strings.Contains(string(out), "read-only file system") {
		t.Errorf("writing to the root: got %q and %v, want it to be read-only", out, err)
	}
	if err := p.Terminate(t); err != nil {
		t.Errorf("SIGTERM: got %v, want exit code 0; it wrote:\n%s", err, p.Log)
	}
	if out, err := c.command(config.Healthcheck.Test[1:]...).CombinedOutput(); err == nil {
		t.Errorf("healthcheck of a stopped service: got %q, want an error", out)
	}
	p = c.start(t, slices.Concat(config.Entrypoint, config.Cmd)...)
	p.URL = "http://" + addr
	servertest.Drivers(t, p.Server, nil)[0].Reveal(t.Context(), made.SecretKey, "").WantValue(t, "reveal after a restart", "in a container")
	if err := p.Terminate(t); err != nil {
		t.Errorf("SIGTERM: got %v, want exit code 0; it wrote:\n%s", err, p.Log)
	}
}

// command runs a command in the container. Its mounts end with it.
func (c container) command(args ...string) *exec.Cmd {
	const enter = `set -e; root=$1 data=$2 key=$3; shift 3
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount --bind "$data" "$root/data"
[ -z "$key" ] || mount --bind -o ro "$key" "$root/run/secrets/hush-root-key"
cd "$root"
exec setpriv --no-new-privs --bounding-set=-all,+sys_chroot,+setuid,+setgid chroot --userspec=65532:65532 --groups= "$root" "$@"`
	cmd := exec.Command("unshare", slices.Concat([]string{"--mount", "sh", "-c", enter, "sh", c.root, c.data, c.key}, args)...)
	cmd.Env = append(slices.Clone(c.env), "PATH="+os.Getenv("PATH"))
	return cmd
}

// start runs the service in the container.
func (c container) start(t *testing.T, args ...string) *servertest.Process {
	t.Helper()
	p := &servertest.Process{Server: &servertest.Server{Log: servertest.NewOutput()}, Exit: make(chan error, 1)}
	p.Cmd = c.command(args...)
	p.Cmd.Stderr = p.Log
	p.Await(t)
	return p
}
