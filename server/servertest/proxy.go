package servertest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"hush/routes/apitest"
)

// ProxyName is the host in the recipes of deploy/proxies.
const ProxyName = "secrets.example.com"

// ProxyURL is where clients find the service behind a proxy.
const ProxyURL = "https://" + ProxyName

// Recipe is a file in deploy/proxies and how its program is started with it.
type Recipe struct {
	Program, file string
	// adapt are the changes that the test makes in the file, as pairs.
	adapt func(p *Proxy) []string
	// socket are the changes of one who uses the socket instead of the port.
	socket []string
	// second adds another backend, as pairs.
	second func(addr string) []string
	// Nodes are the changes of one who has several nodes; nil for none.
	Nodes []string
	// command writes what else is needed and returns the program's arguments.
	command func(t *testing.T, p *Proxy, config string) []string
}

// Proxy is a proxy at work in a process of its own.
type Proxy struct {
	Recipe    Recipe
	dir       string // what it writes is here
	Addr      string // of TLS
	plain     string // of HTTP
	Cert, key string
	roots     *x509.CertPool
	Log       *Output
}

// ProxyBackend is where a proxy sends requests.
type ProxyBackend struct {
	Addr   string // host:port, or the path of a socket
	Second string // host:port of another backend; empty for none
	Nodes  bool   // both are nodes that are checked
}

// Recipes returns the proxies that the documents set up.
func Recipes() []Recipe {
	return []Recipe{
		{
			Program: "nginx", file: "nginx.conf",
			adapt: func(p *Proxy) []string {
				return []string{
					"listen 443", "listen " + p.Addr, "listen 80;", "listen " + p.plain + ";",
					"/etc/ssl/hush/cert.pem", p.Cert, "/etc/ssl/hush/key.pem", p.key, "/var/log/nginx", p.dir,
				}
			},
			socket: []string{"    server 127.0.0.1:7143", "    #", "# server unix:", "server unix:"},
			second: func(addr string) []string {
				return []string{"max_fails=0;\n", "max_fails=0;\nserver " + addr + " max_fails=0;\n"}
			},
			command: nginxCommand,
		},
		{
			Program: "haproxy", file: "haproxy.cfg",
			adapt: func(p *Proxy) []string {
				return []string{
					"    user haproxy\n    group haproxy\n", "", "bind :443", "bind " + p.Addr, "bind :80", "bind " + p.plain,
					"/etc/haproxy/hush.pem", joinFiles(p.dir, p.Cert, p.key),
					"/run/haproxy/hush-inner.sock", filepath.Join(p.dir, "inner.sock"),
				}
			},
			socket: []string{"    server hush 127.0.0.1:7143", "    #", "# server hush unix@", "server hush unix@"},
			second: func(addr string) []string {
				return []string{"    server hush 127", "    server other " + addr + "\n    server hush 127"}
			},
			Nodes: []string{
				"    server hush 127.0.0.1:7143", "    #", "# option httpchk", "option httpchk",
				"# option redispatch", "option redispatch", "# server node", "server node",
			},
			command: func(_ *testing.T, _ *Proxy, config string) []string { return []string{"-db", "-f", config} },
		},
		{
			Program: "apache2", file: "apache.conf",
			adapt: func(p *Proxy) []string {
				return []string{
					"*:443", p.Addr, "*:80", p.plain,
					"/etc/ssl/hush/cert.pem", p.Cert, "/etc/ssl/hush/key.pem", p.key, "${APACHE_LOG_DIR}", p.dir,
				}
			},
			socket: []string{
				"    ProxyPass / http:", "    #", "# ProxyPass / unix:", "ProxyPass / unix:",
				"    RewriteRule ^/(.*) h2c:", "    #", "# RewriteRule ^/(.*) unix:", "RewriteRule ^/(.*) unix:",
			},
			command: apacheCommand,
		},
		{
			Program: "caddy", file: "Caddyfile",
			adapt: func(p *Proxy) []string {
				_, secure, _ := net.SplitHostPort(p.Addr)
				_, plain, _ := net.SplitHostPort(p.plain)
				return []string{
					"\n{\n", "\n{\n\tadmin off\n\tdefault_bind 127.0.0.1\n\thttp_port " + plain + "\n\thttps_port " + secure + "\n",
					"# tls /", "tls /", "/etc/ssl/hush/cert.pem", p.Cert, "/etc/ssl/hush/key.pem", p.key,
				}
			},
			socket: []string{" 127.0.0.1:7143 {", " unix//run/hush/http.sock {"},
			second: func(addr string) []string { return []string{" 127.0.0.1:7143 {", " 127.0.0.1:7143 " + addr + " {"} },
			command: func(_ *testing.T, _ *Proxy, config string) []string {
				return []string{"run", "--adapter", "caddyfile", "--config", config}
			},
		},
	}
}

