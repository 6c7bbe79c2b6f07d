package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"hush/routes/apitest"
	"hush/server/certificates/acmetest"
	"hush/server/servertest"
)

const (
	// firstDayHost is the name of the service in the documents.
	firstDayHost = "secrets.example.com"
	// firstDayAddress is where it is, with the ports of the package.
	firstDayAddress = "127.0.0.1"
	firstDayHTTP    = 80
	firstDayTLS     = 443
)

// firstDayTools are shell scripts, in the root or outside, that stand for what a
// machine has: apt-get, systemctl, and other machines with curl, ssh and hush.
var firstDayTools = map[string]string{
	"root/usr/local/bin/apt-get": `[ "$1" = install ] && dpkg --force-unsafe-io --force-confold --install "$2" >/run/dpkg.log 2>&1 || { cat /run/dpkg.log; exit 1; }`,
	"root/usr/bin/journalctl":    `exec systemctl journal`,
	"root/usr/bin/systemctl": `exec perl -MIO::Socket::UNIX -e '
		my $to = IO::Socket::UNIX->new("/run/control") or die "no control: $!";
		print $to "@ARGV\n"; my @answer = <$to>;
		print { $answer[0] + 0 ? *STDERR : *STDOUT } @answer[1 .. $#answer]; exit $answer[0];' -- "$@"`,
	"tools/curl": `for one; do shift; case $one in /run/*) one=$DAY/root$one;; esac; set -- "$@" "$one"; done
		exec /usr/bin/curl --silent --show-error --cacert "$DAY/issued.pem" --resolve "` + firstDayHost + `:443:` + firstDayAddress + `" "$@"`,
	"tools/ssh":    `[ "$1" = "root@` + firstDayHost + `" ]; shift; exec within "$*"`,
	"tools/scp":    `[ "${2%%:*}" = "root@` + firstDayHost + `" ]; exec cp -p "$1" "$DAY/root${2#*:}"`,
	"tools/hush":   `exec "$DAY/root/usr/bin/hush" "$@"`,
	"tools/within": `exec env -i HOME=/root PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin $(cat "$DAY/variables") chroot "$DAY/root" /bin/sh -c "cd /root; $1"`,
}

// firstDay is a machine with nothing but the package. On the worst day another one
// takes its place.
type firstDay struct {
	t       *testing.T
	dir     string // what belongs to the test
	root    string // the machine's file system
	keys    string // of the third machine, with the keys
	acme    *acmetest.Server
	sockets []*os.File // of hush.socket; none before it was started

	mu       sync.Mutex // held by a command of systemctl
	masked   bool
	running  *exec.Cmd
	exit     chan error
	log      *servertest.Output
	notices  net.PacketConn // what the service tells systemd
	restarts int
}

// newFirstDay makes a machine of a root.
func newFirstDay(t *testing.T, root string) *firstDay {
	t.Helper()
	needCurl(t)
	d := &firstDay{t: t, dir: t.TempDir(), log: servertest.NewOutput(), acme: acmetest.New(t, firstDayHTTP, firstDayTLS, 3600*24*90)}
	d.keys = filepath.Join(d.dir, "keys")
	d.acme.DNS.SetA(firstDayHost, firstDayAddress)
	if err := errors.Join(os.Mkdir(d.keys, 0o700), os.Mkdir(filepath.Join(d.dir, "tools"), 0o700)); err != nil {
		t.Fatal(err)
	}
	d.write("issued.pem", string(d.acme.IssuedPEM), 0o600)
	d.write("variables", strings.Join(d.variables(), " "), 0o600)
	d.boot(root)
	t.Cleanup(func() {
		if d.running != nil {
			_ = d.running.Process.Kill()
		}
		if t.Failed() {
			t.Logf("the service wrote:\n%s", d.log)
		}
	})
	return d
}

// boot makes a root the machine's. The one before is switched off.
func (d *firstDay) boot(root string) {
	d.t.Helper()
	d.root, d.masked = root, false
	link := filepath.Join(d.dir, "root")
	for _, left := range []string{link, filepath.Join(root, "run/control"), filepath.Join(root, "run/notify")} {
		_ = os.Remove(left) // of the one before
	}
	if err := errors.Join(os.Symlink(root, link), os.MkdirAll(filepath.Join(root, "run/systemd/system"), 0o755)); err != nil {
		d.t.Fatal(err)
	}
	for path, script := range firstDayTools {
		d.write(path, "#!/bin/sh\nset -eu\n"+script+"\n", 0o755)
	}
	d.write("root/etc/acme.pem", string(d.acme.TLSPEM), 0o644)
	d.write("root/root/password", apitest.Password+"\n", 0o600)
	d.serveControl()
	d.openNotices()
}

