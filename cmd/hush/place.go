package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"

	adminv1 "hush/gen/hush/admin/v1"
	"hush/gen/hush/admin/v1/adminv1connect"
	"hush/vault"
)

// place keeps the table behind TestName.Lookup.
func (p program) place(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return usage("place: import FILE.csv, list or remove NAME")
	}
	switch args[0] {
	case "import":
		return p.importPlaces(ctx, args[1:])
	case "list":
		return p.listPlaces(ctx, args[1:])
	case "remove":
		return p.removePlace(ctx, args[1:])
	case "--help", "-help", "-h", "help":
		fmt.Fprint(p.stdout, "Usage: hush place import [--replace] FILE.csv\n       hush place list\n       hush place remove NAME\n\n"+
			"FILE.csv has a header line and the columns name, latitude (degrees) and altitude (metres); - reads standard input.\n")
		return nil
	default:
		return usage("place: unknown word %q; there are import, list and remove", args[0])
	}
}

func (p program) importPlaces(ctx context.Context, args []string) error {
	request := &adminv1.ImportPlacesRequest{}
	s, err := p.parseForm(form{
		name: "place import", arguments: "[--replace] FILE.csv", least: 1, most: 1, flags: adminFlags(),
		own: func(set *flag.FlagSet) { set.BoolVar(&request.Replace, "replace", false, "empty the table first") },
	}, args)
	if err != nil {
		return err
	}
	file, done, err := p.open(s.rest[0])
	if err != nil {
		return err
	}
	defer done()
	places, err := readPlaces(file)
	if err != nil {
		return fmt.Errorf("%s: %w; nothing was imported", s.rest[0], err)
	}
	for _, place := range places {
		request.Places = append(request.Places, &adminv1.Place{Name: place.Name, Latitude: place.Latitude, Altitude: place.Altitude})
	}
	err = p.withAdmin(ctx, &s.settings, func(ctx context.Context, admin adminv1connect.AdminServiceClient) error {
		_, err := admin.ImportPlaces(ctx, request)
		return err
	})
	if err != nil {
		return err
	}
	p.tellf("imported %d places", len(places))
	return nil
}

func (p program) listPlaces(ctx context.Context, args []string) error {
	s, err := p.parseForm(form{name: "place list", flags: adminFlags()}, args)
	if err != nil {
		return err
	}
	var rows [][]string
	err = p.withAdmin(ctx, &s.settings, func(ctx context.Context, admin adminv1connect.AdminServiceClient) error {
		list, err := admin.ListPlaces(ctx, &adminv1.ListPlacesRequest{})
		rows = placeRows(list.GetPlaces())
		return err
	})
	if err != nil {
		return err
	}
	return p.table("NAME,LATITUDE,ALTITUDE,SOURCE", rows)
}

func placeRows(places []*adminv1.Place) [][]string {
	rows := make([][]string, len(places))
	for i, place := range places {
		source := "imported"
		if place.GetBuiltIn() {
			source = "built in"
		}
		rows[i] = []string{place.GetName(), showNumber(place.GetLatitude()), showNumber(place.GetAltitude()), source}
	}
	return rows
}

func showNumber(n float64) string { return strconv.FormatFloat(n, 'g', -1, 64) }

func (p program) removePlace(ctx context.Context, args []string) error {
	s, err := p.parseForm(form{name: "place remove", arguments: "NAME", least: 1, most: 1, flags: adminFlags()}, args)
	if err != nil {
		return err
	}
	return p.withAdmin(ctx, &s.settings, func(ctx context.Context, admin adminv1connect.AdminServiceClient) error {
		_, err := admin.RemovePlace(ctx, &adminv1.RemovePlaceRequest{Name: s.rest[0]})
		return named(err, "no imported place is called %q", s.rest[0])
	})
}

// readPlaces reads a table with a header line and the columns name, latitude
// and altitude in any order. Its errors name the line.
func readPlaces(file io.Reader) ([]vault.Place, error) {
	table, columns, err := openTable(file, []string{"name", "latitude", "altitude"})
	if err != nil {
		return nil, err
	}
	var places []vault.Place
	lines := map[string]int{}
	for {
		row, err := table.Read()
		if errors.Is(err, io.EOF) {
			return places, nil
		}
		if err != nil {
			return nil, describeCSV(err)
		}
		line, _ := table.FieldPos(0)
		place, err := readPlace(row, columns)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		if first, twice := lines[place.Key()]; twice {
			return nil, fmt.Errorf("line %d: %q stands in line %d already", line, place.Name, first)
		}
		lines[place.Key()] = line
		places = append(places, place)
	}
}

func readPlace(row []string, columns []int) (place vault.Place, err error) {
	place.Name = strings.TrimSpace(row[columns[0]])
	if place.Latitude, err = readNumber("latitude", row[columns[1]]); err != nil {
		return place, err
	}
	if place.Altitude, err = readNumber("altitude", row[columns[2]]); err != nil {
		return place, err
	}
	return place, place.Check()
}

func readNumber(column, text string) (float64, error) {
	number, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil {
		return 0, fmt.Errorf("%s %q is not a number", column, text)
	}
	return number, nil
}
