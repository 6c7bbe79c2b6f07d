package people

import (
	"context"
	"errors"
	"os"
	"strings"

	"hush/cli/command"
	"hush/client"
)

// checkRequests refuses what can be known to be wrong with --request.
func (r *runCommand) checkRequests() error {
	for _, from := range r.sources {
		if from.title != "" {
			return command.NeedMessages(r.console, "the link of the request would be lost")
		}
	}
	if r.requestTTL != 0 {
		return command.Usage("--request-ttl is for --request")
	}
	return nil
}

// ask makes the requests of --request and tells their links, each once its collect link is
// on the disk.
func (r *runCommand) ask(ctx context.Context) error {
	var server *client.Client
	for i := range r.sources {
		from := &r.sources[i]
		if from.title == "" {
			continue
		}
		if server == nil {
			var err error
			if server, err = r.connector.connect(ctx); err != nil {
				return err
			}
		}
		if err := r.askFor(ctx, server, from); err != nil {
			return prefixError(from.name, withExitCode(err))
		}
	}
	return nil
}

// askFor makes the request of a source.
func (r *runCommand) askFor(ctx context.Context, server *client.Client, from *secretSource) error {
	requests, err := server.Requests()
	if err != nil {
		return err
	}
	asked, err := requests.Ask(ctx, client.AskRequest{Title: from.title, Text: true, TTL: r.requestTTL})
	if err != nil {
		return err
	}
	from.collect = asked.Collect
	if text := linkHostWarning(asked.Link.Server, server.Server(), ""); text != "" {
		r.console.Tellf("%s", text)
	}
	var notKept error
	if from.kept, notKept = r.claims.KeepRequest(from.name, client.Hide(asked.Collect.Expose())); notKept != nil {
		r.console.Tellf("%s: the collect link is in memory only, so that no later run can collect the answer: %v", from.name, notKept)
	} else {
		r.console.Tellf("%s: the collect link is in %s: if this run is cut off, --secret %s=@%s in the place of --request goes on", from.name, from.kept, from.name, from.kept)
	}
	return r.console.TryTellf("%s: %s can be answered until %s, by everyone who has the link %s",
		from.name, quoted(asked.Card.Title), endText(asked.Card.Latest), asked.Link.Expose())
}

// lookAtAnswers waits for the answers to all requests, and looks at them.
func (r *runCommand) lookAtAnswers(ctx context.Context) (looked runSecrets, err error) {
	for i := range r.sources {
		from := &r.sources[i]
		if !from.isAwaited() {
			continue
		}
		if err := r.await(ctx, from); err != nil {
			return looked, prefixError(from.name, err)
		}
		one, err := r.lookAt(ctx, *from)
		if err != nil {
			return looked, err
		}
		looked = append(looked, one)
	}
	return looked, nil
}

// await waits for the answer to the request of a source.
func (r *runCommand) await(ctx context.Context, from *secretSource) error {
	server, err := r.connector.connectToLink(ctx, client.Link{Server: from.collect.Server})
	if err != nil {
		return err
	}
	x, err := newCollector(r.console, server, from.collect, r.claims)
	if err != nil {
		return err
	}
	x.name = from.name
	found, ready, err := x.next(ctx, true, wantsAll)
	switch {
	case err != nil:
		return err
	case len(ready) == 0: // by the word of the server: the collect link stays
		return nothingToOpen(found, 0)
	case len(ready) > 1:
		return errors.New("more than one answer waits: \"hush collect\" takes them")
	}
	options := x.options(found, ready[0])
	from.link, from.answer = options.link, options.answer
	return nil
}

// forget removes the file of a collect link that is of no more use.
func (s *secretSource) forget() {
	if s.kept != "" {
		_ = os.Remove(s.kept)
	}
}

// insteadOfRequests says what takes the place of --request in a later run, behind a comma;
// empty without requests.
func (all runSecrets) insteadOfRequests() string {
	var instead []string
	for _, s := range all {
		if s.source.title != "" && s.source.kept != "" {
			instead = append(instead, "--secret "+s.source.name+"=@"+s.source.kept)
		}
	}
	if len(instead) == 0 {
		return ""
	}
	return ", with " + strings.Join(instead, " and ") + " in the place of --request"
}