func (d *firstDay) write(path, text string, mode os.FileMode) {
	d.t.Helper()
	if err := os.WriteFile(filepath.Join(d.dir, path), []byte(text), mode); err != nil {
		d.t.Fatal(err)
	}
}

// variables are what differs from a service on the internet: the ACME server, and
// where names are looked up.
func (d *firstDay) variables() []string {
	return []string{"HUSH_ACME_DIRECTORY=" + d.acme.URL, "HUSH_RESOLVER=" + d.acme.DNS.Addr, "SSL_CERT_FILE=/etc/acme.pem"}
}

func (d *firstDay) environment() []string {
	return []string{"DAY=" + d.dir, "PATH=" + filepath.Join(d.dir, "tools") + ":" + os.Getenv("PATH")}
}

// where makes a command run where the document says: with the keys, curl on another
// machine, or with the machine's sockets, and all others in its root.
func (d *firstDay) where(_ *testing.T, s dialogue) string {
	command := s.command
	if s.machine == "keys" {
		return "cd " + d.keys + " && " + command
	}
	if strings.HasPrefix(command, "curl ") {
		return command
	}
	return "within '" + strings.ReplaceAll(command, "'", `'\''`) + "'"
}

// serveControl answers systemctl.
func (d *firstDay) serveControl() {
	d.t.Helper()
	path := filepath.Join(d.root, "run/control")
	listener, err := net.Listen("unix", path)
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go d.control(conn)
		}
	}()
}

func (d *firstDay) openNotices() {
	d.t.Helper()
	path := filepath.Join(d.root, "run/notify")
	notices, err := net.ListenPacket("unixgram", path)
	if err == nil {
		d.t.Cleanup(func() { notices.Close() })
		err = os.Chmod(path, 0o666)
	}
	if err != nil {
		d.t.Fatal(err)
	}
	d.notices = notices
}

// control answers one call of systemctl: its exit code, and what it prints.
func (d *firstDay) control(conn net.Conn) {
	defer conn.Close()
	line := make([]byte, 1024)
	n, err := conn.Read(line)
	if err != nil {
		return
	}
	says, err := d.obey(strings.TrimSpace(string(line[:n])))
	if err != nil {
		fmt.Fprintf(conn, "1\nsystemctl: %v\n", err)
		return
	}
	fmt.Fprint(conn, "0\n"+says)
}

// obey does what systemd would, and returns what systemctl prints.
func (d *firstDay) obey(command string) (says string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.t.Logf("systemctl %s", command)
	var words []string
	for word := range strings.FieldsSeq(command) {
		if !strings.HasPrefix(word, "--") || word == "--now" {
			words = append(words, strings.TrimSuffix(word, ".service"))
		}
	}
	switch strings.Join(words, " ") {
	case "daemon-reload", "preset hush":
	case "mask hush", "unmask hush":
		err = d.mask(words[0] == "mask")
	case "journal":
		says = d.log.String()
	case "is-enabled hush":
		says = "enabled\n"
		if d.masked {
			err = errors.New("masked")
		}
	case "is-active hush":
		if d.running == nil {
			err = errors.New("inactive")
		}
	case "start hush":
		err = d.start()
	case "stop hush":
		err = d.stop()
	case "stop hush.socket hush":
		d.closeSockets()
		err = d.stop()
	case "enable --now hush.socket":
		err = d.listen()
	case "start hush.socket hush":
		err = errors.Join(d.listen(), d.start())
	case "restart hush":
		err = d.restart()
	case "try-restart hush":
		if d.running != nil {
			err = d.restart()
		}
	default:
		err = fmt.Errorf("%s: this machine knows no such command", command)
	}
	return says, err
}

// listen opens the sockets of hush.socket, on the address of the test.
func (d *firstDay) listen() error {
	unit, err := d.unit("hush.socket")
	if err != nil {
		return err
	}
	for _, port := range unit["ListenStream"] {
		listener, err := net.Listen("tcp", net.JoinHostPort(firstDayAddress, port))
		if err != nil {
			return err
		}
		file, err := listener.(*net.TCPListener).File()
		if err := errors.Join(err, listener.Close()); err != nil {
			return err
		}
		d.t.Cleanup(func() { file.Close() })
		d.sockets = append(d.sockets, file)
	}
	return nil
}