// Changed returns the recipe with further changes in its file, as pairs.
func (r Recipe) Changed(pairs ...string) Recipe {
	adapt := r.adapt
	r.adapt = func(p *Proxy) []string { return append(adapt(p), pairs...) }
	return r
}

// nginxCommand includes the file as Debian's nginx.conf does, with its log of paths.
// StartProxy removes the folders of temporary files once nginx has made them: what
// needs one fails.
func nginxCommand(t *testing.T, p *Proxy, config string) []string {
	t.Helper()
	head := "daemon off;\nworker_processes 2;\npid " + p.dir + "/pid;\nevents {}\nhttp {\naccess_log " + p.dir + "/access.log;\n"
	if os.Geteuid() == 0 {
		head = "user root;\n" + head
	}
	for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		head += fmt.Sprintf("%s_temp_path %s/temp-%s;\n", kind, p.dir, kind)
	}
	file := filepath.Join(p.dir, "main.conf")
	MustWrite(t, file, head+"include "+config+";\n}\n")
	return []string{"-e", "stderr", "-p", p.dir, "-c", file}
}

// apacheCommand loads the modules that the file names, and those that Debian
// loads by default and the file needs, and logs paths as Debian does.
func apacheCommand(t *testing.T, p *Proxy, config string) []string {
	t.Helper()
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	_, modules, _ := strings.Cut(string(text), "a2enmod ")
	modules, _, _ = strings.Cut(modules, "\n")
	var head strings.Builder
	head.WriteString("ServerRoot " + p.dir + "\nServerName localhost\nDefaultRuntimeDir " + p.dir + "\nPidFile " + p.dir + "/pid\n" +
		"User www-data\nGroup www-data\nErrorLog " + p.dir + "/error.log\nCustomLog " + p.dir + "/access.log \"%r\"\nListen " + p.Addr + "\nListen " + p.plain + "\n")
	for _, name := range append([]string{"mpm_event", "authz_core"}, strings.Fields(modules)...) {
		fmt.Fprintf(&head, "LoadModule %s_module /usr/lib/apache2/modules/mod_%s.so\n", name, name)
	}
	file := filepath.Join(p.dir, "main.conf")
	MustWrite(t, file, head.String()+"Include "+config+"\n")
	return []string{"-f", file, "-D", "FOREGROUND"}
}

// MustWrite writes a file.
func MustWrite(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func joinFiles(dir string, files ...string) string {
	var all []byte
	for _, file := range files {
		content, _ := os.ReadFile(file)
		all = append(all, content...)
	}
	joined := filepath.Join(dir, "joined.pem")
	_ = os.WriteFile(joined, all, 0o600)
	return joined
}

// ProxyFolder is a folder that a proxy may enter that runs as another user.
func ProxyFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "hush-proxy-") //nolint:usetesting // other users cannot enter t.TempDir
	if err = errors.Join(err, os.Chmod(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// NeedProgram skips the test where a program is not installed.
func NeedProgram(t *testing.T, name string) string {
	t.Helper()
	NeedStart(t)
	for _, dir := range []string{"", "/usr/sbin/", "/usr/local/sbin/"} {
		if path, err := exec.LookPath(dir + name); err == nil {
			return path
		}
	}
	t.Skip("needs " + name + ": not installed")
	return ""
}

// StartProxy starts a recipe's program before a backend, until the test ends.
func StartProxy(t *testing.T, r Recipe, b ProxyBackend) *Proxy {
	t.Helper()
	path := NeedProgram(t, r.Program)
	p := &Proxy{Recipe: r, dir: ProxyFolder(t), Addr: FreeAddress(t), plain: FreeAddress(t), Log: NewOutput()}
	p.Cert, p.key, p.roots = SelfSigned(t)
	config := filepath.Join(p.dir, r.file)
	MustWrite(t, config, p.adapted(t, b))
	cmd := exec.Command(path, r.command(t, p, config)...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.dir, "XDG_DATA_HOME=" + p.dir, "XDG_CONFIG_HOME=" + p.dir}
	cmd.Stdout, cmd.Stderr, cmd.Dir = p.Log, p.Log, p.dir
	cmd.WaitDelay = apitest.Patience
	if err := cmd.Start(); err != nil {
		t.Fatalf("starting %s: got %v, want no error", r.Program, err)
	}
	exited := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(exited)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-exited:
		case <-time.After(10 * time.Second):
			_ = cmd.Process.Kill()
			<-exited
		}
	})
	WaitUntil(t, r.Program+" to serve", func() bool {
		select {
		case <-exited:
			t.Fatalf("%s: got it to end, want it to serve; it wrote:\n%s", r.Program, p.Log)
		default:
		}
		conn, err := tls.Dial("tcp", p.Addr, &tls.Config{ServerName: ProxyName, RootCAs: p.roots})
		if err != nil {
			return false
		}
		return conn.Close() == nil
	})
	temporary, _ := filepath.Glob(filepath.Join(p.dir, "temp-*"))
	for _, dir := range temporary {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// adapted returns the recipe with the addresses and files of the test.
func (p *Proxy) adapted(t *testing.T, b ProxyBackend) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("../../deploy/proxies", p.Recipe.file))
	if err != nil {
		t.Fatal(err)
	}
	pairs := p.Recipe.adapt(p)
	if b.Nodes {
		pairs = append(append(pairs, p.Recipe.Nodes...), "10.0.0.1:7143", b.Addr, "10.0.0.2:7143", b.Second)
		return replaced(t, p.Recipe.file, string(content), pairs)
	}
	if b.Second != "" && p.Recipe.second != nil {
		pairs = append(pairs, p.Recipe.second(b.Second)...)
	}
	if strings.HasPrefix(b.Addr, "/") {
		pairs = append(append(pairs, p.Recipe.socket...), "/run/hush/http.sock", b.Addr)
	} else {
		pairs = append(pairs, "127.0.0.1:7143", b.Addr)
	}
	return replaced(t, p.Recipe.file, string(content), pairs)
}

