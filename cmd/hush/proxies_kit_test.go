package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"hush/routes/apitest"
)

// proxyName is the host in the recipes of deploy/proxies.
const proxyName = "secrets.example.com"

// proxyURL is where clients find the service behind a proxy.
const proxyURL = "https://" + proxyName

// recipe is a file in deploy/proxies and how its program is started with it.
type recipe struct {
	program, file string
	// adapt are the changes that the test makes in the file, as pairs.
	adapt func(p *testProxy) []string
	// socket are the changes of one who uses the socket instead of the port.
	socket []string
	// second adds another backend, as pairs.
	second func(addr string) []string
	// nodes are the changes of one who has several nodes; nil for none.
	nodes []string
	// command writes what else is needed and returns the program's arguments.
	command func(t *testing.T, p *testProxy, config string) []string
}

// testProxy is a proxy at work in a process of its own.
type testProxy struct {
	recipe    recipe
	dir       string // what it writes is here
	addr      string // of TLS
	plain     string // of HTTP
	cert, key string
	roots     *x509.CertPool
	log       *output
}

// proxyBackend is where a proxy sends requests.
type proxyBackend struct {
	addr   string // host:port, or the path of a socket
	second string // host:port of another backend; empty for none
	nodes  bool   // both are nodes that are checked
}

func recipes() []recipe {
	return []recipe{
		{
			program: "nginx", file: "nginx.conf",
			adapt: func(p *testProxy) []string {
				return []string{
					"listen 443", "listen " + p.addr, "listen 80;", "listen " + p.plain + ";",
					"/etc/ssl/hush/cert.pem", p.cert, "/etc/ssl/hush/key.pem", p.key, "/var/log/nginx", p.dir,
				}
			},
			socket: []string{"    server 127.0.0.1:7143", "    #", "# server unix:", "server unix:"},
			second: func(addr string) []string {
				return []string{"max_fails=0;\n", "max_fails=0;\nserver " + addr + " max_fails=0;\n"}
			},
			command: nginxCommand,
		},
		{
			program: "haproxy", file: "haproxy.cfg",
			adapt: func(p *testProxy) []string {
				return []string{
					"    user haproxy\n    group haproxy\n", "", "bind :443", "bind " + p.addr, "bind :80", "bind " + p.plain,
					"/etc/haproxy/hush.pem", joinFiles(p.dir, p.cert, p.key),
					"/run/haproxy/hush-inner.sock", filepath.Join(p.dir, "inner.sock"),
				}
			},
			socket: []string{"    server hush 127.0.0.1:7143", "    #", "# server hush unix@", "server hush unix@"},
			second: func(addr string) []string {
				return []string{"    server hush 127", "    server other " + addr + "\n    server hush 127"}
			},
			nodes: []string{
				"    server hush 127.0.0.1:7143", "    #", "# option httpchk", "option httpchk",
				"# option redispatch", "option redispatch", "# server node", "server node",
			},
			command: func(_ *testing.T, _ *testProxy, config string) []string { return []string{"-db", "-f", config} },
		},
		{
			program: "apache2", file: "apache.conf",
			adapt: func(p *testProxy) []string {
				return []string{
					"*:443", p.addr, "*:80", p.plain,
					"/etc/ssl/hush/cert.pem", p.cert, "/etc/ssl/hush/key.pem", p.key, "${APACHE_LOG_DIR}", p.dir,
				}
			},
			socket: []string{
				"    ProxyPass / http:", "    #", "# ProxyPass / unix:", "ProxyPass / unix:",
				"    RewriteRule ^/(.*) h2c:", "    #", "# RewriteRule ^/(.*) unix:", "RewriteRule ^/(.*) unix:",
			},
			command: apacheCommand,
		},
		{
			program: "caddy", file: "Caddyfile",
			adapt: func(p *testProxy) []string {
				_, secure, _ := net.SplitHostPort(p.addr)
				_, plain, _ := net.SplitHostPort(p.plain)
				return []string{
					"\n{\n", "\n{\n\tadmin off\n\tdefault_bind 127.0.0.1\n\thttp_port " + plain + "\n\thttps_port " + secure + "\n",
					"# tls /", "tls /", "/etc/ssl/hush/cert.pem", p.cert, "/etc/ssl/hush/key.pem", p.key,
				}
			},
			socket: []string{" 127.0.0.1:7143 {", " unix//run/hush/http.sock {"},
			second: func(addr string) []string { return []string{" 127.0.0.1:7143 {", " 127.0.0.1:7143 " + addr + " {"} },
			command: func(_ *testing.T, _ *testProxy, config string) []string {
				return []string{"run", "--adapter", "caddyfile", "--config", config}
			},
		},
	}
}

// nginxCommand includes the file as Debian's nginx.conf does, with its log of paths.
// startProxy removes the folders of temporary files once nginx has made them: what
// needs one fails.
func nginxCommand(t *testing.T, p *testProxy, config string) []string {
	t.Helper()
	head := "daemon off;\nworker_processes 2;\npid " + p.dir + "/pid;\nevents {}\nhttp {\naccess_log " + p.dir + "/access.log;\n"
	if os.Geteuid() == 0 {
		head = "user root;\n" + head
	}
	for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		head += fmt.Sprintf("%s_temp_path %s/temp-%s;\n", kind, p.dir, kind)
	}
	file := filepath.Join(p.dir, "main.conf")
	mustWrite(t, file, head+"include "+config+";\n}\n")
	return []string{"-e", "stderr", "-p", p.dir, "-c", file}
}

