package client

import (
	"time"
)

// Stage is what a call is doing.
type Stage int

// The stages of a call that takes a while.
const (
	// StageOver: the call has ended.
	StageOver Stage = iota
	// StageEncrypting: this device encrypts the content. Its size is not counted.
	StageEncrypting
	// StageSending: the content is on its way to the server.
	StageSending
	// StageReceiving: the content is on its way here.
	StageReceiving
	// StageSendingFile and StageFetchingFile: a file is on its way, in parts.
	StageSendingFile
	StageFetchingFile
)

// Progress is how far a call is.
type Progress struct {
	Stage Stage
	// Done and Total are bytes of a request or of an answer, with all that is around
	// the content. Total is 0 where it is not known.
	Done, Total int64
	// Waiting is why nothing moves at the moment, for the stages of files; nil if something
	// moves. Their Done never falls.
	Waiting error
}

// quietMax is how long a server may say nothing while an answer arrives, or take
// nothing of a request: not how long all of it may take.
const quietMax = 20 * time.Second
