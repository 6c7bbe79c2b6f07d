package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// hideTyping keeps a terminal from showing what is typed until show. It is not
// ok for what is no terminal.
func hideTyping(terminal *os.File) (show func(), ok bool) {
	fd := int(terminal.Fd())
	before, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		return nil, false
	}
	hidden := *before
	hidden.Lflag &^= unix.ECHO
	if err := unix.IoctlSetTermios(fd, unix.TCSETS, &hidden); err != nil {
		return nil, false
	}
	return func() { _ = unix.IoctlSetTermios(fd, unix.TCSETS, before) }, true
}
