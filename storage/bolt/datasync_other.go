//go:build !linux

package bolt

import "os"

// dataSync makes the file durable. Sync also asks the disk to empty its own
// cache where a plain fsync would not (macOS).
func dataSync(file *os.File) error {
	return file.Sync()
}
