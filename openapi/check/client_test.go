package check_test

import (
	"bufio"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"

	"hush/openapi/check/client"
)

// A client that oapi-codegen made out of the OpenAPI document shares a secret and
// opens it, once over the RPCs and once in each form that v1 and v2 take.
func TestOpenAPIClient(t *testing.T) {
	t.Parallel()
	c, err := client.NewClientWithResponses(startHush(t))
	if err != nil {
		t.Fatalf("NewClientWithResponses(): got %v, want a client", err)
	}
	t.Run("rpc", func(t *testing.T) { openAPIOverRPC(t, c) })
	t.Run("v1", func(t *testing.T) { openAPIOverV1(t, c) })
	t.Run("v2", func(t *testing.T) { openAPIOverV2(t, c) })
}

const openAPIText = "hello from a generated client"

func openAPIOverRPC(t *testing.T, c *client.ClientWithResponses) {
	t.Helper()
	concealed, err := c.ConcealSecretWithResponse(t.Context(), nil, client.ConcealSecretJSONRequestBody{
		Secret: new(openAPIText), Ttl: new("3600s"),
	})
	if err != nil || concealed.JSON200 == nil {
		t.Fatalf("ConcealSecret: got %+v, %v, want a secret", concealed, err)
	}
	key := concealed.JSON200.Secret.SecretKey
	status, err := c.GetSecretStatusWithResponse(t.Context(), nil, client.GetSecretStatusJSONRequestBody{SecretKey: key})
	if err != nil || status.JSON200 == nil || *status.JSON200.Status.State != client.HushV1StateSTATENEW {
		t.Fatalf("GetSecretStatus: got %+v, %v, want STATE_NEW", status, err)
	}
	reveal := client.RevealSecretJSONRequestBody{SecretKey: key}
	revealed, err := c.RevealSecretWithResponse(t.Context(), nil, reveal)
	if err != nil || revealed.JSON200 == nil || *revealed.JSON200.Value != openAPIText {
		t.Fatalf("RevealSecret: got %+v, %v, want the text", revealed, err)
	}
	again, err := c.RevealSecretWithResponse(t.Context(), nil, reveal)
	if err != nil || again.StatusCode() != http.StatusNotFound || again.JSONDefault == nil || again.JSONDefault.Code != client.NotFound {
		t.Errorf("RevealSecret, again: got %+v, %v, want 404 not_found", again, err)
	}
}

func openAPIOverV1(t *testing.T, c *client.ClientWithResponses) {
	t.Helper()
	shared, err := c.V1PostShareWithFormdataBodyWithResponse(t.Context(), client.V1PostShareFormdataRequestBody{Secret: openAPIText})
	if err != nil || shared.JSON200 == nil || shared.JSON200.SecretKey == nil {
		t.Fatalf("v1PostShare: got %+v, %v, want a secret", shared, err)
	}
	opened, err := c.V1PostSecretKeyWithResponse(t.Context(), *shared.JSON200.SecretKey, client.V1PostSecretKeyJSONRequestBody{})
	if err != nil || opened.JSON200 == nil || opened.JSON200.Value != openAPIText {
		t.Fatalf("v1PostSecretKey: got %+v, %v, want the text", opened, err)
	}
	again, err := c.V1PostSecretKeyWithResponse(t.Context(), *shared.JSON200.SecretKey, client.V1PostSecretKeyJSONRequestBody{})
	if err != nil || again.JSON404 == nil || again.JSON404.Message != "Unknown secret" {
		t.Errorf("v1PostSecretKey, again: got %+v, %v, want 404 Unknown secret", again, err)
	}
}

func openAPIOverV2(t *testing.T, c *client.ClientWithResponses) {
	t.Helper()
	concealed, err := c.V2PostSecretConcealWithResponse(t.Context(), client.V2PostSecretConcealJSONRequestBody{Secret: new(openAPIText)})
	if err != nil || concealed.JSON200 == nil {
		t.Fatalf("v2PostSecretConceal: got %+v, %v, want a secret", concealed, err)
	}
	key := concealed.JSON200.Record.Secret.Key
	status, err := c.V2GetSecretKeyStatusWithResponse(t.Context(), key)
	if err != nil || status.JSON200 == nil || status.JSON200.Record.State != "new" {
		t.Fatalf("v2GetSecretKeyStatus: got %+v, %v, want new", status, err)
	}
	reveal := client.V2PostSecretKeyRevealJSONRequestBody{Continue: new(true)}
	revealed, err := c.V2PostSecretKeyRevealWithResponse(t.Context(), key, reveal)
	if err != nil || revealed.JSON200 == nil || *revealed.JSON200.Record.SecretValue != openAPIText {
		t.Fatalf("v2PostSecretKeyReveal: got %+v, %v, want the text", revealed, err)
	}
	again, err := c.V2PostSecretKeyRevealWithResponse(t.Context(), key, reveal)
	if err != nil || again.JSON404 == nil || again.JSON404.SecretKey == nil || *again.JSON404.SecretKey != key {
		t.Errorf("v2PostSecretKeyReveal, again: got %+v, %v, want 404 with the key", again, err)
	}
}

var serving = regexp.MustCompile(`serving on (http://\S+)`)

// program is a server that runs, with its data in a folder.
type program struct{ binary, data, url string }

// startHush builds the server and runs it with an empty store. It returns its URL.
func startHush(t *testing.T) string {
	t.Helper()
	return startProgram(t, "--store", "memory").url
}

// startProgram builds the server and runs it with flags.
func startProgram(t *testing.T, flags ...string) program {
	t.Helper()
	p := program{binary: filepath.Join(t.TempDir(), "hush"), data: filepath.Join(t.TempDir(), "data")}
	build := exec.CommandContext(t.Context(), "go", "build", "-C", root, "-o", p.binary, "./cmd/hush")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	server := exec.Command(p.binary, append([]string{"serve", "--listen", "127.0.0.1:0", "--data", p.data}, flags...)...)
	stderr, err := server.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatalf("hush serve: %v", err)
	}
	t.Cleanup(func() {
		_ = server.Process.Signal(syscall.SIGTERM)
		_ = server.Wait()
	})
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if m := serving.FindStringSubmatch(lines.Text()); m != nil {
			go io.Copy(io.Discard, stderr) //nolint:errcheck // until the server ends
			p.url = m[1]
			return p
		}
	}
	t.Fatal("hush serve: got no address, want one")
	return p
}
