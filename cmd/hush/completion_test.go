package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"hush/cli/command"
	"hush/server/servertest"
)

func TestCompletion(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][]string{
		"serve --log-level ":                     {"info", "debug", "warn", "error", ":4"},
		"admin account role a@b.example ":        {"customer", "colonel", ":4"},
		"admin account role ":                    {":4"},
		"admin account create a@b.example --rol": {"--role\trole of the account; a colonel is an administrator", ":4"},
		"admin tok":                              {"token\tcreate, list and revoke API tokens", ":4"},
		"admin place import ":                    {":0"},
		"admin keygen ":                          {":0"},
		"share ":                                 {":0"},
		"share --passphrase-file ":               {":0"},
		"share --encryption ":                    {"end-to-end", "server", ":4"},
		"serve --data ":                          {":16"},
		"serve --tls-cert ":                      {":0"},
		"serve --listen ":                        {":4"},
		"serve ":                                 {":4"},
		"run -- ":                                {":0"},
	} {
		// Mistakes in the environment are for the command to report.
		got := servertest.Call(t, []string{"HUSH_NONSENSE=1"}, "", append([]string{"__complete"}, strings.Split(line, " ")...)...).Want(t, line, command.ExitOK)
		if lines := strings.Fields(strings.ReplaceAll(got.Stdout, "\t", "\\t")); !slices.Equal(lines, strings.Fields(strings.ReplaceAll(strings.Join(want, "\n"), "\t", "\\t"))) {
			t.Errorf("hush __complete %s: got %q, want %q", line, got.Stdout, want)
		}
	}
}

func TestCompletionScripts(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		script := servertest.Call(t, nil, "", "completion", shell).Want(t, "completion", command.ExitOK).Stdout
		if !strings.Contains(script, "__complete") {
			t.Errorf("hush completion %s: got %q, want a script that asks hush", shell, script)
		}
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("needs bash: it reads the script")
	}
	check := exec.Command(bash, "-n")
	check.Stdin = strings.NewReader(servertest.Call(t, nil, "", "completion", "bash").Stdout)
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("bash -n: got %v and %s, want a script that it reads", err, out)
	}
}
