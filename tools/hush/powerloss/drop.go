package main

import (
	"fmt"
	"slices"
	"strings"
)

// dropped names the syncs or writes that are taken out of the record, to show that the
// check notices: each is a mistake that a change of the program could make.
type dropped string

const (
	dropNothing  dropped = ""
	dropDatabase dropped = "database" // the database is opened with NoSync
	dropConceal  dropped = "conceal"  // as if no call waited for the share of a new secret
	dropReveal   dropped = "reveal"   // as if no call waited for a share to be overwritten
	dropFolder   dropped = "folder"   // the folder is not synced after the database got its name
	dropRootKey  dropped = "rootkey"  // the new root key is not synced
	dropRenew    dropped = "renew"    // after a failed sync a start only syncs what it reads, and does not write it again
)

func drops() []dropped {
	return []dropped{dropDatabase, dropConceal, dropReveal, dropFolder, dropRootKey, dropRenew}
}

func parseDrop(text string) (dropped, error) {
	if text == "" || slices.Contains(drops(), dropped(text)) {
		return dropped(text), nil
	}
	return "", fmt.Errorf("unknown sync %q: one of %v", text, drops())
}

// syncs returns the syncs of a file that are left.
func (drop dropped) syncs(d *disk, f *file) []span {
	all := d.syncs[f]
	switch {
	case drop == dropDatabase && d.called(f, databaseName), drop == dropRootKey && d.called(f, rootKeyName):
		return nil
	case drop == dropConceal && d.called(f, sharesName):
		return without(all, f, slotLive)
	case drop == dropReveal && d.called(f, sharesName):
		return without(all, f, slotDestroyed)
	default:
		return all
	}
}

// folderSyncs returns the syncs of the folder that are left.
func (drop dropped) folderSyncs(d *disk) []span {
	if drop != dropFolder {
		return d.folder
	}
	var named int
	for _, n := range d.namings {
		if n.name == databaseName {
			named = n.start
		}
	}
	return slices.DeleteFunc(slices.Clone(d.folder), func(s span) bool { return s.start > named })
}

// called reports whether a file had the name at any time, if only a part of it.
func (d *disk) called(f *file, name string) bool {
	return slices.ContainsFunc(d.namings, func(n *naming) bool {
		return n.file == f && strings.HasPrefix(n.name, name)
	})
}

// without drops the syncs that are the first to cover a write of slots in state.
func without(all []span, f *file, state byte) []span {
	return slices.DeleteFunc(slices.Clone(all), func(s span) bool {
		before := -1
		for _, other := range all {
			if other.end < s.end {
				before = max(before, other.start)
			}
		}
		return slices.ContainsFunc(f.changes, func(g *change) bool {
			return g.end < s.start && g.end > before && writesSlots(g, state)
		})
	})
}

// writesSlots reports whether a write holds a slot in that state; slotSize and
// the states are those of storage/sharefile.
func writesSlots(g *change, state byte) bool {
	for at := range g.data {
		if (g.offset+int64(at))%slotSize == slotStateAt && g.data[at] == state && g.offset+int64(at) > slotSize {
			return true
		}
	}
	return false
}

// What storage/sharefile draws of a slot.
const (
	slotSize      = 64
	slotStateAt   = 48
	slotLive      = 1
	slotDestroyed = 2

	databaseName = "hush.db"
	sharesName   = "shares"
	rootKeyName  = "root.key"
	ballastName  = "ballast"
)
