package hush_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// sameWork are the methods of stores, transactions and shares that do the same in
// several ways. A wrapper that embeds one of these and declares one method of a row must
// declare all: those that it embeds go past it. A row of needs is one-sided: a wrapper that
// declares its first method must declare the others.
var sameWork = map[string]struct{ rows, needs [][]string }{
	"Store": {
		rows:  [][]string{{"Update", "UpdateReserved"}},
		needs: [][]string{{"Now", "Clock"}, {"Notify", "Notifier"}, {"Listen", "Notifier"}},
	},
	"Tx": {
		rows:  [][]string{{"Get", "GetMany", "Same"}},
		needs: [][]string{{"Get", "Change"}, {"Put", "Change"}},
	},
	"Shares": {
		rows:  [][]string{{"Put", "PutMany"}},
		needs: [][]string{{"Release", "Recycler"}, {"Touch", "Recycler"}, {"Used", "Recycler"}, {"Reclaim", "Recycler"}},
	},
}

// Nothing that wraps a store changes what one method does and not what the others do that
// do the same.
func TestStoreWrappersAreWhole(t *testing.T) {
	readFolders(t)
	packages := map[string]*storeWrappers{}
	for _, name := range moduleFiles(t) {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(source), `"hush/storage`) && !strings.HasPrefix(name, "storage/") {
			continue
		}
		folder := path.Dir(name)
		if packages[folder] == nil {
			packages[folder] = newStoreWrappers()
		}
		packages[folder].add(t, name, string(source))
	}
	found := 0
	for _, folder := range slices.Sorted(maps.Keys(packages)) {
		found += len(packages[folder].wraps)
		for _, fault := range packages[folder].faults() {
			t.Errorf("%s: %s", folder, fault)
		}
	}
	if found == 0 {
		t.Error("got no type that embeds a store, a transaction or shares, want some")
	}
}

// The check must be able to fail.
func TestHalfStoreWrappersAreNamed(t *testing.T) {
	w := newStoreWrappers()
	w.add(t, "half.go", `package half
type half struct{ storage.Store }
func (h *half) Update() {}
type whole struct{ storage.Store }
func (w whole) Update() {}
func (w whole) UpdateReserved() {}
type reserved struct{ storage.Store }
func (reserved) UpdateReserved() {}
type reader struct { *memory.Tx; n int }
func (reader) Get() {}
func (reader) Same() {}
type comparer struct { storage.Tx }
func (comparer) Same() {}
type changer struct { storage.Tx }
func (changer) Change() {}
type filler struct { storage.Shares }
func (filler) PutMany() {}
type holder struct { shares storage.Shares }
func (holder) Put() {}`)
	want := []string{
		"comparer declares Same and not Get, GetMany",
		"filler declares PutMany and not Put",
		"half declares Update and not UpdateReserved",
		"reader declares Get and not GetMany", "reader declares Get and not Change",
		"reserved declares UpdateReserved and not Update",
	}
	if got := w.faults(); !slices.Equal(got, want) {
		t.Errorf("faults(): got %q, want %q", got, want)
	}
}

// storeWrappers are the types of a folder that embed a store, a transaction or shares.
type storeWrappers struct {
	wraps   map[string]string          // what a type embeds, as in sameWork
	methods map[string]map[string]bool // of every type
}

func newStoreWrappers() *storeWrappers {
	return &storeWrappers{wraps: map[string]string{}, methods: map[string]map[string]bool{}}
}

// add adds the types and methods of a file.
func (w *storeWrappers) add(t *testing.T, name, source string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.TypeSpec:
			if kind := wrappedKind(n); kind != "" {
				w.wraps[n.Name.Name] = kind
			}
		case *ast.FuncDecl:
			if n.Recv != nil {
				w.addMethod(typeName(n.Recv.List[0].Type), n.Name.Name)
			}
		}
		return true
	})
}

func (w *storeWrappers) addMethod(of, name string) {
	if w.methods[of] == nil {
		w.methods[of] = map[string]bool{}
	}
	w.methods[of][name] = true
}

// faults names the wrappers that are not whole.
func (w *storeWrappers) faults() (faults []string) {
	for _, name := range slices.Sorted(maps.Keys(w.wraps)) {
		work, declares := sameWork[w.wraps[name]], func(method string) bool { return w.methods[name][method] }
		for _, row := range work.rows {
			missing := slices.DeleteFunc(slices.Clone(row), declares)
			if first := slices.IndexFunc(row, declares); first >= 0 && len(missing) > 0 {
				faults = append(faults, fmt.Sprintf("%s declares %s and not %s", name, row[first], strings.Join(missing, ", ")))
			}
		}
		for _, row := range work.needs {
			missing := slices.DeleteFunc(slices.Clone(row[1:]), declares)
			if declares(row[0]) && len(missing) > 0 {
				faults = append(faults, fmt.Sprintf("%s declares %s and not %s", name, row[0], strings.Join(missing, ", ")))
			}
		}
	}
	return faults
}

// wrappedKind returns which kind of sameWork a struct embeds from another package, ""
// for none.
func wrappedKind(spec *ast.TypeSpec) string {
	body, ok := spec.Type.(*ast.StructType)
	if !ok {
		return ""
	}
	for _, field := range body.Fields.List {
		embedded := field.Type
		if star, ok := embedded.(*ast.StarExpr); ok {
			embedded = star.X
		}
		from, ok := embedded.(*ast.SelectorExpr)
		if ok && len(field.Names) == 0 {
			if _, wrapped := sameWork[from.Sel.Name]; wrapped {
				return from.Sel.Name
			}
		}
	}
	return ""
}

// typeName returns the name of a receiver's type.
func typeName(receiver ast.Expr) string {
	switch of := receiver.(type) {
	case *ast.StarExpr:
		return typeName(of.X)
	case *ast.IndexExpr:
		return typeName(of.X)
	case *ast.Ident:
		return of.Name
	}
	return ""
}