// start starts the service as its unit says, and waits until it is ready.
func (d *firstDay) start() error {
	if d.masked {
		return errors.New("Unit hush.service is masked")
	}
	unit, err := d.unit("hush.service")
	if err != nil {
		return err
	}
	if err := errors.Join(d.makeKey(), d.makeFolders(unit), d.checkPaths(unit)); err != nil {
		return err
	}
	args := []string{"chroot", "--userspec=" + d.user(), d.root}
	args = append(args, strings.Fields(unit["ExecStart"][0])...)
	variables := []string{"NOTIFY_SOCKET=/run/notify"}
	if settings, err := os.ReadFile(filepath.Join(d.root, "etc/hush/hush.yaml")); err != nil {
		return err
	} else if strings.Contains(string(settings), "\nacme: true\n") {
		variables = append(variables, d.variables()...)
	}
	for _, one := range unit["Environment"] {
		variables = append(variables, strings.ReplaceAll(one, "%d", firstDayCredentials))
	}
	d.running = d.activated(variables, args)
	d.running.Stderr = d.log
	if err := d.running.Start(); err != nil {
		return err
	}
	d.exit = make(chan error, 1)
	go func(c *exec.Cmd) { d.exit <- c.Wait() }(d.running)
	if len(d.sockets) > 0 { // systemd-socket-activate waits for someone
		knock, err := net.Dial("tcp", net.JoinHostPort(firstDayAddress, strconv.Itoa(firstDayTLS)))
		if err != nil {
			return err
		}
		defer knock.Close()
	}
	return d.ready()
}

// activated returns the command that runs the service with the sockets, if there
// are any.
func (d *firstDay) activated(variables, args []string) *exec.Cmd {
	if len(d.sockets) == 0 {
		c := exec.Command(args[0], args[1:]...)
		c.Env = append([]string{"PATH=" + os.Getenv("PATH")}, variables...)
		return c
	}
	script := `LISTEN_PID=$$ exec systemd-socket-activate --fdname=hush:hush "$@"`
	all := []string{"-c", script, "sh"}
	for _, one := range variables {
		all = append(all, "--setenv="+one)
	}
	c := exec.Command("/bin/sh", append(all, args...)...)
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "LISTEN_FDS=" + strconv.Itoa(len(d.sockets))}
	c.ExtraFiles = d.sockets
	return c
}

// ready waits for what the service tells systemd.
func (d *firstDay) ready() error {
	message := make([]byte, 256)
	for {
		_ = d.notices.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
		n, _, err := d.notices.ReadFrom(message)
		if err == nil && strings.Contains(string(message[:n]), "READY=1") {
			return nil
		}
		select {
		case err := <-d.exit:
			return fmt.Errorf("the service ended at its start: %w: %s", err, d.log)
		default:
		}
	}
}

// stop stops the service as systemd does.
func (d *firstDay) stop() error {
	if d.running == nil {
		return nil
	}
	if err := d.running.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	d.running = nil
	if err := <-d.exit; err != nil {
		return fmt.Errorf("stopping the service: %w", err)
	}
	return nil
}

// restart restarts the service while secrets are shared.
func (d *firstDay) restart() (err error) {
	d.restarts++
	d.sharing(func() { err = errors.Join(d.stop(), d.start()) })
	return err
}

// sharing runs something while secrets are shared over TLS, on connections that
// are kept and on new ones. No request may be refused or lost.
func (d *firstDay) sharing(during func()) {
	var all sync.WaitGroup
	var shared atomic.Int64
	done := make(chan struct{})
	for i := range 4 {
		client := d.client(i%2 == 0)
		all.Go(func() {
			for {
				select {
				case <-done:
					return
				case <-time.After(5 * time.Millisecond):
				}
				if _, err := servertest.ShareOnce(d.t.Context(), client, "https://"+firstDayHost); err != nil {
					d.t.Errorf("sharing while the service restarts: got %v, want a link", err)
					return
				}
				shared.Add(1)
			}
		})
	}
	more := func() {
		before := shared.Load()
		for until := time.Now().Add(apitest.Patience); shared.Load() < before+20 && time.Now().Before(until); {
			time.Sleep(time.Millisecond)
		}
	}
	more()
	during()
	more()
	close(done)
	all.Wait()
	d.t.Logf("%d secrets were shared around a restart", shared.Load())
}

// client returns a client on another machine.
func (d *firstDay) client(keeps bool) *http.Client {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(d.acme.IssuedPEM)
	transport := &http.Transport{
		DisableKeepAlives: !keeps, TLSClientConfig: &tls.Config{RootCAs: roots},
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "tcp", net.JoinHostPort(firstDayAddress, strconv.Itoa(firstDayTLS)))
		},
	}
	d.t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Timeout: apitest.Patience, Transport: transport}
}
