package faulttest_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"hush/testtier"
)

// weakening is a way to take from the store what keeps nodes apart, in the
// functions of its schema.
type weakening struct {
	what     string
	function string
	part     *regexp.Regexp // of the function's definition
	by       string
	// play makes what it takes to be noticed; nil lets clients work.
	play func(c *fleet)
}

var weakenings = []weakening{
	{
		what: "rows are not certified", function: "apply",
		part: regexp.MustCompile(`(?s)IF cardinality\(read_key\) > 0 AND EXISTS.*?END IF;`),
	},
	{
		what: "commits do not wait for each other", function: "apply",
		part: regexp.MustCompile(`LOCK TABLE turn IN EXCLUSIVE MODE;`),
	},
	{
		what: "a commit that was given up may still come", function: "write",
		part: regexp.MustCompile(`(?s)IF EXISTS \(SELECT FROM commits.*?END IF;\s*INSERT INTO commits[^;]*;`),
		// The row itself stays: without any, a writer counts as forgotten.
		by:   "INSERT INTO commits (lane, batch, void) VALUES (this_lane, this_batch, false) ON CONFLICT DO NOTHING;",
		play: lateMemo,
	},
	{
		what: "a commit that was given up may come after a later one", function: "write",
		part: regexp.MustCompile(`(?s)IF EXISTS \(SELECT FROM commits.*?END IF;`),
		play: lateRow,
	},
}

// weaken replaces the part of the function.
func (w weakening) weaken(t *testing.T) func(schema string) error {
	return func(schema string) error {
		pg, err := pgconn.Connect(t.Context(), server.URL("postgres"))
		if err != nil {
			return err
		}
		defer pg.Close(t.Context())
		found, err := pg.Exec(t.Context(), fmt.Sprintf(
			"SELECT pg_get_functiondef(p.oid) FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = '%s' AND p.proname = '%s'",
			strings.ReplaceAll(schema, "'", "''"), w.function)).ReadAll()
		if err != nil {
			return err
		}
		whole := string(found[0].Rows[0][0])
		weak := w.part.ReplaceAllLiteralString(whole, w.by)
		if weak == whole {
			return fmt.Errorf("the function %s has no part %v", w.function, w.part)
		}
		_, err = pg.Exec(t.Context(), "SET search_path = "+quoted(schema)+";"+weak).ReadAll()
		return err
	}
}

// roundsMost is how often a weakened store is tried. The first round finds it
// where clients work; what is played needs no second one.
const roundsMost = 10

// TestWeakenedStores: the same clients on a store without one of its guards get
// answers that no vault could have given.
func TestWeakenedStores(t *testing.T) {
	seed := seed(t)
	for _, w := range weakenings {
		t.Run(w.what, func(t *testing.T) {
			if w.play == nil {
				testtier.Full(t, "lets clients work at random")
			} else {
				t.Parallel() // it mostly waits
				if found := w.try(t, seed, nil); len(found) > 0 {
					t.Fatalf("on the whole store: got %s, want nothing wrong", found[0])
				}
			}
			for round := range uint64(w.rounds()) {
				if found := w.try(t, seed+round, w.weaken(t)); len(found) > 0 {
					t.Logf("round %d, for one: %s", round+1, found[0])
					return
				}
			}
			t.Errorf("%d histories: got all linearizable, want one that is not", w.rounds())
		})
	}
}

func (w weakening) rounds() int {
	if w.play != nil {
		return 1
	}
	return roundsMost
}

// try returns what is wrong with one history.
func (w weakening) try(t *testing.T, seed uint64, prepare func(schema string) error) []string {
	t.Helper()
	c := newCluster(t, newDice(seed, 0), prepare)
	defer c.close()
	if w.play != nil {
		w.play(c)
		found, undecided := c.seen.violations()
		if len(undecided) > 0 {
			t.Error(undecided[0])
		}
		return slices.Concat(c.seen.broken, found)
	}
	l := &load{clients: *callers, operations: 1000, shelf: shelf{hot: 3, ops: 12}}
	ended := make(chan struct{})
	close(ended)
	l.run(c, seed, ended)
	found, _ := c.seen.violations()
	return found
}
