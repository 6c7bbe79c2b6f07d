package command

import (
	"slices"
	"testing"

	"github.com/spf13/cobra"
)

func TestCheckClientVariables(t *testing.T) {
	t.Parallel()
	for entry, want := range map[string]string{
		"HUSH_SERVER=x": "", "HUSH_PROTOCOL=": "", "HUSH_LISTEN=:1": "", "HUSH_STORE=x": "", "SERVER=x": "", "HUSH_SERVR=": "", "HUSH_=": "",
		"HUSH_SERVICE_HOST=10.0.0.1": "", "HUSH_WEB_SERVICE_PORT_HTTP=80": "", "HUSH_PORT=tcp://10.0.0.1:80": "", "HUSH_WEB_PORT_80_TCP=tcp://10.0.0.1:80": "",
		"HUSH_PORT_80_TCP_PROTO=tcp": "", "HUSH_PORT_80_TCP_PORT=80": "", "HUSH_PORT_80_TCP_ADDR=fd00::1": "",
		"HUSH_PROFILE=":     "HUSH_PROFILE is empty, and another server or account would be used: give it a value, or unset it",
		"HUSH_SERVER=\t":    "HUSH_SERVER is empty, and another server or account would be used: give it a value, or unset it",
		"HUSH_TOKEN=":       "HUSH_TOKEN is empty, and another server or account would be used: give it a value, or unset it",
		"HUSH_PASSPHRASE=x": "unknown variable HUSH_PASSPHRASE in the environment: no command of hush reads it, so unset it",
		"HUSH_PORT=80":      "unknown variable HUSH_PORT in the environment: no command of hush reads it, so unset it",
		"HUSH_SERVR=x":      "unknown variable HUSH_SERVR in the environment; did you mean HUSH_SERVER?",
		"HUSH_TOKENS=abc":   "unknown variable HUSH_TOKENS in the environment; did you mean HUSH_TOKEN?",
	} {
		got := ""
		warnings, err := CheckClientVariables([]string{"A=1", entry}, []string{"HUSH_LISTEN", "HUSH_STORE"})
		if err != nil {
			got = err.Error()
		}
		if warned := len(warnings) > 0; warned != (entry == "HUSH_PROTOCOL=") {
			t.Errorf("CheckClientVariables(%q): got the warnings %q", entry, warnings)
		}
		if got != want {
			t.Errorf("CheckClientVariables(%q): got %q, want %q", entry, got, want)
		}
	}
}

func TestExitCodesOfCommands(t *testing.T) {
	t.Parallel()
	codes := func(c *cobra.Command) (found []int) {
		for _, exit := range exitsOf(c) {
			found = append(found, exit.code)
		}
		return found
	}
	plain, client, run, doctor := &cobra.Command{}, &cobra.Command{}, &cobra.Command{}, &cobra.Command{}
	MarkClient(client)
	MarkClient(run)
	MarkExits(run, ExitRun, ExitNotExecutable, ExitNotFound)
	MarkExits(doctor, ExitOK, ExitFailure, ExitUsage, ExitUnable)
	for _, c := range []struct {
		name    string
		command *cobra.Command
		want    []int
	}{
		{"any command", plain, []int{0, 1, 2}},
		{"a command that calls a server", client, []int{0, 1, 2, 4, 5, 6, 7, 8}},
		{"run", run, []int{125, 126, 127}},
		{"doctor", doctor, []int{0, 1, 2, 3}},
	} {
		if got := codes(c.command); !slices.Equal(got, c.want) {
			t.Errorf("exit codes of %s: got %v, want %v", c.name, got, c.want)
		}
	}
}
