package receipt

// State is the state of a secret and of its receipt.
type State byte

// The states. Their numbers are stored.
const (
	StateNone     State = 0 // no such secret, or no longer
	StateNew      State = 1 // concealed, receipt not fetched yet
	StateViewed   State = 2 // receipt fetched
	StateReceived State = 3 // revealed
	StateBurned   State = 4 // destroyed unread
	StateExpired  State = 5 // time ran out unread
)

// Live reports whether the secret can still be revealed.
func (s State) Live() bool { return s == StateNew || s == StateViewed }

// transition is one row of the state machine.
type transition struct{ from, to State }

// transitions is the whole state machine. A transition that is not listed is
// refused: nothing leaves received, burned or expired.
var transitions = [...]transition{
	{StateNew, StateViewed},
	{StateNew, StateReceived},
	{StateNew, StateBurned},
	{StateNew, StateExpired},
	{StateViewed, StateReceived},
	{StateViewed, StateBurned},
	{StateViewed, StateExpired},
}

// mayBecome reports whether the machine has a transition from s to another state.
func (s State) mayBecome(to State) bool {
	for _, t := range transitions {
		if t == (transition{s, to}) {
			return true
		}
	}
	return false
}
