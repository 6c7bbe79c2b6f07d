package admin

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hush/cli/command"
	"hush/cli/console"
	adminv1 "hush/gen/hush/admin/v1"
	"hush/gen/hush/admin/v1/adminv1connect"
	"hush/server/settings"
	"hush/vault/place"
)

// command returns "hush admin place".
func (a places) command() *cobra.Command {
	return command.Group(&cobra.Command{
		Use: "place", Short: "import, list and remove places for TestName.Lookup",
		Long: "Import, list and remove the places that TestName.Lookup finds." + serviceHelp,
		Example: `# Import places, and list them
hush admin place import places.csv
hush admin place list`,
	}, a.importCommand(), a.listCommand(), a.removeCommand())
}

func (a places) importCommand() *cobra.Command {
	var replace bool
	c := &cobra.Command{
		Use: "import FILE.csv|-", Short: "import places from a CSV file", Args: command.Takes(1, 1), ValidArgsFunction: command.CompleteFiles,
		Long: `Import places from a CSV file, or from standard input if the file is "-".

The file has a header line and the columns name, latitude (degrees) and altitude
(metres).` + serviceHelp,
		Example: `# Replace the imported places by those of a file
hush admin place import --replace places.csv`,
	}
	s := settings.AddExisting(c, serviceFlags()...)
	c.Flags().BoolVar(&replace, "replace", false, "remove all imported places first")
	c.RunE = func(c *cobra.Command, args []string) error { return a.importFile(c.Context(), s, args[0], replace) }
	return c
}

func (a places) importFile(ctx context.Context, s *settings.Settings, name string, replace bool) error {
	request := &adminv1.ImportPlacesRequest{Replace: replace}
	file, done, err := a.Open(ctx, name)
	if err != nil {
		return err
	}
	defer done()
	places, err := readPlaces(file)
	if err != nil {
		return notImported(name, err)
	}
	for _, place := range places {
		request.Places = append(request.Places, &adminv1.Place{Name: place.Name, Latitude: place.Latitude, Altitude: place.Altitude})
	}
	err = a.withNewService(ctx, s, func(ctx context.Context, admin adminv1connect.AdminServiceClient) error {
		_, err := admin.ImportPlaces(ctx, request)
		return err
	})
	if err != nil {
		return err
	}
	a.Tellf("imported %s", console.Count(len(places), "places"))
	return nil
}

func (a places) listCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "list", Short: "list all places", Args: command.Takes(0, 0),
		Example: `# List the places
hush admin place list`,
	}
	s := settings.AddExisting(c, serviceFlags()...)
	c.RunE = func(c *cobra.Command, _ []string) error { return a.list(c.Context(), s) }
	return c
}

func (a places) list(ctx context.Context, s *settings.Settings) error {
	var rows [][]string
	err := a.withService(ctx, s, func(ctx context.Context, admin adminv1connect.AdminServiceClient) error {
		list, err := admin.ListPlaces(ctx, &adminv1.ListPlacesRequest{})
		rows = placeRows(list.GetPlaces())
		return err
	})
	if err != nil {
		return err
	}
	return a.Table("NAME,LATITUDE,ALTITUDE,SOURCE", rows)
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

func (a places) removeCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "remove NAME", Short: "remove an imported place", Args: command.Takes(1, 1),
		Example: `# Remove a place
hush admin place remove Zugspitze`,
	}
	s := settings.AddExisting(c, serviceFlags()...)
	c.RunE = func(c *cobra.Command, args []string) error {
		return a.withService(c.Context(), s, func(ctx context.Context, admin adminv1connect.AdminServiceClient) error {
			_, err := admin.RemovePlace(ctx, &adminv1.RemovePlaceRequest{Name: args[0]})
			return orNotFound(err, "no imported place is called %q", args[0])
		})
	}
	return c
}

// readPlaces reads a table with a header line and the columns name, latitude
// and altitude in any order. Its errors name the line.
func readPlaces(file io.Reader) ([]place.Place, error) {
	var places []place.Place
	lines := map[string]int{}
	err := readTable(file, []string{"name", "latitude", "altitude"}, nil, func(row []string, columns []int, line int) error {
		place, err := readPlace(row, columns)
		if err != nil {
			return err
		}
		if first, twice := lines[place.Key()]; twice {
			return fmt.Errorf("%q stands in line %d already", place.Name, first)
		}
		lines[place.Key()] = line
		places = append(places, place)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return places, nil
}

func readPlace(row []string, columns []int) (place place.Place, err error) {
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
