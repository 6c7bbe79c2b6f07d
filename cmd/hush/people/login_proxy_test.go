package people_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"

	"hush/cmd/hush/program"
	"hush/server/servertest"
)

// The proxies of the environment are used. Only a process of its own has one.
func TestProxyOfTheEnvironment(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 1)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case asked <- r.URL.Host + " " + r.UserAgent():
		default:
		}
		http.Error(w, "no", http.StatusForbidden)
	}))
	t.Cleanup(proxy.Close)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self, "whoami")
	c.Env = append(servertest.Homeless(t), servertest.AsProgram+"=1", "HTTP_PROXY="+proxy.URL, "HUSH_SERVER=http://hush.test", "HUSH_TOKEN=hunter2")
	out, err := c.CombinedOutput()
	select {
	case got := <-asked:
		if got != "hush.test hush/"+program.Version() {
			t.Errorf("proxy: got a call to %q, want one to hush.test", got)
		}
	default:
		t.Errorf("hush whoami: got %v and %s, want a call to the proxy", err, out)
	}
	if err == nil || strings.Contains(string(out), "hunter2") {
		t.Errorf("hush whoami: got %v and %s, want the error of the proxy without the token", err, out)
	}
}
