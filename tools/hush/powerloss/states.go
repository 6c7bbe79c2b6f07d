package main

import (
	"bytes"
	"math/rand/v2"
	"slices"
)

// unit is the least that a crash keeps or loses: a sector of a write, the new
// length of a file, or a change of the folder.
type unit struct {
	group  int // units of one call belong together
	file   *file
	change *change
	from   int64 // part of the change's data, for a sector
	to     int64
	length bool
	naming *naming
}

// cut is the disk at the moment before a line of the record: what is durable
// for certain, and what may be.
type cut struct {
	line   int
	disk   *disk
	groups int
	units  []unit
	bases  map[*file]*image // with what is durable before the first doubtful change
	rest   map[*file]int    // index of that change
}

// timeline walks through the cuts of a disk in their order, and remembers what
// is durable from one to the next.
type timeline struct {
	disk  *disk
	bases map[*file]*image
	next  map[*file]int
}

func newTimeline(d *disk) *timeline {
	return &timeline{disk: d, bases: map[*file]*image{}, next: map[*file]int{}}
}

// at returns the cut before line, which must not lie before that of the last
// call. It is valid until the next one.
func (t *timeline) at(line int) *cut {
	c := &cut{line: line, disk: t.disk, bases: t.bases, rest: t.next}
	if made := t.disk.made; made != nil && made.durable >= line {
		if made.start < line {
			c.add(unit{naming: made})
		}
	}
	for _, n := range t.disk.namings {
		if n.start < line && n.durable >= line {
			c.add(unit{naming: n})
		}
	}
	var lost []unit
	for _, f := range t.disk.files {
		t.advance(f, line)
		size := t.bases[f].size // what a write has to exceed to need a new length
		for _, g := range f.changes[t.next[f]:] {
			if g.start >= line {
				break
			}
			switch {
			case g.durable < line:
			case g.lost:
				lost = append(lost, c.split(f, g, size)...)
			default:
				c.add(c.split(f, g, size)...)
			}
			if size = max(size, g.offset+int64(len(g.data))); g.size >= 0 {
				size = min(size, g.size)
			}
		}
	}
	c.add(lost...) // one sync has lost them
	return c
}

// advance applies what is durable at line and what nothing doubtful precedes.
func (t *timeline) advance(f *file, line int) {
	if t.bases[f] == nil {
		t.bases[f] = &image{}
	}
	for t.next[f] < len(f.changes) {
		g := f.changes[t.next[f]]
		if g.durable >= line {
			return
		}
		t.bases[f].apply(g)
		t.next[f]++
	}
}

// add adds the units of one call, if it has any.
func (c *cut) add(units ...unit) {
	if len(units) == 0 {
		return
	}
	for _, u := range units {
		u.group = c.groups
		c.units = append(c.units, u)
	}
	c.groups++
}

// split cuts a write into sectors. Those that change nothing are left out.
func (c *cut) split(f *file, g *change, size int64) (units []unit) {
	for from := int64(0); from < int64(len(g.data)); {
		to := min(int64(len(g.data)), ((g.offset+from)/sectorSize+1)*sectorSize-g.offset)
		if c.matters(f, g, from, to) {
			units = append(units, unit{file: f, change: g, from: from, to: to})
		}
		from = to
	}
	if g.size >= 0 && g.size != size || g.size < 0 && g.offset+int64(len(g.data)) > size {
		units = append(units, unit{file: f, change: g, length: true})
	}
	return units
}

// matters reports whether a sector is new to the file, or may be because
// another change that is still open touches it too. One that a later change covers,
// which is durable, is not.
func (c *cut) matters(f *file, g *change, from, to int64) bool {
	at, end := g.offset+from, g.offset+to
	touched, later := false, false
	for _, other := range f.changes[c.rest[f]:] {
		if other.start >= c.line {
			break
		}
		if other == g {
			later = true
			continue
		}
		otherEnd := other.offset + int64(len(other.data))
		if later && other.durable < c.line && other.size < 0 && other.offset <= at && otherEnd >= end {
			return false
		}
		touched = touched || other.size >= 0 || other.offset < end && otherEnd > at
	}
	if touched {
		return true
	}
	var old [sectorSize]byte
	if base := c.bases[f].data; at < int64(len(base)) {
		copy(old[:], base[at:min(end, int64(len(base)))])
	}
	return !bytes.Equal(old[:to-from], g.data[from:to])
}

