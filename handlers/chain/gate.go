package chain

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

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
	log      *slog.Logger
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
		if err := checkOrigin(p, record, header); err != nil {
			return err
		}
		if i == 0 || scarcer(rateOf(p.limit), rateOf(charged)) {
			charged = p.limit
		}
		record.mayEnd = record.mayEnd || mayEnd(p)
	}
	if err := g.charge(ctx, record, charged, 1); err != nil {
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
	if !paid.holds(procedure) {
		return errNotAdmitted
	}
	limit := g.policies[procedure].limit
	if paid.charged == limit || g.budgets == nil {
		return nil
	}
	if err := g.budgets.giveCaller(ctx, record.caller.Network, paid.charged); err != nil {
		return err
	}
	return g.charge(ctx, record, limit, 1)
}

// errNotAdmitted reports a call that did not come through the gate, which is a mistake of
// ours: every way to a call passes it first.
var errNotAdmitted = errors.New("chain: call that the gate did not admit")

// scarcer reports whether fewer calls of a come back in a time than of b.
func scarcer(a, b budget.Rate) bool {
	return float64(a.Calls)/a.In.Seconds() < float64(b.Calls)/b.In.Seconds()
}

func (a admission) holds(procedure string) bool {
	return slices.Contains(a.procedures, procedure)
}

// charge takes units of a budget from the caller's network.
func (g gate) charge(ctx context.Context, record *record, limit hushv1.Limit, units int) error {
	if g.budgets == nil || units == 0 {
		return nil
	}
	return g.budgets.takeCaller(ctx, record.caller.Network, limit, units)
}

// beforeMessage is the gate for calls over the wire.
func (g gate) beforeMessage(ctx context.Context, spec connect.Spec, _ connect.Peer, header http.Header) (context.Context, error) {
	if record := recordFrom(ctx); record != nil {
		record.most = int64(readLimit(spec.Procedure)) + framing
		record.packed = isPacked(header)
	}
	return ctx, onWire(g.admit(ctx, header, spec.Procedure))
}

// framing is what a protocol adds around a message, plus one byte, by which a
// message shows that it is too long.
const framing = 16

// holdUnpacked counts the decompressed size of a message for the duration of
// its call: so far only the received bytes were counted.
func holdUnpacked(record *record, message any) error {
	if !record.packed || record.body == nil {
		return nil
	}
	if m, ok := message.(proto.Message); ok && !record.body.hold(int64(proto.Size(m))) {
		record.limit = limitBodies
		return heldError()
	}
	return nil
}

// admit passes a request through the gate and records procedure and code for its log
// line, because a refusal here reaches no call. Its error is a *RefusedError or nil.
func (g gate) admit(ctx context.Context, header http.Header, procedures ...string) error {
	record := recordFrom(ctx)
	err := g.pass(ctx, record, header, procedures...)
	if record != nil && len(procedures) > 0 {
		record.procedure, record.code = procedures[0], codeUnread
	}
	if err == nil {
		return nil
	}
	noteLimit(ctx, err)
	err = mapped(g.log, strings.Join(procedures, " or "), err)
	if record != nil {
		record.code = codeOf(err).String()
	}
	return err
}

// codeUnread is the logged code of a call whose message could not be read.
const codeUnread = "unread"

// mayEnd reports whether a method may end a secret. Such bodies have their own
// lane, which creation cannot fill.
func mayEnd(p policy) bool {
	return p.limit == hushv1.Limit_LIMIT_REVEAL || p.limit == hushv1.Limit_LIMIT_BURN
}
