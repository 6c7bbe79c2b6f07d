//go:build !linux

package main