// build makes the state in which the chosen units reached the disk.
func (c *cut) build(chosen []bool) snapshot {
	var made *naming
	kept := map[*naming]bool{}
	sizes, sectors := map[*change]bool{}, map[*change][]unit{}
	for i, u := range c.units {
		switch {
		case !chosen[i]:
		case u.naming != nil:
			kept[u.naming] = true
		case u.length:
			sizes[u.change] = true
		default:
			sectors[u.change] = append(sectors[u.change], u)
		}
	}
	if made = c.disk.made; made != nil && made.durable >= c.line && !kept[made] {
		return snapshot{} // the folder itself is not there
	}
	named := map[string]*file{}
	for _, n := range c.disk.namings {
		if n.durable >= c.line && !kept[n] {
			continue
		}
		delete(named, n.old)
		if n.file == nil {
			delete(named, n.name)
		} else {
			named[n.name] = n.file
		}
	}
	state := snapshot{}
	for name, f := range named {
		state[name] = c.content(f, sizes, sectors)
	}
	return state
}

// content applies what is durable and what was chosen, in the order of calls.
func (c *cut) content(f *file, sizes map[*change]bool, sectors map[*change][]unit) *image {
	m := c.bases[f].clone()
	for _, g := range f.changes[c.rest[f]:] {
		if g.start >= c.line {
			break
		}
		if g.durable < c.line {
			m.apply(g)
			continue
		}
		for _, u := range sectors[g] {
			m.write(g.offset+u.from, g.data[u.from:u.to])
		}
		if sizes[g] && g.size >= 0 {
			m.resize(g.size)
		} else if sizes[g] {
			m.size = max(m.size, g.offset+int64(len(g.data)))
		}
	}
	m.resize(m.size) // what lies behind the end was never part of the file
	return m
}

const (
	// wholeGroups is how many calls are combined in every way, wholeUnits how
	// many of their parts.
	wholeGroups = 6
	wholeUnits  = 8
)

// exhaustive yields the choices that every run makes: all calls, none, each
// prefix of them, each but one, each alone, and all combinations of few.
func (c *cut) exhaustive(yield func([]bool) bool) {
	n := c.groups
	pick := func(want func(group int) bool) bool {
		chosen := make([]bool, len(c.units))
		for i, u := range c.units {
			chosen[i] = want(u.group)
		}
		return yield(chosen)
	}
	for mask := 0; n <= wholeGroups && mask < 1<<n; mask++ {
		if !pick(func(group int) bool { return mask&(1<<group) != 0 }) {
			return
		}
	}
	for i := 0; n > wholeGroups && i <= n; i++ {
		if !pick(func(group int) bool { return group < i }) ||
			i < n && (!pick(func(group int) bool { return group != i }) || !pick(func(group int) bool { return group == i })) {
			return
		}
	}
	for mask := 0; len(c.units) <= wholeUnits && mask < 1<<len(c.units); mask++ {
		chosen := make([]bool, len(c.units))
		for i := range chosen {
			chosen[i] = mask&(1<<i) != 0
		}
		if !yield(chosen) {
			return
		}
	}
}

// drawn chooses at random: some calls whole, some not at all, the others torn.
func (c *cut) drawn(random *rand.Rand) []bool {
	chances := make([]float64, c.groups)
	for i := range chances {
		chances[i] = [...]float64{0, 1, 0.5, random.Float64()}[random.IntN(4)]
	}
	chosen := make([]bool, len(c.units))
	for i, u := range c.units {
		chosen[i] = random.Float64() < chances[u.group]
	}
	return chosen
}

// describe counts the units that a choice kept and lost, for a report.
func (c *cut) describe(chosen []bool) (kept, lost int) {
	lost = len(slices.DeleteFunc(slices.Clone(chosen), func(b bool) bool { return b }))
	return len(chosen) - lost, lost
}
