package main

import (
	"context"

	"hush/routes"
)

// routes prints the routing table.
func (p program) routes(_ context.Context, args []string) error {
	if _, err := p.parse("routes", "", args); err != nil {
		return err
	}
	return routes.Print(p.stdout)
}
