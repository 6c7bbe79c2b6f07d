package chain

import (
	"context"
	"errors"
	"io"
	"testing"

	"connectrpc.com/connect"

	hushv1 "hush/gen/hush/v1"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/vaulttest"
)

// gateOf returns a gate of the whole contract.
func gateOf(t *testing.T, budgets *limiter) gate {
	t.Helper()
	policies, err := readPolicies(Services())
	if err != nil {
		t.Fatal(err)
	}
	return gate{policies: policies, budgets: budgets}
}

// A stranger, and an ordinary account, calls a method for colonels. The tree
// hides it and the vault refuses it; if both failed, the chain alone must hold.
func TestChainAloneRefusesColonelsMethods(t *testing.T) {
	t.Parallel()
	g := gateOf(t, nil)
	c := chainOf(g, textLog(io.Discard))
	colonels := 0
	for procedure, p := range g.policies {
		if p.access != hushv1.Access_ACCESS_COLONEL {
			continue
		}
		colonels++
		ran := false
		method := bind(c, procedure, func(context.Context, *hushv1.GetIndexRequest) (*hushv1.GetIndexResponse, error) {
			ran = true
			return &hushv1.GetIndexResponse{}, nil
		})
		for name, rec := range map[string]*record{
			"stranger": {}, "account": {caller: vaulttest.WithAccount(caller.Caller{}, "ada")}, "refused": {refused: true},
		} {
			if err := c.Admit(withRecord(t.Context(), rec), nil, procedure); codeOf(err) != connect.CodeUnimplemented {
				t.Errorf("gate of %s by %s: got %v, want UNIMPLEMENTED", procedure, name, err)
			}
			if _, err := method.Call(withRecord(t.Context(), rec), nil, &hushv1.GetIndexRequest{}); ran || err == nil {
				t.Errorf("%s by %s past the gate: got %v (ran %t), want an error", procedure, name, err, ran)
			}
		}
	}
	if colonels == 0 {
		t.Error("colonels' methods: got none, want some")
	}
}

// A call that bypassed the gate must be refused, and an admission must be valid for only
// one call of what it was given for.
func TestChainRefusesWhatTheGateDidNotAdmit(t *testing.T) {
	t.Parallel()
	const status, secret = "/hush.v1.SystemService/GetStatus", "/hush.v1.SecretService/GetSecret"
	l, _ := newFakeLimiter()
	g := gateOf(t, l)
	left := func(limit hushv1.Limit) int { return leftOf(t, l, limit) }
	method := bind(chainOf(g, textLog(io.Discard)), status, getStatus)
	call := func(rec *record) error {
		_, err := method.Call(withRecord(t.Context(), rec), nil, &hushv1.GetStatusRequest{})
		return err
	}
	before := left(hushv1.Limit_LIMIT_PROBE)
	for name, test := range map[string]struct {
		rec  *record
		want error
	}{
		"a call without a record": {nil, errNoCaller}, "a bad credential": {&record{refused: true}, refusal.ErrUnauthenticated},
		"an unknown credential":  {&record{broken: refusal.ErrUnavailable}, refusal.ErrUnavailable},
		"another site":           {&record{foreign: true, ambient: true}, errCrossSite},
		"a form of another site": {&record{foreign: true, form: true}, errCrossSite},
	} {
		if err := g.pass(t.Context(), test.rec, nil, status); !errors.Is(err, test.want) {
			t.Errorf("pass by %s: got %v, want %v", name, err, test.want)
		}
		if err := call(test.rec); codeOf(err) != connect.CodeInternal {
			t.Errorf("Call by %s: got %v, want an internal error", name, err)
		}
	}
	if got := left(hushv1.Limit_LIMIT_PROBE); got != before {
		t.Errorf("budget after refusals: got %d, want %d", got, before)
	}
	rec := &record{}
	steps := []struct {
		name string
		do   func() error
		cost int
		want connect.Code // zero means success
	}{
		{"a call that was not admitted", func() error { return call(rec) }, 0, connect.CodeInternal},
		{"the gate", func() error { return g.pass(t.Context(), rec, nil, status) }, 1, 0},
		{"the call that was admitted", func() error { return call(rec) }, 0, 0},
		{"another call", func() error { return call(rec) }, 0, connect.CodeInternal},
		{"the gate of another method", func() error { return g.pass(t.Context(), rec, nil, secret) }, 0, 0},
		{"a call that was admitted to another method", func() error { return call(rec) }, 0, connect.CodeInternal},
		{"the gate of two methods", func() error { return g.pass(t.Context(), rec, nil, status, secret) }, 0, 0}, // pays from the smaller
		{"the one that pays otherwise", func() error { return call(rec) }, 1, 0},
	}
	for _, step := range steps {
		before, reads := left(hushv1.Limit_LIMIT_PROBE), left(hushv1.Limit_LIMIT_READ)
		if err := step.do(); (err != nil || step.want != 0) && codeOf(err) != step.want {
			t.Fatalf("%s: got %v, want code %d", step.name, err, step.want)
		}
		if got := before - left(hushv1.Limit_LIMIT_PROBE); got != step.cost {
			t.Errorf("%s: got %d units spent, want %d", step.name, got, step.cost)
		}
		if step.name == "the one that pays otherwise" && left(hushv1.Limit_LIMIT_READ) != reads+1 {
			t.Errorf("%s: got %d units left of the other budget, want %d", step.name, left(hushv1.Limit_LIMIT_READ), reads+1)
		}
	}
	if err := g.pass(t.Context(), rec, nil); codeOf(err) != connect.CodeUnimplemented {
		t.Errorf("pass for no method: got %v, want UNIMPLEMENTED", err)
	}
}

// A list of keys costs one unit per key, in gate and chain together.
func TestGateAndChainChargeOnce(t *testing.T) {
	t.Parallel()
	const list = "/hush.v1.SecretService/ListSecretStatus"
	l, _ := newFakeLimiter()
	method := bind(chainOf(gateOf(t, l), textLog(io.Discard)), list, func(context.Context, *hushv1.ListSecretStatusRequest) (*hushv1.ListSecretStatusResponse, error) {
		return &hushv1.ListSecretStatusResponse{}, nil
	})
	if _, err := admitted(t.Context(), &record{}, method, &hushv1.ListSecretStatusRequest{SecretKeys: make([]string, 25)}); err != nil {
		t.Fatalf("Call: got %v, want no error", err)
	}
	if got := leftOf(t, l, hushv1.Limit_LIMIT_READ); got != 1000-25 {
		t.Errorf("budget after 25 keys: got %d, want 975", got)
	}
}
