package handlers

import (
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	hushv1 "hush/gen/hush/v1"
)

// A watched collection is sent again after each change, and not because time passes.
func TestDigestOf(t *testing.T) {
	t.Parallel()
	shown := &hushv1.Collection{
		Request: &hushv1.Request{State: hushv1.Request_STATE_OPEN, TtlLeft: durationpb.New(9)},
		Answers: []*hushv1.Answer{{Number: []byte("number"), SealedLink: []byte("link"), SecretKey: "key", Events: []*hushv1.Event{{Count: 1}}}},
	}
	before, err := digestOf(shown)
	if err != nil || shown.GetRequest().GetTtlLeft().AsDuration() != 9 {
		t.Fatalf("digestOf: got %v and %v left, want the collection as it was", err, shown.GetRequest().GetTtlLeft())
	}
	for name, c := range map[string]struct {
		change func(*hushv1.Collection)
		same   bool
	}{
		"nothing":     {func(*hushv1.Collection) {}, true},
		"time left":   {func(c *hushv1.Collection) { c.Request.TtlLeft = durationpb.New(8) }, true},
		"state":       {func(c *hushv1.Collection) { c.Request.State = hushv1.Request_STATE_CLOSED }, false},
		"event":       {func(c *hushv1.Collection) { c.Answers[0].Events[0].Count++ }, false},
		"no link":     {func(c *hushv1.Collection) { c.Answers[0].SealedLink = nil }, false},
		"second one":  {func(c *hushv1.Collection) { c.Answers = append(c.Answers, &hushv1.Answer{}) }, false},
		"request key": {func(c *hushv1.Collection) { c.RequestKey = "other" }, false},
	} {
		now, ok := proto.Clone(shown).(*hushv1.Collection)
		if !ok {
			t.Fatal("Clone: got another message")
		}
		c.change(now)
		if got, err := digestOf(now); err != nil || (got == before) != c.same {
			t.Errorf("digestOf(%s changed): got the same %t, %v, want %t", name, got == before, err, c.same)
		}
	}
}
