package main

import (
	"context"

	"hush/handlers"
	"hush/routes"
)

// routes prints the routing table: the legacy rows, the RPCs and the pages.
func (p program) routes(_ context.Context, args []string) error {
	if _, err := p.parse("routes", "", args); err != nil {
		return err
	}
	mounts, err := handlers.Listed()
	if err != nil {
		return err
	}
	return routes.WriteTable(p.stdout, routes.Table(&handlers.API{Mounts: mounts}))
}
