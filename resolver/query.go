package resolver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/miekg/dns"
)

// aliasesMost is how many CNAME records one question follows.
const aliasesMost = 5

// payload is the size of an answer over UDP that no network should have to
// take apart.
const payload = 1232

// What can go wrong besides the network. Asking again may help.
var (
	// ErrAliases: the name leads through more aliases than are followed, as a
	// loop does.
	ErrAliases = errors.New("resolver: too many aliases")
	// ErrAnswer: the server could not or would not say.
	ErrAnswer = errors.New("resolver: no usable answer")
)

// lookUp returns the first records of a kind that a name has, and the name
// that has them or would: the one that its aliases lead to.
func (r *Resolver) lookUp(ctx context.Context, name string, kind uint16) (found []dns.RR, at string, err error) {
	at = dns.CanonicalName(name)
	if _, ok := dns.IsDomainName(at); !ok {
		return nil, "", fmt.Errorf("not a name: %w", ErrAnswer)
	}
	aliases := 0
	for {
		answer, err := r.query(ctx, at, kind)
		if err != nil {
			return nil, "", err
		}
		asked := at
		for {
			if found := recordsOf(answer, at, kind); len(found) > 0 {
				return found, at, nil
			}
			next, ok := aliasOf(answer, at)
			if !ok {
				break
			}
			if aliases++; aliases > aliasesMost {
				return nil, "", ErrAliases
			}
			at = next
		}
		// Servers that do not follow aliases themselves leave that to us.
		if at == asked || answer.Rcode == dns.RcodeNameError {
			return nil, at, nil
		}
	}
}

// recordsOf returns what an answer says of one name and kind, at most
// valuesMost.
func recordsOf(answer *dns.Msg, name string, kind uint16) (found []dns.RR) {
	for _, record := range answer.Answer {
		head := record.Header()
		if head.Rrtype == kind && head.Class == dns.ClassINET && dns.CanonicalName(head.Name) == name {
			found = append(found, record)
		}
		if len(found) == valuesMost {
			break
		}
	}
	return found
}

func aliasOf(answer *dns.Msg, name string) (target string, ok bool) {
	for _, record := range answer.Answer {
		if alias, is := record.(*dns.CNAME); is && dns.CanonicalName(alias.Hdr.Name) == name {
			return dns.CanonicalName(alias.Target), true
		}
	}
	return "", false
}

// query asks one question of one server after the other until one answers.
func (r *Resolver) query(ctx context.Context, name string, kind uint16) (*dns.Msg, error) {
	var failed error
	for i := range tries {
		answer, err := exchange(ctx, r.servers[i%len(r.servers)], name, kind)
		if err == nil {
			return answer, nil
		}
		if failed = err; ctx.Err() != nil {
			break
		}
	}
	return nil, fmt.Errorf("asking DNS: %w", failed)
}

// exchange is one try: over UDP, and over TCP if the answer did not fit.
func exchange(ctx context.Context, server, name string, kind uint16) (*dns.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	question := new(dns.Msg).SetQuestion(name, kind).SetEdns0(payload, false)
	answer, err := send(ctx, "udp", server, question)
	if answer != nil && answer.Truncated {
		answer, err = send(ctx, "tcp", server, question)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, os.ErrDeadlineExceeded): // set from ctx, and a moment before it
		return nil, context.DeadlineExceeded
	case err != nil:
		return nil, err
	case !isReply(answer, question):
		return nil, fmt.Errorf("an answer to something else: %w", ErrAnswer)
	case answer.Rcode != dns.RcodeSuccess && answer.Rcode != dns.RcodeNameError:
		return nil, fmt.Errorf("%s: %w", strings.ToLower(dns.RcodeToString[answer.Rcode]), ErrAnswer)
	}
	return answer, nil
}

// isReply tells whether answer repeats the question, as answers do.
func isReply(answer, question *dns.Msg) bool {
	return answer.Response && slices.EqualFunc(answer.Question, question.Question, func(a, b dns.Question) bool {
		return dns.CanonicalName(a.Name) == b.Name && a.Qtype == b.Qtype && a.Qclass == b.Qclass
	})
}

// send asks over one network. Together with an error it may return what could
// be read.
func send(ctx context.Context, network, server string, question *dns.Msg) (*dns.Msg, error) {
	client := dns.Client{Net: network, Timeout: tryTime}
	conn, err := client.DialContext(ctx, server)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	// The library heeds the deadline of ctx, but not its cancelling.
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	answer, _, err := client.ExchangeWithConnContext(ctx, question, conn)
	return answer, err
}
