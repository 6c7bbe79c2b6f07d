//go:build !linux

package main

import "os"

// hideTyping does not know how, so that passwords come from files only.
func hideTyping(*os.File) (show func(), ok bool) { return nil, false }
