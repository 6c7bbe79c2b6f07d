//go:build !linux

package disk

import "os"

// DataSync makes the file durable. Unlike a plain fsync, Sync also flushes the
// disk's cache on macOS.
func DataSync(file *os.File) error {
	return file.Sync()
}
