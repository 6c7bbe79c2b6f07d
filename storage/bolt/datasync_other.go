//go:build !linux

package bolt

import "os"

// dataSync makes the file durable. Unlike a plain fsync, Sync also flushes the
// disk's cache on macOS.
func dataSync(file *os.File) error {
	return file.Sync()
}
