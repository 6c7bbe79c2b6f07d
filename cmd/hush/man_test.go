package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hush/cli/command"
	"hush/server/servertest"
)

func TestManualPages(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "man")
	servertest.Call(t, nil, "", "man", folder).Want(t, "man", command.ExitOK)
	for name, wants := range map[string][]string{
		"hush.1":                     {".SH SERVER\n.TP\n.B admin\n", "hush\\-serve(1)"},
		"hush-admin.1":               {".SH ACCOUNTS AND SECRETS\n.TP\n.B account\n", ".SH DATA\n.TP\n.B backup", ".SH SETTINGS\n.TP\n.B config\n"},
		"hush-admin-keygen.1":        {".B hush admin keygen [FLAGS] [FILE]\n", "hush\\-admin(1)"},
		"hush-serve.1":               {".TH HUSH\\-SERVE 1", ".SH NETWORK\n.TP\n.B \\-\\-listen address   (HUSH_LISTEN)\n", ".SH EXIT STATUS\n", ".SH EXAMPLES\n.nf\n# Try it", "\\-\\-rate\\-limits on|off   (HUSH_RATE_LIMITS)\n", "\\-\\-help\\-all\n", "A copy of a data folder"},
		"hush-whoami.1":              {".SH SERVER\n.TP\n.B \\-\\-profile name   (HUSH_PROFILE)\n", ".SH EXIT STATUS\n.TP\n.B 0\nsuccess\n", ".TP\n.B 8\nthe server does not answer\n"},
		"hush-run.1":                 {".SH EXIT STATUS\n.TP\n.B 125\n"},
		"hush-admin-doctor.1":        {".TP\n.B 3\nthe data cannot be examined\n"},
		"hush-admin-token-create.1":  {".B hush admin token create [FLAGS] ADDRESS\n", "\n.B \\-\\-scope scopes\n", "hush\\-admin\\-token(1)"},
		"hush-completion-bash.1":     {".SH SYNOPSIS\n"},
		"hush-admin-place-import.1":  {"(degrees)"},
		"hush-admin-account-role.1":  {"ADDRESS customer|colonel"},
		"hush-admin-account-list.1":  {"(HUSH_DATA)"},
		"hush-admin-domain-verify.1": {"(HUSH_RESOLVER)"},
	} {
		page, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Errorf("hush man: got %v, want %s", err, name)
		}
		for _, want := range wants {
			if !strings.Contains(string(page), want) {
				t.Errorf("hush man: got %s in %s, want %q in it", page, name, want)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(folder, "hush-man.1")); err == nil {
		t.Error("hush man: got a page for the hidden command, want none")
	}
}
