package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	adminv1 "hush/gen/hush/admin/v1"
	"hush/handlers"
	"hush/mail/mailtest"
	"hush/resolver/resolvertest"
	"hush/routes"
	"hush/routes/apitest"
	"hush/routes/params"
	"hush/server/servertest"
)

const apiDoc = "../../docs/api.md"

var updateAPI = flag.Bool("api.update", false, "write the table of operations in docs/api.md anew")

// TestAPIDoc runs the commands of docs/api.md one after the other, in one
// conversation with one server that sends mail and asks DNS, and compares what
// they print.
func TestAPIDoc(t *testing.T) {
	t.Parallel()
	needCurl(t)
	r := newReader(t)
	sessions := consoleSessions(t, apiDoc)
	if len(sessions) < 100 {
		t.Fatalf("%s: got %d commands, want 100 or more", apiDoc, len(sessions))
	}
	c := &transcript{
		url: r.server.URL, dir: r.dir, environment: r.environment(t), known: map[string]string{},
		fill: func(t *testing.T, s dialogue) string { return r.fill(t, s.command) }, learn: r.learn,
	}
	r.known = c.known
	for _, session := range sessions {
		c.run(t, session)
	}
}

// Whatever is served is in the document, so that nothing new comes without.
func TestAPIDocIsComplete(t *testing.T) {
	t.Parallel()
	doc := readAPIDoc(t)
	api, err := handlers.Described()
	if err != nil {
		t.Fatalf("Described(): got %v, want the services", err)
	}
	for _, row := range routes.Table(api) {
		switch {
		case row.Method != "*":
			doc.wantRow(t, row)
		case row.Operation == "service":
			doc.want(t, doc.text, strings.TrimPrefix(row.Path, "/"))
		default:
			doc.wantProcedure(t, row)
		}
	}
	for _, endpoint := range routes.Endpoints(api) {
		doc.wantParams(t, endpoint)
	}
	services := adminv1.File_hush_admin_v1_admin_service_proto.Services()
	for i := range services.Len() {
		methods := services.Get(i).Methods()
		for j := range methods.Len() {
			doc.want(t, doc.text, string(methods.Get(j).Name()))
		}
	}
}

// The table of operations has those of the contract. `make generate` writes it.
func TestTableOfOperations(t *testing.T) {
	const begin, end = "| service | methods |\n|---|---|\n", "<!-- end -->"
	doc := readAPIDoc(t)
	head, rest, found := strings.Cut(doc.text, begin)
	got, tail, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s: got no table between %q and %q, want one", apiDoc, begin, end)
	}
	want := operationRows(t, doc)
	if *updateAPI {
		if err := os.WriteFile(apiDoc, []byte(head+begin+want+end+tail), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: the table of operations is stale, run make generate (-want +got):\n%s", apiDoc, diff)
	}
}

// operationRows returns the rows of the table: services in the order of the document, each
// with its methods by name.
func operationRows(t *testing.T, doc document) string {
	t.Helper()
	api, err := handlers.Described()
	if err != nil {
		t.Fatalf("Described(): got %v, want the services", err)
	}
	methods := map[string][]string{}
	for _, row := range routes.Table(api) {
		if row.Method != "*" || row.Operation == "service" {
			continue
		}
		service, _, _ := strings.Cut(strings.TrimPrefix(row.Path, "/"), "/")
		name := service[strings.LastIndex(service, ".")+1:]
		methods[name] = append(methods[name], fmt.Sprintf("[%s](#%s)", row.Operation, strings.ToLower(row.Operation)))
	}
	place := func(name string) int { return strings.Index(doc.text, "\n## "+name+"\n") }
	var rows strings.Builder
	for _, name := range slices.SortedFunc(maps.Keys(methods), func(a, b string) int { return place(a) - place(b) }) {
		if place(name) < 0 {
			t.Errorf("%s: got no section %s, want one", apiDoc, name)
		}
		fmt.Fprintf(&rows, "| [%s](#%s) | %s |\n", name, strings.ToLower(name), strings.Join(methods[name], ", "))
	}
	return rows.String()
}

// What the document says is served, is.
func TestAPIDocNamesRoutes(t *testing.T) {
	t.Parallel()
	api, err := handlers.Described()
	if err != nil {
		t.Fatalf("Described(): got %v, want the services", err)
	}
	served := map[string]bool{}
	for _, row := range routes.Table(api) {
		served[row.Method+" "+row.Path] = true
	}
	named := regexp.MustCompile("`((?:GET|POST|PUT|PATCH|DELETE|OPTIONS) /[^`]*)`").FindAllStringSubmatch(readAPIDoc(t).text, -1)
	for _, m := range named {
		if !served[m[1]] && !served[strings.Replace(m[1], "/manifest.webmanifest", "/{file}", 1)] {
			t.Errorf("%s: got `%s`, which is not served", apiDoc, m[1])
		}
	}
	if len(named) < 100 {
		t.Errorf("%s: got %d routes, want 100 or more, or this test finds nothing", apiDoc, len(named))
	}
}

// document is docs/api.md, whole and by the names of its operations.
type document struct {
	text     string
	sections map[string]string
}

func readAPIDoc(t *testing.T) document {
	t.Helper()
	content, err := os.ReadFile(apiDoc)
	if err != nil {
		t.Fatalf("ReadFile(%s): got %v, want the document", apiDoc, err)
	}
	doc := document{string(content), map[string]string{}}
	for _, part := range strings.Split(doc.text, "\n### ")[1:] {
		name, section, _ := strings.Cut(part, "\n")
		section, _, _ = strings.Cut(section, "\n## ")
		doc.sections[name] = section
	}
	return doc
}

