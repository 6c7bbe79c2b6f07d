package resolvertest

import (
	"net"
	"time"

	"github.com/miekg/dns"
)

// aliasesMost is where the server stops following a loop.
const aliasesMost = 16

// serve answers one question.
func (s *Server) serve(w dns.ResponseWriter, question *dns.Msg) {
	answer, delay := s.answer(question, w.RemoteAddr())
	if delay > 0 {
		timer := time.NewTimer(delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-s.done:
			return
		}
	}
	// The client may have gone.
	_ = w.WriteMsg(answer)
}

func (s *Server) answer(question *dns.Msg, from net.Addr) (*dns.Msg, time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	answer := new(dns.Msg).SetReply(question)
	answer.RecursionAvailable, answer.Compress = true, true
	asked := question.Question[0]
	name := dns.CanonicalName(asked.Name)
	s.queries[key{name, asked.Qtype}]++
	if rcode := s.broken[name]; rcode != dns.RcodeSuccess {
		answer.Rcode = rcode
	} else {
		s.fill(answer, name, asked.Qtype)
	}
	if _, udp := from.(*net.UDPAddr); !udp {
		s.tcp++
		return answer, s.delay
	}
	if s.truncate {
		answer.Answer, answer.Truncated = nil, true
	}
	size := dns.MinMsgSize
	if opt := question.IsEdns0(); opt != nil {
		size = int(opt.UDPSize())
	}
	answer.Truncate(size)
	return answer, s.delay
}

// fill adds the zone's records and follows aliases.
func (s *Server) fill(answer *dns.Msg, name string, kind uint16) {
	for range aliasesMost {
		if records := s.zone[key{name, kind}]; len(records) > 0 {
			answer.Answer = append(answer.Answer, records...)
			return
		}
		alias := s.zone[key{name, dns.TypeCNAME}]
		if len(alias) == 0 {
			break
		}
		answer.Answer = append(answer.Answer, alias...)
		if s.shallow {
			return
		}
		if record, ok := alias[0].(*dns.CNAME); ok {
			name = dns.CanonicalName(record.Target)
		}
	}
	if !s.exists(name) {
		answer.Rcode = dns.RcodeNameError
	}
}

func (s *Server) exists(name string) bool {
	for k := range s.zone {
		if k.name == name {
			return true
		}
	}
	return false
}
