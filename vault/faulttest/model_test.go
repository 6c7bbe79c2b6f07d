package faulttest_test

import (
	"testing"
	"time"

	"hush/vault/receipt"
)

// The models must refuse what they are there to find.
func TestModels(t *testing.T) {
	t.Parallel()
	const second = int64(time.Second)
	type step = modelStep
	hour := secretOp{verb: conceal, ttl: time.Hour}
	made := step{0, 1, hour, secretOut{answer: done}}
	ok, gone, lost := secretOut{answer: done}, secretOut{answer: notFound}, secretOut{answer: unknown}
	receiptOf := func(s receipt.State) secretOut { return secretOut{answer: done, state: s} }
	tried := func(left int) secretOut { return secretOut{answer: done, left: left} }
	for name, c := range map[string]struct {
		steps []step
		fits  bool
	}{
		"once":                  {[]step{made, {2, 3, secretOp{verb: reveal}, ok}, {2, 4, secretOp{verb: reveal}, gone}}, true},
		"twice":                 {[]step{made, {2, 3, secretOp{verb: reveal}, ok}, {2, 4, secretOp{verb: reveal}, ok}}, false},
		"after a burn":          {[]step{made, {2, 3, secretOp{verb: burn}, ok}, {4, 5, secretOp{verb: reveal}, ok}}, false},
		"lost":                  {[]step{made, {2, 3, secretOp{verb: look}, gone}}, false},
		"ends with a lost one":  {[]step{made, {2, never, secretOp{verb: reveal}, lost}, {9, 10, secretOp{verb: look}, gone}}, true},
		"outlives a lost one":   {[]step{made, {2, never, secretOp{verb: reveal}, lost}, {9, 10, secretOp{verb: reveal}, ok}}, true},
		"comes back":            {[]step{made, {2, never, secretOp{verb: reveal}, lost}, {4, 5, secretOp{verb: look}, gone}, {9, 10, secretOp{verb: look}, ok}}, false},
		"expires":               {[]step{made, {3601 * second, 3602 * second, secretOp{verb: look}, gone}}, true},
		"expires early":         {[]step{made, {3500 * second, 3501 * second, secretOp{verb: look}, gone}}, false},
		"expires late":          {[]step{made, {3605 * second, 3606 * second, secretOp{verb: reveal}, ok}}, false},
		"receipt":               {[]step{made, {2, 3, secretOp{verb: showReceipt}, receiptOf(receipt.StateNew)}, {4, 5, secretOp{verb: showReceipt}, receiptOf(receipt.StateViewed)}}, true},
		"new again":             {[]step{made, {2, 3, secretOp{verb: showReceipt}, receiptOf(receipt.StateNew)}, {4, 5, secretOp{verb: showReceipt}, receiptOf(receipt.StateNew)}}, false},
		"receipt of no end":     {[]step{made, {2, 3, secretOp{verb: showReceipt}, receiptOf(receipt.StateBurned)}}, false},
		"memo":                  {[]step{made, {2, 3, secretOp{verb: memo, memo: 7}, ok}, {4, 5, secretOp{verb: showReceipt}, secretOut{answer: done, state: receipt.StateNew, memo: 7}}}, true},
		"memo is lost":          {[]step{made, {2, 3, secretOp{verb: memo, memo: 7}, ok}, {4, 5, secretOp{verb: showReceipt}, receiptOf(receipt.StateNew)}}, false},
		"tries":                 {[]step{made, {2, 3, secretOp{verb: try}, tried(4)}, {2, 4, secretOp{verb: try}, tried(3)}, {2, 4, secretOp{verb: try, network: 1}, tried(4)}}, true},
		"a try is not counted":  {[]step{made, {2, 3, secretOp{verb: try}, tried(4)}, {4, 5, secretOp{verb: try}, tried(4)}}, false},
		"locked":                {[]step{made, {2, 3, secretOp{verb: try}, tried(4)}, {4, 5, secretOp{verb: try}, secretOut{answer: locked}}}, false},
		"a sixth try at once":   {append(fiveTries(made.in), step{20, 21, secretOp{verb: try}, tried(0)}), false},
		"a sixth try is locked": {append(fiveTries(made.in), step{20, 21, secretOp{verb: try}, secretOut{answer: locked}}), true},
		"a sixth try later":     {append(fiveTries(made.in), step{70 * second, 71 * second, secretOp{verb: try}, tried(0)}), true},
	} {
		o := newHistory().object(name, secretModel)
		for _, s := range c.steps {
			o.addAt(s.call, s.end, s.in, s.out)
		}
		if got := o.in.linearizable(); got != c.fits {
			t.Errorf("%s: got linearizable %v, want %v\n%s", name, got, c.fits, o)
		}
	}
}

type modelStep struct {
	call, end int64
	in, out   any
}

// fiveTries uses up the tries of a network.
func fiveTries(made any) []modelStep {
	steps := []modelStep{{0, 1, made, secretOut{answer: done}}}
	for i := range int64(5) {
		steps = append(steps, modelStep{2 * (i + 1), 2*(i+1) + 1, secretOp{verb: try}, secretOut{answer: done, left: 4 - int(i)}})
	}
	return steps
}

func TestAccountModels(t *testing.T) {
	t.Parallel()
	in := modelStep{0, 1, accountOp{verb: signIn}, done}
	auth := func(call int64, out answer) modelStep { return modelStep{call, call + 1, accountOp{verb: enter}, out} }
	change := modelStep{2, 3, accountOp{verb: password, to: 1, session: 5}, done}
	for name, c := range map[string]struct {
		steps []modelStep
		fits  bool
	}{
		"session":                {[]modelStep{in, auth(2, done)}, true},
		"session is lost":        {[]modelStep{in, auth(2, refused)}, false},
		"ended by a password":    {[]modelStep{in, change, auth(4, refused)}, true},
		"outlives a password":    {[]modelStep{in, change, auth(4, done)}, false},
		"maybe changed":          {[]modelStep{in, {2, never, accountOp{verb: password, to: 1, session: 5}, unknown}, auth(4, refused)}, true},
		"ended":                  {[]modelStep{in, {2, 3, accountOp{verb: signOut}, done}, auth(4, done)}, false},
		"the old password":       {[]modelStep{in, change, {4, 5, accountOp{verb: signIn}, done}}, false},
		"the password is denied": {[]modelStep{in, {4, 5, accountOp{verb: signIn}, refused}}, false},
	} {
		o := newHistory().object(name, accountModel)
		for _, s := range c.steps {
			o.addAt(s.call, s.end, s.in, s.out)
		}
		if got := o.in.linearizable(); got != c.fits {
			t.Errorf("%s: got linearizable %v, want %v\n%s", name, got, c.fits, o)
		}
	}
	for name, fits := range map[answer]bool{done: false, refused: true} {
		o := newHistory().object("token", tokenModel)
		o.addAt(0, 1, enter, done)
		o.addAt(2, 3, signOut, done)
		o.addAt(4, 5, enter, name)
		if got := o.in.linearizable(); got != fits {
			t.Errorf("token %s after its end: got linearizable %v, want %v", name, got, fits)
		}
	}
}
