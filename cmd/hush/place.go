package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

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
	replace := slices.Contains(args, "--replace")
	args = slices.DeleteFunc(slices.Clone(args), func(a string) bool { return a == "--replace" })
	return p.withPlaces("place import", "[--replace] FILE.csv", args, 1, func(places vault.Places, rest []string) error {
		file := p.stdin
		if rest[0] != "-" {
			opened, err := os.Open(rest[0])
			if err != nil {
				return err
			}
			defer opened.Close()
			file = opened
		}
		read, err := readPlaces(file)
		if err != nil {
			return fmt.Errorf("%s: %w; nothing was imported", rest[0], err)
		}
		if err := places.Import(ctx, read, replace); err != nil {
			return err
		}
		fmt.Fprintf(p.stderr, "hush: imported %d places\n", len(read))
		return nil
	})
}

func (p program) listPlaces(ctx context.Context, args []string) error {
	return p.withPlaces("place list", "", args, 0, func(places vault.Places, _ []string) error {
		list, err := places.List(ctx)
		if err != nil {
			return err
		}
		out := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(out, "NAME\tLATITUDE\tALTITUDE\tSOURCE")
		for _, place := range list {
			source := "imported"
			if place.BuiltIn {
				source = "built in"
			}
			fmt.Fprintf(out, "%s\t%g\t%g\t%s\n", place.Name, place.Latitude, place.Altitude, source)
		}
		return out.Flush()
	})
}

func (p program) removePlace(ctx context.Context, args []string) error {
	return p.withPlaces("place remove", "NAME", args, 1, func(places vault.Places, rest []string) error {
		err := places.Remove(ctx, rest[0])
		if errors.Is(err, vault.ErrNotFound) {
			return fmt.Errorf("no imported place is called %q", rest[0])
		}
		return err
	})
}

// withPlaces parses, opens the data folder and runs work on its table.
func (p program) withPlaces(name, arguments string, args []string, want int, work func(vault.Places, []string) error) (err error) {
	s, err := p.parse(name, arguments, args, "data", "root-key-file")
	if err != nil {
		return err
	}
	if len(s.rest) != want {
		return usage("%s: expected %d argument, got %d", name, want, len(s.rest))
	}
	d, err := openData(&s.settings, p, s.logger(p))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	return work(vault.NewPlaces(d.store), s.rest)
}

// readPlaces reads a table with a header line and the columns name, latitude
// and altitude in any order. Its errors name the line.
func readPlaces(file io.Reader) ([]vault.Place, error) {
	table := csv.NewReader(file)
	table.TrimLeadingSpace = true
	header, err := table.Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("line 1: the header line is missing")
	}
	if err != nil {
		return nil, describeCSV(err)
	}
	columns, err := findColumns(header)
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

// findColumns returns where name, latitude and altitude stand.
func findColumns(header []string) (columns [3]int, err error) {
	for i, want := range []string{"name", "latitude", "altitude"} {
		columns[i] = slices.IndexFunc(header, func(title string) bool {
			return strings.EqualFold(strings.TrimSpace(strings.TrimPrefix(title, "\ufeff")), want)
		})
		if columns[i] < 0 {
			return columns, fmt.Errorf("line 1: the header has no column %q", want)
		}
	}
	return columns, nil
}

func readPlace(row []string, columns [3]int) (place vault.Place, err error) {
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

// describeCSV puts the parser's error in the form of the others.
func describeCSV(err error) error {
	if parse, ok := errors.AsType[*csv.ParseError](err); ok {
		return fmt.Errorf("line %d: %w", parse.Line, parse.Err)
	}
	return err
}
