package faulttest_test

import (
	"time"

	"github.com/anishathalye/porcupine"

	"hush/vault/guess"
	"hush/vault/passphrase"
	"hush/vault/receipt"
)

// secretModel says what the answers about one secret may be, as if nodes did
// one operation after the other.
var secretModel = porcupine.Model{
	Init: func() any { return secretState{} },
	Step: func(state, input, output any) (bool, any) {
		in := input.(timed)
		return state.(secretState).step(in.in.(secretOp), output.(secretOut), in)
	},
}

// networks is how many networks clients come from. A secret gets so few tries
// that only the pauses of single networks come about.
const networks = 3

// skew is how far the corrected clocks of nodes may be apart.
const skew = 4 * time.Second

type secretState struct {
	made, madeCall, madeEnd, ttl int64 // made is 1 once it is concealed

	state receipt.State // of the receipt, without what time does
	memo  int
	tries [networks]tries
}

type tries struct {
	count             int
	locked            int64 // how long the pause is
	lockCall, lockEnd int64 // of the try that began it
}

type verb string

const (
	conceal     verb = "conceal"
	look        verb = "look"
	showReceipt verb = "receipt"
	memo        verb = "memo"
	try         verb = "try" // at a passphrase, which counts before it is compared
	reveal      verb = "reveal"
	burn        verb = "burn"
)

type secretOp struct {
	verb    verb
	ttl     time.Duration
	memo    int
	network int
}

type answer string

const (
	done     answer = "done"
	notFound answer = "not found"
	locked   answer = "locked"
	unknown  answer = "unknown"
)

type secretOut struct {
	answer answer
	state  receipt.State // of a receipt
	memo   int
	left   int // tries, -1 if not told
}

func (s secretState) step(op secretOp, out secretOut, at timed) (bool, any) {
	switch op.verb {
	case conceal:
		made := secretState{made: 1, madeCall: at.call, madeEnd: at.end, ttl: int64(op.ttl), state: receipt.StateNew}
		return s.made == 0, made
	case look:
		return s.ends(out, at), s
	case showReceipt:
		return s.receipt(out, at)
	case memo:
		if out.answer == notFound {
			return s.mayBeForgotten(at), s
		}
		s.memo = op.memo
		return true, s
	case try:
		return s.try(op.network, out, at)
	case reveal:
		return s.end(receipt.StateReceived, out, at)
	case burn:
		return s.end(receipt.StateBurned, out, at)
	default:
		return false, s
	}
}

// mayLive and mayHaveExpired say what a node may think at some moment of an
// operation.
func (s secretState) mayLive(at timed) bool {
	return s.state.Live() && at.call <= s.madeEnd+s.ttl+int64(skew)
}

func (s secretState) mayHaveExpired(at timed) bool {
	return s.state.Live() && at.end >= s.madeCall+s.ttl-int64(skew)
}

// mayBeForgotten says the same of the receipt, which lasts twice as long.
func (s secretState) mayBeForgotten(at timed) bool {
	return at.end >= s.madeCall+2*s.ttl-int64(skew)
}

// ends reports whether an answer fits a secret that is live or has ended.
func (s secretState) ends(out secretOut, at timed) bool {
	switch out.answer {
	case done:
		return s.mayLive(at)
	case notFound:
		return !s.state.Live() || s.mayHaveExpired(at)
	default:
		return out.answer == unknown
	}
}

func (s secretState) receipt(out secretOut, at timed) (bool, any) {
	shown := s
	if s.state == receipt.StateNew && (out.answer == unknown || out.answer == done && out.state == receipt.StateNew) {
		s.state = receipt.StateViewed
	}
	switch {
	case out.answer == unknown:
		return true, s
	case out.answer == notFound:
		return shown.mayBeForgotten(at), shown
	case out.answer != done || out.memo != shown.memo:
		return false, s
	case out.state == receipt.StateExpired:
		return shown.mayHaveExpired(at), s
	case out.state.Live():
		return out.state == shown.state && shown.mayLive(at), s
	}
	return out.state == shown.state, s
}

// end reveals or burns.
func (s secretState) end(to receipt.State, out secretOut, at timed) (bool, any) {
	fits := s.ends(out, at)
	if out.answer != notFound && s.mayLive(at) {
		s.state = to
	}
	return fits, s
}

// try counts a try at the passphrase.
func (s secretState) try(network int, out secretOut, at timed) (bool, any) {
	t := s.tries[network]
	ends := func(from int64) int64 { return from + t.locked }
	if out.answer == locked {
		return t.locked > 0 && (t.lockEnd == never || at.call <= ends(t.lockEnd)+int64(skew)), s
	}
	if !s.state.Live() {
		return out.answer == unknown || out.left < 0, s // part of an operation that came after the end
	}
	if t.locked > 0 && at.end < ends(t.lockCall)-int64(skew) {
		return out.answer == unknown, s
	}
	t.count++
	t.locked = int64(guess.PauseAfter(t.count, passphrase.NetworkTries))
	t.lockCall, t.lockEnd = at.call, at.end
	s.tries[network] = t
	left := max(0, passphrase.NetworkTries-t.count)
	return out.left < 0 || out.left == left, s
}
