package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
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

// build builds the image of this tree.
func (b *builder) build(name string) {
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
		"--build-arg", "VERSION=1.2.3", "--file", "../../Dockerfile", "--tag", name, context)
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

// An operator builds the image and runs it as compose.yaml says: as its user, with
// no capability, on a root that cannot be written.
func TestImage(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about the image")
	testtier.Full(t, "builds an image")
	b := newBuilder(t)
	b.build("localhost/hush")
	var image struct {
		Docker struct {
			Config imageConfig
			Rootfs struct {
				Layers []string `json:"diff_ids"`
			}
		}
	}
	if err := json.Unmarshal([]byte(b.call("inspect", "--type", "image", "localhost/hush")), &image); err != nil {
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
			"org.opencontainers.image.licenses": "Apache-2.0", "org.opencontainers.image.version": "1.2.3",
		},
		Healthcheck: struct{ Test []string }{[]string{"CMD", "/hush", "healthcheck"}},
	}
	if diff := cmp.Diff(want, config); diff != "" {
		t.Errorf("configuration of the image (-want +got):\n%s", diff)
	}
	if len(image.Docker.Rootfs.Layers) != 1 {
		t.Errorf("layers: got %d, want 1", len(image.Docker.Rootfs.Layers))
	}
	root := b.call("mount", b.call("from", "localhost/hush"))
	checkImageFiles(t, root)
	checkContainer(t, root, config)
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

// container is an image's root that is served from.
type container struct {
	root, data, key string
	env             []string
}

// checkContainer shares, restarts and reveals.
func checkContainer(t *testing.T, root string, config imageConfig) {
	t.Helper()
	addr := servertest.FreeAddress(t)
	c := container{root: root, data: filepath.Join(servertest.ProxyFolder(t), "data"), key: filepath.Join(servertest.ProxyFolder(t), "root.key")}
	servertest.Call(t, nil, "", "admin", "keygen", c.key).Want(t, "admin keygen", command.ExitOK)
	// What container runtimes do: they make a volume as the image has the folder,
	// mount the key, and write the names of the host.
	err := errors.Join(os.Mkdir(c.data, 0o700), os.Chown(c.data, imageUser, imageUser), os.Chown(c.key, imageUser, imageUser),
		os.MkdirAll(filepath.Join(root, "run/secrets"), 0o755), os.WriteFile(filepath.Join(root, "run/secrets/hush-root-key"), nil, 0o444),
		os.WriteFile(filepath.Join(root, "etc/hosts"), []byte("127.0.0.1 localhost\n"), 0o444))
	if err != nil {
		t.Fatal(err)
	}
	c.env = append(slices.Clone(config.Env), "HUSH_LISTEN="+addr, "HUSH_BASE_URL="+servertest.ProxyURL, "HUSH_ROOT_KEY_FILE=/run/secrets/hush-root-key")
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
mount --bind -o ro "$key" "$root/run/secrets/hush-root-key"
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
