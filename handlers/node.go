package handlers

import (
	"google.golang.org/protobuf/types/known/durationpb"

	hushv1 "hush/gen/hush/v1"
	"hush/vault"
)

func nodeOf(n vault.NodeStatus) *hushv1.Node {
	return &hushv1.Node{
		Number: uint32(n.Number), Name: n.Name, Version: n.Release,
		StartTime: stamp(n.Started), HeartbeatTime: stamp(n.Heartbeat), ClockOffset: durationpb.New(n.Offset),
		Works: each(n.Works, workOf), Responding: n.Self, Live: n.Live,
	}
}

func workOf(w vault.NodeWork) hushv1.NodeWork {
	switch w {
	case vault.NodeSweeps:
		return hushv1.NodeWork_NODE_WORK_SWEEP
	case vault.NodeMails:
		return hushv1.NodeWork_NODE_WORK_MAIL
	case vault.NodeChecks:
		return hushv1.NodeWork_NODE_WORK_DOMAINS
	default:
		return hushv1.NodeWork_NODE_WORK_UNSPECIFIED
	}
}
