package sharefile

import "errors"

// ErrMismatch reports that a file is not a shares file, or is truncated or damaged in its
// header, or that it does not belong to its database.
var ErrMismatch = errors.New("bolt: files do not match")
