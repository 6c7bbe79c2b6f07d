package main

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hush/mail/mailtest"
	"hush/routes/apitest"
	"hush/server/certificates/acmetest"
	"hush/server/servertest"
	"hush/vault/vaulttest"
)

// startPage is where people begin.
const startPage = "../../docs/start.md"

// startTools are shell scripts that stand for other machines, and for what only root can.
var startTools = map[string]string{
	"curl":    `exec "$CURL" --silent --show-error --cacert "$ISSUED" --connect-to "secrets.example.com:443:$SECURE" "$@"`,
	"install": `for one; do shift; case $one in -o | -g) user=1;; *) [ -n "${user-}" ] || set -- "$@" "$one"; user=;; esac; done; exec "$INSTALL" "$@"`,
	"ssh":     `[ "$1" = root@secrets.example.com ]; shift; exec sh -c "$*"`,
}

// TestStart runs the commands of docs/start.md as they stand there, in an empty folder
// that stands for the roots of both machines. It does itself what the package and systemd
// do, which TestFirstDay has for real; certificates come from a real ACME server.
func TestStart(t *testing.T) {
	t.Parallel()
	needCurl(t)
	servertest.RunOnce(t, "about data folders")
	sessions := consoleSessions(t, startPage)
	if len(sessions) < 24 {
		t.Fatalf("%s: got %d commands, want 24 or more", startPage, len(sessions))
	}
	k := newStarter(t)
	t.Cleanup(func() {
		if t.Failed() && k.service != nil {
			t.Logf("the service wrote:\n%s", k.service.Log)
		}
	})
	for _, s := range sessions {
		k.run(t, s)
	}
	if k.starts != 3 {
		t.Errorf("%s: got %d starts of the service, want one, and one each for mail and backups", startPage, k.starts)
	}
}

// starter is who begins: at a machine of their own, then on one for a service.
type starter struct {
	own, root string // folders: of their machine, and what stands for / on the other
	service   *servertest.Process
	starts    int
	acme      *acmetest.Server
	mails     *mailtest.Server
	plain     string // addresses: host:port
	secure    string
	script    *transcript
}

func newStarter(t *testing.T) *starter {
	t.Helper()
	mails := mailtest.NewWith(t, mailtest.Options{RequireTLS: true, Username: "hush", Password: "of the mail server"})
	k := &starter{own: t.TempDir(), root: t.TempDir(), mails: mails, plain: servertest.FreeAddress(t), secure: servertest.FreeAddress(t)}
	k.acme = acmetest.New(t, portNumber(t, k.plain), portNumber(t, k.secure), 3600*24*90)
	k.acme.DNS.SetA("secrets.example.com", "127.0.0.1")
	tools := t.TempDir()
	for name, script := range startTools {
		k.write(t, filepath.Join(tools, name), "#!/bin/sh\nset -eu\n"+script+"\n", 0o700)
	}
	k.write(t, k.path("issued.pem"), string(k.acme.IssuedPEM), 0o600)
	k.write(t, k.path("trusted.pem"), string(k.acme.TLSPEM)+string(mails.CAsPEM()), 0o600)
	path := strings.TrimPrefix(selfAsHush(t), "PATH=")
	k.script = &transcript{
		dir: k.own, known: map[string]string{}, messages: true, fill: k.fill,
		environment: []string{
			"PATH=" + tools + string(os.PathListSeparator) + path, "HOME=" + t.TempDir(), "XDG_CONFIG_HOME=", "XDG_STATE_HOME=", "TZ=UTC",
			"CURL=" + which(t, "curl"), "INSTALL=" + which(t, "install"), "ISSUED=" + k.path("issued.pem"), "SECURE=" + k.secure,
		},
	}
	return k
}

// run runs a command, or does what it says.
func (k *starter) run(t *testing.T, s dialogue) {
	t.Helper()
	switch {
	case strings.HasPrefix(s.command, "hush serve"):
		flags := strings.Fields(s.command)[2:]
		local := servertest.StartOn(t, filepath.Join(k.own, "hush-data"), append(flags, servertest.InFolder)...)
		k.script.url = local.URL
		if said := strings.ReplaceAll(local.Log.String(), local.URL, shownURL); !likeness(s.want + "\n…").MatchString(said) {
			t.Errorf("%s: got\n%s\nwant\n%s", s.command, said, s.want)
		}
	case strings.HasPrefix(s.command, "apt-get install "):
		k.unpack(t)
	case strings.HasPrefix(s.command, "systemctl "):
		k.restart(t)
	default:
		if strings.HasPrefix(s.command, "ls /mnt/other/hush-backups") {
			servertest.WaitUntil(t, "the first backup", func() bool {
				found, err := filepath.Glob(k.path("mnt/other/hush-backups/*.age"))
				return err == nil && len(found) > 0
			})
		}
		k.script.run(t, s)
		if strings.HasSuffix(s.command, "/RequestPasswordReset") {
			k.wantMail(t)
		}
	}
}