// want fails the test unless a part of the document names something.
func (d document) want(t *testing.T, part, name string) {
	t.Helper()
	if !strings.Contains(part, "`"+name+"`") {
		t.Errorf("%s: got no `%s` where it belongs, want all that is served", apiDoc, name)
	}
}

// wantRow looks for a legacy route or a page, in the section of each operation
// that it leads to.
func (d document) wantRow(t *testing.T, row routes.Row) {
	t.Helper()
	for operation := range strings.SplitSeq(row.Operation, " or ") {
		part, found := d.sections[operation]
		if !found { // what is no RPC
			part = d.text
		}
		d.want(t, part, row.Method+" "+row.Path)
	}
}

// wantParams looks for the parameters of a legacy route, in the sections of the operations
// that it leads to.
func (d document) wantParams(t *testing.T, endpoint routes.Endpoint) {
	t.Helper()
	var parts string
	for operation := range strings.SplitSeq(endpoint.Operation, " or ") {
		parts += d.sections[operation]
	}
	for _, p := range endpoint.Params {
		if endpoint.Version != "" && p.In != "path" && p.Name != params.AnyName {
			d.want(t, parts, p.Name)
		}
	}
}

// wantProcedure looks for an RPC, the fields of its request, and a command
// that calls it.
func (d document) wantProcedure(t *testing.T, row routes.Row) {
	t.Helper()
	section := d.sections[row.Operation]
	procedure := strings.TrimPrefix(row.Path, "/")
	d.want(t, section, procedure)
	if !strings.Contains(section, shownURL+row.Path+"\n") {
		t.Errorf("%s: got no command that calls %s, want one", apiDoc, procedure)
	}
	found, err := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName(strings.ReplaceAll(procedure, "/", ".")))
	if err != nil {
		t.Fatalf("FindDescriptorByName(%s): got %v, want the method", procedure, err)
	}
	method, _ := found.(protoreflect.MethodDescriptor)
	for i := range method.Input().Fields().Len() {
		d.want(t, section, method.Input().Fields().Get(i).JSONName())
	}
}

// reader follows the document: it opens mails, sets DNS records and solves
// challenges.
type reader struct {
	server *servertest.Server
	mails  *mailtest.Server
	dns    *resolvertest.Server
	dir    string // where commands run
	known  map[string]string
	opened map[string]bool // links of mails
	device device
}

func newReader(t *testing.T) *reader {
	t.Helper()
	r := &reader{mails: mailtest.New(t), dns: resolvertest.New(t), dir: t.TempDir(), opened: map[string]bool{}, device: newDevice(t, "hello")}
	r.server = servertest.Start(t, append(servertest.Services(t, r.mails, r.dns), "--rate-limits=off")...)
	return r
}

func (r *reader) environment(t *testing.T) []string {
	t.Helper()
	return []string{"HUSH_DATA=" + r.server.Data, selfAsHush(t)}
}

// selfAsHush returns a PATH with a command "hush" that is this very program.
func selfAsHush(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Skip("needs executable: " + err.Error())
	}
	bin := t.TempDir()
	script := "#!/bin/sh\n" + servertest.AsProgram + `=1 exec "` + self + "\" \"$@\"\n"
	if err := os.WriteFile(filepath.Join(bin, "hush"), []byte(script), 0o700); err != nil {
		t.Fatalf("WriteFile: got %v, want nil", err)
	}
	return "PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH")
}

var mailedToken = regexp.MustCompile(`<(verify|reset|confirm)-token>`)

// fill puts in what only a mail, or some work, brings.
func (r *reader) fill(t *testing.T, command string) string {
	t.Helper()
	if m := mailedToken.FindStringSubmatch(command); m != nil {
		command = strings.ReplaceAll(command, m[0], r.open(t, m[1]))
	}
	if strings.Contains(command, "<solution>") {
		command = strings.ReplaceAll(command, "<solution>", apitest.Solve(t, r.known["<challenge>"], r.known["<salt>"], r.known["<signature>"]))
	}
	if strings.Contains(command, "<verdict>") {
		command = strings.ReplaceAll(command, "<verdict>", apitest.Judge(t, "message", "hello"))
	}
	if strings.HasPrefix(command, "go tool ") { // one of the project's, in its folder
		root, err := filepath.Abs("../..")
		if err != nil {
			t.Fatal(err)
		}
		command = "cd '" + root + "' && " + command
	}
	return r.device.fill(command)
}

// open waits for a mail with a link to a page that was not opened yet, and
// returns the token of the link.
func (r *reader) open(t *testing.T, page string) (token string) {
	t.Helper()
	link := regexp.MustCompile(regexp.QuoteMeta(r.server.URL+"/"+page+"/") + `(\w+)`)
	servertest.WaitUntil(t, "a mail with a link to /"+page, func() bool {
		for _, m := range r.mails.Messages() {
			found := link.FindStringSubmatch(m.Text())
			if found == nil || r.opened[found[1]] {
				continue
			}
			token = found[1]
			r.opened[token] = true
			return true
		}
		return false
	})
	return token
}

// learn sets the DNS records that an answer asks for, and keeps API tokens.
func (r *reader) learn(command, answer string) {
	if value := r.known["<txtValidationValue>"]; strings.Contains(answer, value) && value != "" {
		r.dns.SetTXT(r.known["<txtValidationHost>"]+"."+r.known["<baseDomain>"], value)
	}
	if value := r.known["<txt_validation_value>"]; strings.Contains(answer, value) && value != "" {
		r.dns.SetTXT(r.known["<txt_validation_host>"]+"."+r.known["<base_domain>"], value)
	}
	if _, address, found := strings.Cut(command, "hush admin token create "); found {
		name, _, _ := strings.Cut(address, "@")
		r.known["<"+name+"-token>"] = answer
	}
}
