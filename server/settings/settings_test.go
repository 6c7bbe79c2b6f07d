package settings

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"hush/cli/command"
	"hush/cli/flags"
	"hush/vault/caller"
)

// parse reads the flags of serve and checks them.
func parse(environment []string, args ...string) (*Settings, error) {
	c := &cobra.Command{Use: "serve"}
	s := Add(c, Names()...)
	if err := c.ParseFlags(args); err != nil {
		return nil, err
	}
	if _, err := NewReader(environment).Apply(context.Background(), c.Flags()); err != nil {
		return nil, err
	}
	return s, s.Check()
}

func TestPolicyFlags(t *testing.T) {
	t.Parallel()
	relay := []string{"--smtp-host=smtp.example.com:587", "--mail-from=hush@example.com"}
	for name, c := range map[string]struct {
		environment, args []string
		want              caller.Policy
	}{
		"nothing":          {nil, nil, caller.Policy{SignUp: caller.SignUpClosed}},
		"mail":             {nil, relay, caller.Policy{SignUp: caller.SignUpOpen}},
		"closed with mail": {nil, append(slices.Clone(relay), "--sign-up=closed"), caller.Policy{SignUp: caller.SignUpClosed}},
		"open":             {nil, []string{"--sign-up=open"}, caller.Policy{SignUp: caller.SignUpOpen}},
		"invite": {nil, []string{"--sign-up=invite", "--sign-up-domains= Example.com,example.org "}, caller.Policy{
			SignUp: caller.SignUpInvite, SignUpDomains: []string{"example.com", "example.org"},
		}},
		"colonels": {nil, []string{"--colonel=A@example.com", "--colonel", "b@example.com, c@example.com"}, caller.Policy{
			SignUp: caller.SignUpClosed, Colonels: []string{"a@example.com", "b@example.com", "c@example.com"},
		}},
		"colonels of a variable": {[]string{"HUSH_COLONEL=a@example.com,b@example.com"}, nil, caller.Policy{
			SignUp: caller.SignUpClosed, Colonels: []string{"a@example.com", "b@example.com"},
		}},
		"secrets": {nil, strings.Fields("--anonymous-create=off --passphrase-required on --passphrase-min 8 --challenge-above=20"), caller.Policy{
			SignUp: caller.SignUpClosed, NoAnonymousCreate: true, PassphraseRequired: true, PassphraseMin: 8, ChallengeAbove: 20,
		}},
		"end-to-end":         {nil, []string{"--encryption=end-to-end"}, caller.Policy{SignUp: caller.SignUpClosed, Kinds: caller.KindsEndToEnd}},
		"requests of anyone": {nil, []string{"--requests=anyone"}, caller.Policy{SignUp: caller.SignUpClosed, Requests: caller.RequestsAnyone}},
		"no requests":        {nil, []string{"--requests=off"}, caller.Policy{SignUp: caller.SignUpClosed, Requests: caller.RequestsOff}},
		"server by variable": {[]string{"HUSH_ENCRYPTION=server"}, nil, caller.Policy{SignUp: caller.SignUpClosed, Kinds: caller.KindsServer}},
		"any kind":           {[]string{"HUSH_ENCRYPTION=server"}, []string{"--encryption", "any"}, caller.Policy{SignUp: caller.SignUpClosed}},
		"maintenance":        {nil, []string{"--maintenance", "Back at noon."}, caller.Policy{SignUp: caller.SignUpClosed, Maintenance: "Back at noon."}},
	} {
		s, err := parse(c.environment, c.args...)
		if err != nil {
			t.Errorf("%s: got %v, want nil", name, err)
			continue
		}
		if diff := cmp.Diff(c.want, s.Policy()); diff != "" {
			t.Errorf("%s: policy (-want +got):\n%s", name, diff)
		}
	}
}

func TestLifetimeFlags(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]caller.Limits{
		"":                        {DefaultTTL: 7 * flags.Day},
		"--default-ttl=90m":       {DefaultTTL: 90 * time.Minute},
		"--default-ttl=14d":       {DefaultTTL: 14 * flags.Day},
		"--max-anonymous-ttl=12h": {DefaultTTL: 7 * flags.Day, AnonymousTTL: 12 * time.Hour},
		"--max-anonymous-ttl=1d --max-account-ttl=2d": {DefaultTTL: 2 * flags.Day, AnonymousTTL: flags.Day, AccountTTL: 2 * flags.Day},
		"--max-account-ttl=365d --default-ttl 1m":     {DefaultTTL: time.Minute, AccountTTL: 365 * flags.Day},
	} {
		s, err := parse(nil, strings.Fields(args)...)
		if err != nil {
			t.Errorf("serve %s: got %v, want nil", args, err)
			continue
		}
		want.AccountFile, want.AnonymousFile = defaultAccountFile, defaultAnonymousFile
		want.TotalBytes, want.NetworkBytes, want.AccountBytes = DefaultMaxBytes, defaultNetworkBytes, defaultAccountBytes
		if got := s.Limits(); got != want {
			t.Errorf("serve %s: got %+v, want %+v", args, got, want)
		}
	}
}

func TestAuditKeepFlag(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]time.Duration{
		"": 0, "--audit-keep=400d": 400 * flags.Day, "--audit-keep=36h": 36 * time.Hour,
	} {
		s, err := parse(nil, strings.Fields(args)...)
		if err != nil || s.AuditKeep != want {
			t.Errorf("serve %s: got %v, want %v", args, err, want)
		}
	}
	s, err := parse([]string{"HUSH_AUDIT_KEEP=30d"})
	if err != nil || s.AuditKeep != 30*flags.Day {
		t.Errorf("HUSH_AUDIT_KEEP=30d: got %v, want 30 days", err)
	}
}

// --moved is for one start: in the environment or a file it would stay, and let every
// copy be served.
func TestMovedIsNoSetting(t *testing.T) {
	t.Parallel()
	c := &cobra.Command{}
	s := Add(c, Names()...)
	s.AddMoved(c)
	file := filepath.Join(t.TempDir(), "hush.yaml")
	if err := os.WriteFile(file, []byte("moved: true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for from, environment := range map[string][]string{"HUSH_MOVED": {"HUSH_MOVED=true"}, file + ":1: moved": {"HUSH_CONFIG=" + file}} {
		_, err := NewReader(environment).Apply(t.Context(), c.Flags())
		want := from + ": --moved counts for one start"
		if err == nil || !strings.Contains(err.Error(), want) || s.Moved {
			t.Errorf("Apply(%s): got %v and moved %t, want an error with %q", environment, err, s.Moved, want)
		}
	}
	if err := errors.Join(c.ParseFlags([]string{"--moved"}), s.Check()); err != nil || !s.Moved {
		t.Errorf("Check(--moved): got %v and moved %t, want it set", err, s.Moved)
	}
	for _, store := range []string{StoreMemory, "postgres://hush@db.example.com/hush"} {
		s.Store = store
		if err := s.Check(); err == nil || !strings.Contains(err.Error(), "--moved") {
			t.Errorf("Check(--moved --store=%s): got %v, want an error", store, err)
		}
	}
}

// Commands that call a server refuse variables that nothing reads. A variable of
// the service beside them is no mistake.
func TestSettingsAreNoMistakenClientVariables(t *testing.T) {
	t.Parallel()
	for _, name := range Names() {
		if _, err := command.CheckClientVariables([]string{Variable(name) + "=x"}, Variables()); err != nil {
			t.Errorf("CheckClientVariables(%s): got %v, want no error", Variable(name), err)
		}
	}
}
