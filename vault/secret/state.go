package secret

// State is the state of a secret and of its metadata.
type State byte

// The states. Their numbers are stored.
const (
	StateNone     State = 0 // no such secret, or no longer
	StateNew      State = 1 // concealed, metadata not fetched yet
	StateViewed   State = 2 // metadata fetched
	StateReceived State = 3 // revealed
	StateBurned   State = 4 // destroyed unread
	StateExpired  State = 5 // time ran out unread
)

// Live reports whether the secret can still be revealed.
func (s State) Live() bool { return s == StateNew || s == StateViewed }

// move is a transition of an aggregate.
type move byte

const (
	moveView   move = 1
	moveReveal move = 2
	moveBurn   move = 3
	moveExpire move = 4
)

// transition is one row of the state machine.
type transition struct {
	from State
	move move
	to   State
}

// transitions returns the whole state machine. A transition that is not listed
// is refused: nothing leaves received, burned or expired.
func transitions() [7]transition {
	return [7]transition{
		{StateNew, moveView, StateViewed},
		{StateNew, moveReveal, StateReceived},
		{StateNew, moveBurn, StateBurned},
		{StateNew, moveExpire, StateExpired},
		{StateViewed, moveReveal, StateReceived},
		{StateViewed, moveBurn, StateBurned},
		{StateViewed, moveExpire, StateExpired},
	}
}

// after returns the state that m leads to, or StateNone if the machine has no
// such transition.
func (s State) after(m move) State {
	for _, t := range transitions() {
		if t.from == s && t.move == m {
			return t.to
		}
	}
	return StateNone
}
