//go:build !linux

package process

import "errors"

// DisableCoreDumps does nothing on other systems.
func DisableCoreDumps() {}

// SandboxVersion is 0: there is no sandbox.
func SandboxVersion() int { return 0 }

// CheckSandbox returns that there is no sandbox.
func CheckSandbox(int) error { return errors.New("this system has no Landlock") }

// EnterSandbox does nothing; CheckSandbox has refused it.
func EnterSandbox(Reach) error { return nil }
