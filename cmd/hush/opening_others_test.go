package main

import (
	"strings"
	"testing"

	"hush/cli/command"
	"hush/client"
	"hush/client/otstest"
)

// Servers that are not Hush open a secret once. The program says before that a lost
// answer is a lost secret, keeps no claim, and has the same exit codes.
func TestOpenAtOtherServers(t *testing.T) {
	t.Parallel()
	const words = "hands out a secret once: if its answer is lost, so is the secret"
	for _, release := range otstest.Releases() {
		t.Run(release.String(), func(t *testing.T) {
			t.Parallel()
			o, r := useOtherServer(t, release), newRecipient(t)
			environment := append(r.environment(), "HUSH_PROTOCOL="+o.client.Protocol().String())
			share := func(passphrase string) string {
				shared, err := o.client.Share(t.Context(), client.ShareRequest{Content: &client.Content{Bytes: []byte("hello")}, Passphrase: client.Hide(passphrase)})
				if err != nil {
					t.Fatalf("Share: got %v, want no error", err)
				}
				return shared.Link.Expose()
			}
			link := share("")
			call(t, environment, "", "open", link, "-o", "/dev/null").want(t, "open -o /dev/null", command.ExitFailure, "is not a file", "--output -")
			if got := call(t, environment, "", "open", link).want(t, "open", command.ExitOK, words); got.stdout != "hello" {
				t.Errorf("hush open: got %q, want hello", got.stdout)
			}
			call(t, environment, "", "open", link).want(t, "open again", command.ExitGone)
			link = share("quick otter")
			wrong := call(t, environment, "slow otter\n", "open", link, "--passphrase-file=-")
			if wrong.code != command.ExitPassphrase && (release != otstest.ReleaseV1Only || wrong.code != command.ExitGone) {
				t.Errorf("hush open with a wrong passphrase: got exit code %d, want %d; it wrote:\n%s", wrong.code, command.ExitPassphrase, wrong.stderr)
			}
			got := call(t, environment, "quick otter\n", "run", "--secret", "A="+link, "--passphrase-file=A=-", "--", "sh", "-c", `echo "[$A]"`).want(t, "run", command.ExitOK, "A: a server that speaks", words)
			if strings.TrimSpace(got.stdout) != "[hello]" {
				t.Errorf("hush run: got %q, want the secret", got.stdout)
			}
			if waiting := r.claims(t); len(waiting) != 0 {
				t.Errorf("claims: got %q, want none", waiting)
			}
		})
	}
}