// replaced replaces each first of a pair with the second.
func replaced(t *testing.T, file, text string, pairs []string) string {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			t.Fatalf("deploy/proxies/%s: got no %q, want it there", file, pairs[i])
		}
		text = strings.ReplaceAll(text, pairs[i], pairs[i+1])
	}
	return text
}

// Client is one of the proxy, over HTTP/1.1 or HTTP/2, from an address of this
// machine.
func (p *Proxy) Client(t *testing.T, http2 bool, from string, header http.Header) *http.Client {
	t.Helper()
	const timeout = 3 * apitest.Patience // a stream may take longer than patience
	var protocols http.Protocols
	protocols.SetHTTP1(!http2)
	protocols.SetHTTP2(http2)
	dialer := &net.Dialer{Timeout: apitest.Patience}
	if from != "" {
		dialer.LocalAddr = &net.TCPAddr{IP: net.ParseIP(from)}
	}
	transport := &http.Transport{
		Protocols: &protocols, DisableCompression: true, MaxIdleConnsPerHost: 64,
		TLSClientConfig: &tls.Config{RootCAs: p.roots},
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			if strings.HasSuffix(address, ":80") {
				return dialer.DialContext(ctx, network, p.plain)
			}
			return dialer.DialContext(ctx, network, p.Addr)
		},
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{
		Transport:     apitest.WithHeaders(transport, header),
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Drivers speak all protocols through the proxy.
func (p *Proxy) Drivers(t *testing.T, header http.Header) []apitest.Driver {
	t.Helper()
	return apitest.Drivers(p.Client(t, false, "", header), p.Client(t, true, "", header), ProxyURL)
}

// Written returns what the proxy wrote: its output and all of its files.
func (p *Proxy) Written(t *testing.T) string {
	t.Helper()
	all := p.Log.String()
	err := filepath.WalkDir(p.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		all += string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// SendKey sends requests with a key, and fails the test at another status.
func (p *Proxy) SendKey(t *testing.T, method, key string, allowed ...int) {
	t.Helper()
	allowed = append(allowed, http.StatusMethodNotAllowed)
	header := http.Header{"Referer": {ProxyURL + "/secret/" + key}, "Origin": {ProxyURL}}
	for _, http2 := range []bool{false, true} {
		client := p.Client(t, http2, "", header)
		for _, path := range []string{"/secret/" + key, "/api/v1/secret/" + key + "?passphrase=wrong"} {
			res := p.Send(t, client, method, path, "", nil)
			if !slices.Contains(allowed, res.Status) {
				t.Errorf("%s: %s %s: got %d %.200s, want one of %v", p.Recipe.Program, method, path, res.Status, res.Body, allowed)
			}
		}
	}
}

// Send sends a request through the proxy.
func (p *Proxy) Send(t *testing.T, client *http.Client, method, path, kind string, body io.Reader) apitest.Reply {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, ProxyURL+path, body)
	if err != nil {
		t.Fatal(err)
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	res, err := client.Do(req)
	if err != nil {
		t.Fatalf("%s: %s %.100s: got %v, want a response", p.Recipe.Program, method, path, errors.Unwrap(err))
	}
	defer res.Body.Close()
	content, err := io.ReadAll(res.Body)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Fatalf("%s: %s %.100s: got %v, want a whole response", p.Recipe.Program, method, path, err)
	}
	return apitest.Reply{Status: res.StatusCode, Header: res.Header, Body: string(content)}
}
