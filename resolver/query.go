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

// aliasesMost is the maximum number of CNAME records that one question follows.
const aliasesMost = 5

// payload is the maximum UDP answer size that no network should fragment.
const payload = 1232

// The errors besides those of the network. Asking again may help.
var (
	// ErrAliases: the name leads through too many aliases, such as a loop.
	ErrAliases = errors.New("resolver: too many aliases")
	// ErrAnswer: the server gave no usable answer.
	ErrAnswer = errors.New("resolver: no usable answer")
)

// lookUp returns the first records of a kind of a name, and the name that its
// aliases lead to, which has the records or would have them.
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
		// If the server does not follow aliases itself, this loop does.
		if at == asked || answer.Rcode == dns.RcodeNameError {
			return nil, at, nil
		}
	}
}

// recordsOf returns the records of one name and kind in an answer, at most
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

// query asks one server after the other until one answers.
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

// exchange is one try: over UDP, and over TCP if the answer was truncated.
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
	case errors.Is(err, os.ErrDeadlineExceeded): // set from ctx, and a moment before it ends
		return nil, context.DeadlineExceeded
	case err != nil:
		return nil, err
	case !isReply(answer, question):
		return nil, fmt.Errorf("answer to another question: %w", ErrAnswer)
	case answer.Rcode != dns.RcodeSuccess && answer.Rcode != dns.RcodeNameError:
		return nil, fmt.Errorf("%s: %w", strings.ToLower(dns.RcodeToString[answer.Rcode]), ErrAnswer)
	}
	return answer, nil
}

// isReply reports whether answer repeats the question, as replies do.
func isReply(answer, question *dns.Msg) bool {
	return answer.Response && slices.EqualFunc(answer.Question, question.Question, func(a, b dns.Question) bool {
		return dns.CanonicalName(a.Name) == b.Name && a.Qtype == b.Qtype && a.Qclass == b.Qclass
	})
}

// send queries over one network. Together with an error it may return a partial
// answer.
func send(ctx context.Context, network, server string, question *dns.Msg) (*dns.Msg, error) {
	client := dns.Client{Net: network, Timeout: tryTime}
	conn, err := client.DialContext(ctx, server)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	// The library honours the deadline of ctx, but not its cancellation.
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	answer, _, err := client.ExchangeWithConnContext(ctx, question, conn)
	return answer, err
}