// wantMail waits for the mail that the document asks for.
func (k *starter) wantMail(t *testing.T) {
	t.Helper()
	mailed := k.mails.Wait(t, 1)[0]
	if !slices.Equal(mailed.To, []string{"you@example.com"}) || !strings.Contains(mailed.Text(), "https://secrets.example.com/") {
		t.Errorf("mail: got one to %q\n%s\nwant one to you@example.com with a link", mailed.To, mailed.Text())
	}
}

// fill makes a command run in the folder, where the document has the machine's root. What
// the settings of the document say of ports, of the ACME server and of mail is of the
// test then.
func (k *starter) fill(_ *testing.T, s dialogue) string {
	places := []string{}
	for _, folder := range []string{"/etc/hush/", "/etc/systemd/", "/mnt/other/", "/root/"} {
		places = append(places, folder, k.path(folder)+"/")
	}
	return strings.NewReplacer(places...).Replace(s.command)
}

func (k *starter) path(name string) string { return filepath.Join(k.root, name) }

// unpack does what installing the package does, and puts what the document says is there
// beside it.
func (k *starter) unpack(t *testing.T) {
	t.Helper()
	for _, folder := range []string{"etc/hush", "etc/systemd/system", "var/lib", "mnt/other", "root"} {
		vaulttest.Want(t, "MkdirAll("+folder+")", os.MkdirAll(k.path(folder), 0o700), nil)
	}
	k.write(t, k.path("etc/hush/hush.yaml"), "data: "+k.path("var/lib/hush")+"\n", 0o640)
	servertest.Call(t, nil, "", "admin", "keygen", k.path("etc/hush/root.key")).Want(t, "admin keygen", 0)
	k.write(t, k.path("root/password"), apitest.Password+"\n", 0o600)
	k.write(t, k.path("root/smtp-password"), "of the mail server\n", 0o600)
	k.script.environment = append(k.script.environment, "HUSH_ROOT_KEY_FILE="+k.path("etc/hush/root.key"), "SSL_CERT_FILE="+k.path("trusted.pem"), "HUSH_LISTEN="+k.secure)
}

// restart starts the service as its unit does, after it has ended.
func (k *starter) restart(t *testing.T) {
	t.Helper()
	if k.service != nil {
		vaulttest.Want(t, "Terminate()", k.service.Terminate(t), nil)
	}
	flags := []string{
		servertest.InFolder, "--config", k.path("etc/hush/hush.yaml"), "--root-key-file", k.path("etc/hush/root.key"),
		"--listen", k.secure, "--acme-http-listen", k.plain, "--acme-directory", k.acme.URL, "--resolver", k.acme.DNS.Addr,
	}
	settings, err := os.ReadFile(k.path("etc/hush/hush.yaml"))
	vaulttest.Want(t, "ReadFile(hush.yaml)", err, nil)
	if strings.Contains(string(settings), "\nsmtp-host: ") {
		flags = append(flags, "--smtp-host", k.mails.Addr)
	}
	k.service = servertest.StartProcessIn(t, []string{"SSL_CERT_FILE=" + k.path("trusted.pem")}, servertest.Build(t), k.path("var/lib/hush"), flags...)
	k.starts++
}

func (k *starter) write(t *testing.T, path, content string, mode os.FileMode) {
	t.Helper()
	vaulttest.Want(t, "WriteFile("+path+")", os.WriteFile(path, []byte(content), mode), nil)
}

func which(t *testing.T, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	vaulttest.Want(t, "LookPath("+program+")", err, nil)
	return path
}

func portNumber(t *testing.T, address string) int {
	t.Helper()
	_, text, err := net.SplitHostPort(address)
	port, wrong := strconv.Atoi(text)
	vaulttest.Want(t, "SplitHostPort("+address+")", errors.Join(err, wrong), nil)
	return port
}
