package chain

import (
	"context"
	"errors"
	"net/http"
	"slices"

	hushv1 "hush/gen/hush/v1"
	"hush/vault/budget"
)

// gate decides what is known of a call before its body is read: whether its
// credential is valid, whether the caller may call the method, whether the
// request comes from a page of another site, and one unit of the rate limit.
// The chain decides what depends on the message.
type gate struct {
	policies policies
	budgets  *limiter // nil counts nothing
}

// admission is what a request was admitted for: one call of one of the procedures.
type admission struct {
	procedures []string
	charged    hushv1.Limit // the budget that paid
}

// pass admits a request to one of the procedures, or returns why not. It fails
// closed: even public methods refuse an unknown procedure, an unauthenticated
// request and an invalid credential. A request that may call one of several
// procedures must be admitted to all of them, and pays from the smallest
// budget.
func (g gate) pass(ctx context.Context, record *record, header http.Header, procedures ...string) error {
	if record == nil {
		return errNoCaller
	}
	if len(procedures) == 0 {
		return unknownProcedure()
	}
	charged := hushv1.Limit_LIMIT_UNSPECIFIED
	for i, procedure := range procedures {
		p, known := g.policies[procedure]
		switch {
		case !known:
			return unknownProcedure()
		case record.broken != nil:
			return record.broken
		}
		if err := admits(p, record); err != nil {
			return err
		}
		// The headers name a page of another site, or a session's request names no origin.
		// The token against forgery may be a parameter, so the call checks that.
		if record.foreign && !mayCross(p, record) || needsShrimp(p, record) && !saysOrigin(header) {
			return errCrossSite
		}
		if i == 0 || scarcer(rateOf(p.limit), rateOf(charged)) {
			charged = p.limit
		}
		record.part = record.part || p.isPart()
		record.mayEnd = record.mayEnd || p.limit == hushv1.Limit_LIMIT_REVEAL || p.limit == hushv1.Limit_LIMIT_BURN
	}
	if err := g.budgets.takeCaller(ctx, record.caller.Network, charged, 1); err != nil {
		return err
	}
	record.admission = admission{procedures, charged}
	return nil
}

// enter lets a call into the chain that was admitted, once. If it paid from another budget
// than its method's, it gets that back.
func (g gate) enter(ctx context.Context, record *record, procedure string) error {
	paid := record.admission
	record.admission = admission{}
	if !slices.Contains(paid.procedures, procedure) {
		return errNotAdmitted
	}
	limit := g.policies[procedure].limit
	if paid.charged == limit || g.budgets == nil {
		return nil
	}
	if err := g.budgets.giveCaller(ctx, record.caller.Network, paid.charged); err != nil {
		return err
	}
	return g.budgets.takeCaller(ctx, record.caller.Network, limit, 1)
}

// errNotAdmitted reports a call that did not come through the gate, which is a mistake of
// ours: every way to a call passes it first.
var errNotAdmitted = errors.New("chain: call that the gate did not admit")

// scarcer reports whether fewer calls of a come back in a time than of b.
func scarcer(a, b budget.Rate) bool {
	return float64(a.Calls)/a.In.Seconds() < float64(b.Calls)/b.In.Seconds()
}
