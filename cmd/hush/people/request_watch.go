package people

import (
	"context"
	"time"

	"hush/cli/command"
	"hush/client"
	"hush/cmd/hush/people/pending"
)

// checkWatch refuses flags for --watch that do not go together, and a place that cannot be
// written: it is found out before anyone is asked.
func (r *requestCommand) checkWatch() error {
	o := &r.collect
	toFiles := o.output != "" && o.output != "-"
	placed := o.output != "" || o.copy || o.force || o.overwrite || o.passphraseFile != ""
	switch {
	case !o.watch && placed:
		return command.Usage("--output and the other flags for the answer need --watch")
	case !o.watch:
		return nil
	case r.noteFile == "-" && o.passphraseFile == "-":
		return command.Usage("the note and the passphrase cannot both come from standard input")
	case !toFiles && !o.copy && !r.asJSON && !r.console.OutIsTerminal():
		return command.Usage("--watch needs --output with a file: standard output has the link")
	}
	o.laterRun = "run \"hush collect\" with the collect link"
	o.all, o.asJSON, o.connector = r.ask.Answers > 1, r.asJSON, r.connector
	if err := o.checkCollecting(); err != nil || !toFiles {
		return err
	}
	to, err := newOutputFile(o.output, o.overwrite, false)
	to.discard()
	return err
}

// after waits with --watch for the answers, and opens them as "hush collect" does.
func (r *requestCommand) after(ctx context.Context, server *client.Client, asked client.Asked) error {
	if !r.collect.watch {
		return nil
	}
	x, err := newCollector(r.console, server, asked.Collect, pending.NewStore(r.collect.environment, time.Now))
	if err != nil {
		return err
	}
	return r.collect.collect(ctx, x)
}
