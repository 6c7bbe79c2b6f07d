package connections

// place is what a new request may have.
type place int

const (
	placeNone    place = iota // not even a refusal
	placeRefused              // a refusal
	placeServed               // the handler
)

// refusalShare is the number of allowed requests for each refusal: a refusal
// that its peer does not take is kept.
const refusalShare = 4

// requests counts the running requests.
type requests struct{ served, refused int }

// best returns the best free place; most limits the requests.
func (r *requests) best(most int) place {
	switch {
	case r.served < most:
		return placeServed
	case r.refused < max(1, most/refusalShare):
		return placeRefused
	default:
		return placeNone
	}
}

func (r *requests) add(p place, n int) {
	switch p {
	case placeServed:
		r.served += n
	case placeRefused:
		r.refused += n
	case placeNone:
	}
}

// begin gives a request of a network the best free place, until end.
func (t *table) begin(n *network) place {
	p := t.requests.best(t.limits.Requests)
	if !n.from.exempt {
		p = min(p, n.requests.best(t.limits.RequestsPerNetwork))
	}
	t.requests.add(p, 1)
	n.requests.add(p, 1)
	return p
}

func (t *table) end(n *network, p place) {
	t.requests.add(p, -1)
	n.requests.add(p, -1)
	t.forget(n)
}
