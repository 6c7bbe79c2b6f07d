package rootkey

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"hush/vault/cluster"
	"hush/vault/rows"
)

// admitNodes returns a RefusedError while a live node lacks a root key, and names it:
// it could not open what the others seal. It makes the nodes that are not live join
// again, which takes the key. It also refuses while a node may be of a release that
// does not know of several root keys.
func (r *RootKeys) admitNodes(tx *rows.Tx, kid [4]byte) error {
	if tx.Format() < rows.FormatRootKeys {
		return &RefusedError{"the store has a format without several root keys: upgrade all nodes first"}
	}
	nodes, err := r.store.Nodes(tx)
	if err != nil {
		return err
	}
	var lacking []string
	for _, node := range nodes {
		if node.Live && !node.Self && !slices.Contains(node.Keys, kid) {
			lacking = append(lacking, nameOf(node))
		}
	}
	if len(lacking) > 0 {
		return &RefusedError{fmt.Sprintf("not all nodes hold the root key %x: put its line into the key file of %s, restart those that read it only at their start, and try again in a few seconds",
			kid, strings.Join(lacking, ", "))}
	}
	return r.store.ForgetDead(tx)
}

func nameOf(node cluster.NodeStatus) string {
	return fmt.Sprintf("%q (number %d)", node.Name, node.Number)
}

// settleNodes returns a RefusedError until every live node has sealed with the current
// root key for a while. It makes the nodes that are not live join again, so that none
// goes on with an old key.
func (r *RootKeys) settleNodes(ctx context.Context, current [4]byte) error {
	if r.store.Node() == nil {
		return nil
	}
	now := r.clock.Now()
	return r.store.Update(ctx, func(tx *rows.Tx) error {
		nodes, err := r.store.Nodes(tx)
		if err != nil {
			return err
		}
		for _, node := range nodes {
			if !node.Live && !node.Self {
				continue
			}
			if len(node.Keys) == 0 || node.Keys[0] != current {
				return &RefusedError{fmt.Sprintf("the node %s does not use the root key %s yet: try again in a minute", nameOf(node), hex.EncodeToString(current[:]))}
			}
			if wait := settleTime - now.Sub(node.SealsSince); wait > 0 {
				return &RefusedError{fmt.Sprintf("the node %s began to use the root key %s a moment ago: try again in %v", nameOf(node), hex.EncodeToString(current[:]), wait.Round(time.Second))}
			}
		}
		return r.store.ForgetDead(tx)
	})
}
