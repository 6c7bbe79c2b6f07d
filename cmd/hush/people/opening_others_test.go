package people_test

import (
	"strings"
	"testing"

	"hush/cli/command"
	"hush/client"
	"hush/client/otstest"
	"hush/server/servertest"
)

// Servers that are not Hush open a secret once. The program says before that a lost
// answer is a lost secret, keeps no claim, and has the same exit codes.
func TestOpenAtOtherServers(t *testing.T) {
	t.Parallel()
	const words = "hands out a secret once: if its answer is lost, so is the secret"
	for _, release := range otstest.Releases() {
		t.Run(release.String(), func(t *testing.T) {
			t.Parallel()
			o, r := useOtherServer(t, release), servertest.NewRecipient(t)
			environment := append(r.Environment(), "HUSH_PROTOCOL="+o.client.Protocol().String())
			share := func(passphrase string) string {
				shared, err := o.client.Share(t.Context(), client.ShareRequest{Content: &client.Content{Bytes: []byte("hello")}, Passphrase: client.Hide(passphrase)})
				if err != nil {
					t.Fatalf("Share: got %v, want no error", err)
				}
				return shared.Link.Expose()
			}
			link := share("")
			servertest.Call(t, environment, "", "open", link, "-o", "/dev/null").Want(t, "open -o /dev/null", command.ExitFailure, "is not a file", "--output -")
			if got := servertest.Call(t, environment, "", "open", link).Want(t, "open", command.ExitOK, words); got.Stdout != "hello" {
				t.Errorf("hush open: got %q, want hello", got.Stdout)
			}
			servertest.Call(t, environment, "", "open", link).Want(t, "open again", command.ExitGone)
			link = share("quick otter")
			wrong := servertest.Call(t, environment, "slow otter\n", "open", link, "--passphrase-file=-")
			if wrong.Code != command.ExitPassphrase && (release != otstest.ReleaseV1Only || wrong.Code != command.ExitGone) {
				t.Errorf("hush open with a wrong passphrase: got exit code %d, want %d; it wrote:\n%s", wrong.Code, command.ExitPassphrase, wrong.Stderr)
			}
			got := servertest.Call(t, environment, "quick otter\n", "run", "--secret", "A="+link, "--passphrase-file=A=-", "--", "sh", "-c", `echo "[$A]"`).Want(t, "run", command.ExitOK, "A: a server that speaks", words)
			if strings.TrimSpace(got.Stdout) != "[hello]" {
				t.Errorf("hush run: got %q, want the secret", got.Stdout)
			}
			if waiting := r.Claims(t); len(waiting) != 0 {
				t.Errorf("claims: got %q, want none", waiting)
			}
		})
	}
}
