package faulttest_test

import (
	"github.com/anishathalye/porcupine"
)

// accountModel says what the answers about the password and the sessions of one
// account may be.
var accountModel = porcupine.Model{
	Init: func() any { return accountState{} },
	Step: func(state, input, output any) (bool, any) {
		return state.(accountState).step(input.(timed).in.(accountOp), output.(answer))
	},
}

// accountState has the number of the password, and the sessions as a set of
// bits.
type accountState struct {
	password int
	sessions uint64
}

const (
	signIn   verb = "sign in"
	password verb = "change the password"
	enter    verb = "authenticate"
	signOut  verb = "end all sessions"
)

type accountOp struct {
	verb     verb
	from, to int // passwords
	session  int
}

const refused answer = "refused"

func (s accountState) step(op accountOp, out answer) (bool, any) {
	bit := uint64(1) << op.session
	switch op.verb {
	case signIn:
		if out == refused {
			return s.password != op.from, s
		}
		fits := s.password == op.from
		s.sessions |= bit
		return fits, s
	case password:
		if out == refused {
			return s.password != op.from, s
		}
		if s.password != op.from {
			return out == unknown, s
		}
		s.password = op.to
		s.sessions &= bit
		return true, s
	case enter:
		live := s.sessions&bit != 0
		return live == (out == done), s
	case signOut:
		s.sessions = 0
		return true, s
	default:
		return false, s
	}
}

// tokenModel says what the answers about one API token may be. Its state is
// whether the token is valid.
var tokenModel = porcupine.Model{
	Init: func() any { return true },
	Step: func(state, input, output any) (bool, any) {
		valid, out := state.(bool), output.(answer)
		if input.(timed).in.(verb) == enter {
			return valid == (out == done), valid
		}
		return valid || out != done, false
	},
}
