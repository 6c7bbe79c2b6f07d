package people_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hush/cli/command"
	"hush/client"
	"hush/client/otstest"
	"hush/client/protocols"
	"hush/server/servertest"
)

// otherServer is a server of another product, with an account that a profile is for.
type otherServer struct {
	*otstest.Server

	client      *client.Client
	folder      string
	environment []string
}

// useOtherServer starts a server of a release, and logs in to it.
func useOtherServer(t *testing.T, release otstest.Release) *otherServer {
	t.Helper()
	const account, token = "a@example.com", "0123456789abcdef0123456789abcdef01234567"
	protocol := client.ProtocolV2
	if !release.HasV2() {
		protocol = client.ProtocolV1
	}
	o := &otherServer{
		Server: otstest.Start(t, otstest.Options{Release: release, Accounts: map[string]string{account: token}}),
		folder: t.TempDir(), environment: servertest.Homeless(t),
	}
	servertest.Call(t, o.environment, token, "login", "--server", o.URL, "--protocol", protocol.String(), "--username", account, "--token-file", "-").
		Want(t, "login", command.ExitOK, account)
	var err error
	o.client, err = protocols.New(o.URL, client.Options{Protocol: protocol, Username: account, Token: client.Hide(token)})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// share shares a text, and keeps its receipt in a file.
func (o *otherServer) share(t *testing.T, passphrase, name string) {
	t.Helper()
	shared, err := o.client.Share(t.Context(), client.ShareRequest{Content: &client.Content{Bytes: []byte("hello")}, Passphrase: client.Hide(passphrase)})
	if err != nil {
		t.Fatalf("Share: got %v, want no error", err)
	}
	o.write(t, name, shared.ReceiptLink.Expose())
}

func (o *otherServer) write(t *testing.T, name, line string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(o.folder, name), []byte(line+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// at is the argument for a file.
func (o *otherServer) at(name string) string { return "@" + filepath.Join(o.folder, name) }

// Receipts of servers that are not Hush say less, burning there may need the
// passphrase, and nothing is burned without it.
func TestReceiptsOfOtherServers(t *testing.T) {
	t.Parallel()
	for _, release := range otstest.Releases() {
		t.Run(release.String(), func(t *testing.T) {
			t.Parallel()
			o := useOtherServer(t, release)
			run := func(args ...string) servertest.Result { return servertest.Call(t, o.environment, "", args...) }
			o.share(t, "", "plain")
			o.share(t, "sesame-sesame", "locked")
			got := run("receipt", o.at("plain")).Want(t, "receipt", command.ExitOK)
			if !strings.Contains(got.Stdout, "state ") || !strings.Contains(got.Stdout, " waiting") || !strings.Contains(got.Stdout, "encrypted by the server") {
				t.Errorf("hush receipt: got %s, want a secret that waits, encrypted by the server", got.Stdout)
			}
			got = run("list", "--json").Want(t, "list", command.ExitOK)
			if n := strings.Count(got.Stdout, `"state":"waiting"`); n != 2 {
				t.Errorf("hush list: got %d secrets that wait, want 2:\n%s", n, got.Stdout)
			}
			run("burn", "--yes", o.at("plain")).Want(t, "burn", command.ExitOK, "burned the secret ")
			run("burn", "--yes", o.at("plain")).Want(t, "burn again", command.ExitGone, "is gone: burned")
			got = run("receipt", "--watch", o.at("plain")).Want(t, "receipt --watch", command.ExitGone)
			if !strings.HasPrefix(got.Stdout, "burned") || strings.Count(got.Stdout, "\n") != 1 {
				t.Errorf("hush receipt --watch: got %q, want burned", got.Stdout)
			}
			o.burnLocked(t)
		})
	}
}

// burnLocked burns the secret with a passphrase, in the end with it.
func (o *otherServer) burnLocked(t *testing.T) {
	t.Helper()
	waiting := o.Waiting()
	servertest.Call(t, o.environment, "", "burn", "--yes", o.at("locked")).Want(t, "burn without the passphrase", command.ExitPassphrase, "--passphrase-file")
	o.write(t, "wrong", "open sesame")
	if got := servertest.Call(t, o.environment, "", "burn", "--yes", o.at("locked"), "--passphrase-file", filepath.Join(o.folder, "wrong")); got.Code == command.ExitOK {
		t.Errorf("hush burn with a wrong passphrase: got exit code 0, want another; it wrote %s", got.Stderr)
	}
	if got := o.Waiting(); got != waiting {
		t.Errorf("secrets that wait after a wrong passphrase: got %d, want %d", got, waiting)
	}
	servertest.Call(t, o.environment, "sesame-sesame\n", "burn", "--yes", o.at("locked"), "--passphrase-file", "-").Want(t, "burn with the passphrase", command.ExitOK, "burned the secret ")
	if got := o.Waiting(); got != waiting-1 {
		t.Errorf("secrets that wait: got %d, want %d", got, waiting-1)
	}
}
