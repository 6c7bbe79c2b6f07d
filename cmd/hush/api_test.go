package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

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
