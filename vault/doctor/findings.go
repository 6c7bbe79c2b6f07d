package doctor

import (
	"cmp"
	"encoding/hex"
	"slices"
	"strings"

	"hush/vault/exam"
)

// placesMost is how many places of a kind of finding are kept; the others are
// only counted.
const placesMost = 5

// Findings collects findings of one kind in one bucket as a group.
type Findings struct {
	// Rows is how many rows were read.
	Rows int64
	// Skipped are sentences about what could not be examined.
	Skipped []string

	groups []*Group
	at     map[groupKey]*Group
}

type groupKey struct {
	code   exam.Code
	bucket string
}

// Group is what was found of one kind in one bucket.
type Group struct {
	Info
	Bucket string // empty if it is about no row
	Count  int64
	Places []Place // the first ones
}

// Place is where something was found.
type Place struct {
	Row  string `json:"row,omitempty"` // key of the row, in hexadecimal
	Note string `json:"note,omitempty"`
}

// NewFindings returns no findings.
func NewFindings() *Findings { return &Findings{at: map[groupKey]*Group{}} }

// Add adds a finding.
func (f *Findings) Add(found exam.Finding) {
	key := groupKey{found.Code, found.Bucket}
	g := f.at[key]
	if g == nil {
		g = &Group{Info: infoOf(found.Code), Bucket: found.Bucket}
		f.at[key] = g
		f.groups = append(f.groups, g)
	}
	g.Count++
	if len(g.Places) < placesMost {
		g.Places = append(g.Places, Place{hex.EncodeToString(found.Key), found.Note})
	}
}

// Note adds a finding about no row.
func (f *Findings) Note(code exam.Code, note string) { f.Add(exam.Finding{Code: code, Note: note}) }

// AddGroup adds a group that another examination made; f gets no other of its code
// and bucket.
func (f *Findings) AddGroup(g Group) {
	f.at[groupKey{g.Code, g.Bucket}] = &g
	f.groups = append(f.groups, &g)
}

// replace adds the groups of other, as often as it is called with another.
func (f *Findings) replace(other *Findings) {
	for _, g := range other.groups {
		key := groupKey{g.Code, g.Bucket}
		if old := f.at[key]; old != nil {
			*old = *g
			continue
		}
		f.at[key] = g
		f.groups = append(f.groups, g)
	}
}

// Groups returns the groups: errors first, then by code and bucket.
func (f *Findings) Groups() []Group {
	list := make([]Group, 0, len(f.groups))
	for _, g := range f.groups {
		list = append(list, *g)
	}
	slices.SortFunc(list, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Level, a.Level), strings.Compare(string(a.Code), string(b.Code)), strings.Compare(a.Bucket, b.Bucket))
	})
	return list
}

// Count returns the number of findings of a level.
func (f *Findings) Count(level Level) (n int64) {
	for _, g := range f.groups {
		if g.Level == level {
			n += g.Count
		}
	}
	return n
}
