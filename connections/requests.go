package connections

// place is what there is room for when a request arrives.
type place int

const (
	placeNone    place = iota // not even an answer that refuses it
	placeRefused              // such an answer
	placeServed               // its handler
)

// refusalShare is how many requests there may be for each refusal: an answer
// that its peer does not take is kept.
const refusalShare = 4

// requests counts those that have not ended.
type requests struct{ served, refused int }

// best returns the best place where there are at most as many as most.
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

// begin gives a request of a network the best place that is free, until end.
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
