package sharefile

import "errors"

// ErrMismatch: a file is not a shares file, or is truncated or damaged in its header, or
// it does not belong to its database.
var ErrMismatch = errors.New("bolt: files do not match")
