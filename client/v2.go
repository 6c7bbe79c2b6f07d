package client

// newV2 returns the backend that speaks v2.
func newV2(*Client) backend { panic("to be written") }
