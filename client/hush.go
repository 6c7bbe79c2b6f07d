package client

// newHush returns the backend that speaks to Hush.
func newHush(*Client) backend { panic("to be written") }