// apacheCommand loads the modules that the file names, and those that Debian
// loads by default and the file needs, and logs paths as Debian does.
func apacheCommand(t *testing.T, p *testProxy, config string) []string {
	t.Helper()
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	_, modules, _ := strings.Cut(string(text), "a2enmod ")
	modules, _, _ = strings.Cut(modules, "\n")
	head := "ServerRoot " + p.dir + "\nServerName localhost\nDefaultRuntimeDir " + p.dir + "\nPidFile " + p.dir + "/pid\n" +
		"User www-data\nGroup www-data\nErrorLog " + p.dir + "/error.log\nCustomLog " + p.dir + "/access.log \"%r\"\nListen " + p.addr + "\nListen " + p.plain + "\n"
	for _, name := range append([]string{"mpm_event", "authz_core"}, strings.Fields(modules)...) {
		head += fmt.Sprintf("LoadModule %s_module /usr/lib/apache2/modules/mod_%s.so\n", name, name)
	}
	file := filepath.Join(p.dir, "main.conf")
	mustWrite(t, file, head+"Include "+config+"\n")
	return []string{"-f", file, "-D", "FOREGROUND"}
}

func mustWrite(t *testing.T, file, text string) {
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

// proxyFolder is a folder that a proxy may enter that runs as another user.
func proxyFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "hush-proxy-") //nolint:usetesting // other users cannot enter t.TempDir
	if err = errors.Join(err, os.Chmod(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// needProgram skips the test where a program is not installed.
func needProgram(t *testing.T, name string) string {
	t.Helper()
	starts(t)
	for _, dir := range []string{"", "/usr/sbin/", "/usr/local/sbin/"} {
		if path, err := exec.LookPath(dir + name); err == nil {
			return path
		}
	}
	t.Skip("needs " + name + ": not installed")
	return ""
}

// startProxy starts a recipe's program before a backend, until the test ends.
func startProxy(t *testing.T, r recipe, b proxyBackend) *testProxy {
	t.Helper()
	starts(t)
	path := needProgram(t, r.program)
	p := &testProxy{recipe: r, dir: proxyFolder(t), addr: freeAddress(t), plain: freeAddress(t), log: newOutput()}
	p.cert, p.key, p.roots = selfSigned(t)
	config := filepath.Join(p.dir, r.file)
	mustWrite(t, config, p.adapted(t, b))
	cmd := exec.Command(path, r.command(t, p, config)...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.dir, "XDG_DATA_HOME=" + p.dir, "XDG_CONFIG_HOME=" + p.dir}
	cmd.Stdout, cmd.Stderr, cmd.Dir = p.log, p.log, p.dir
	cmd.WaitDelay = apitest.Patience
	if err := cmd.Start(); err != nil {
		t.Fatalf("starting %s: got %v, want no error", r.program, err)
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
	waitUntil(t, r.program+" to serve", func() bool {
		select {
		case <-exited:
			t.Fatalf("%s: got it to end, want it to serve; it wrote:\n%s", r.program, p.log)
		default:
		}
		conn, err := tls.Dial("tcp", p.addr, &tls.Config{ServerName: proxyName, RootCAs: p.roots})
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
func (p *testProxy) adapted(t *testing.T, b proxyBackend) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("../../deploy/proxies", p.recipe.file))
	if err != nil {
		t.Fatal(err)
	}
	pairs := p.recipe.adapt(p)
	if b.nodes {
		pairs = append(append(pairs, p.recipe.nodes...), "10.0.0.1:7143", b.addr, "10.0.0.2:7143", b.second)
		return replaced(t, p.recipe.file, string(content), pairs)
	}
	if b.second != "" && p.recipe.second != nil {
		pairs = append(pairs, p.recipe.second(b.second)...)
	}
	if strings.HasPrefix(b.addr, "/") {
		pairs = append(append(pairs, p.recipe.socket...), "/run/hush/http.sock", b.addr)
	} else {
		pairs = append(pairs, "127.0.0.1:7143", b.addr)
	}
	return replaced(t, p.recipe.file, string(content), pairs)
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

// client is one of the proxy, over HTTP/1.1 or HTTP/2, from an address of this
// machine.
func (p *testProxy) client(t *testing.T, http2 bool, from string, header http.Header) *http.Client {
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
			return dialer.DialContext(ctx, network, p.addr)
		},
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{
		Transport:     apitest.WithHeaders(transport, header),
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// drivers speak all protocols through the proxy.
func (p *testProxy) drivers(t *testing.T, header http.Header) []apitest.Driver {
	t.Helper()
	return apitest.Drivers(p.client(t, false, "", header), p.client(t, true, "", header), proxyURL)
}

// written returns what the proxy wrote: its output and all of its files.
func (p *testProxy) written(t *testing.T) string {
	t.Helper()
	all := p.log.String()
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
