package vault

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"hush/vault/cluster"
	"hush/vault/rows"
	"hush/vault/shares"
)

// leaveTimeout bounds how long Close waits to leave a store that does not
// answer. Other nodes take over anyway, only later.
const leaveTimeout = 5 * time.Second

type (
	// NodeStatus is a node as the operator sees it.
	NodeStatus = cluster.NodeStatus
	// NodeWork is work that one node at a time does.
	NodeWork = cluster.Work
)

// The kinds of work.
const (
	NodeSweeps = cluster.WorkSweep
	NodeMails  = cluster.WorkMail
	NodeChecks = cluster.WorkRecheck
)

// ErrNodeRequired reports that a store which others may share was opened as if
// it were this process's alone.
var ErrNodeRequired = errors.New("vault: this store may be shared, so the vault must be a node")

// join makes this process a node of a shared store, and upgrades a store of its
// own.
func (v *Vault) join(ctx context.Context, opts Options) (err error) {
	if opts.Node == nil {
		if opts.Store.Clock() != nil {
			return ErrNodeRequired
		}
		return upgrade(ctx, v.store, opts.Shares, v.log)
	}
	node := *opts.Node
	node.Keys = v.keys
	if opts.KeyFile != nil {
		node.Refresh = func() { opts.KeyFile.Refresh(v.keys) }
	}
	v.store, err = cluster.Join(ctx, v.store, v.clock, v.log, node)
	return err
}

// Beat sends one heartbeat of the node, as the vault does every few seconds
// unless it is Manual. On a store of its own it does nothing.
func (v *Vault) Beat(ctx context.Context) error {
	if node := v.store.Node(); node != nil {
		return node.Beat(ctx)
	}
	return nil
}

// Nodes returns the nodes that share the store, with the ages of their
// heartbeats, by number; none if the store is this process's alone. It is for
// metrics and for what watches the process; callers get it by GetIndex.
func (v *Vault) Nodes(ctx context.Context) (nodes []NodeStatus, err error) {
	err = v.store.View(ctx, func(tx *rows.Tx) error {
		nodes, err = v.store.Nodes(tx)
		return err
	})
	return nodes, err
}

// leave frees what a node of a shared store holds.
func leave(node *cluster.Node, unused *shares.Shares, log *slog.Logger) {
	if node == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), leaveTimeout)
	defer cancel()
	if err := unused.Close(ctx); err != nil {
		log.Warn("the unused shares of this node stay in the store", "cause", err)
	}
	if err := node.Leave(ctx); err != nil {
		log.Warn("leaving the store; other nodes will wait for a while", "cause", err)
	}
}
