package receipt

// Outcome is how the claim ended that a secret was revealed with.
type Outcome byte

// The outcomes. Their numbers are stored.
const (
	OutcomeNone      Outcome = 0 // not revealed, or without a claim
	OutcomeAwaited   Outcome = 1 // revealed; the recipient's device has not confirmed yet
	OutcomeDelivered Outcome = 2 // the recipient's device confirmed
	OutcomeLapsed    Outcome = 3 // the recipient's device did not confirm in time
)
