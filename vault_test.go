package hush_test

import (
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hush/testtier"
	"hush/vault/exam"
	"hush/vault/tables"
)

// typedPackage is a package of this module, or of that of the tools, with its types and
// without tests.
type typedPackage struct {
	name  string // path below the root
	fset  *token.FileSet
	files []*ast.File
	info  *types.Info
}

// The types of all packages show what imports cannot: who derives the keys of
// secrets, who gives callers a credential, who owns each bucket, and who says what
// hashing costs.
func TestRulesOfTypes(t *testing.T) {
	testtier.Check(t, "compiles every package and checks its types")
	readFolders(t)
	packages := checkTypes(t)
	t.Run("keys of secrets", func(t *testing.T) { wantKeysDerivedOnce(t, packages) })
	t.Run("credentials", func(t *testing.T) { wantCredentialsMadeOnce(t, packages) })
	t.Run("buckets", func(t *testing.T) { wantBucketsOwned(t, packages) })
	t.Run("costs", func(t *testing.T) { wantRealCosts(t, packages) })
}

// wantKeysDerivedOnce: only one package derives a secret's key, so everything
// that opens a secret is there; another opens what is bound to a claim.
func wantKeysDerivedOnce(t *testing.T, packages []typedPackage) {
	t.Helper()
	allowed := []string{
		"seal", "vault/secret",
		"vault/claim",          // seals and opens what was revealed, for its claim
		"tools/hush/powerloss", // opens what a disk kept after a power cut
	}
	found := map[string]bool{}
	for _, p := range packages {
		if p.uses(module+"/seal", "SecretKeys", "SecretKey") {
			found[p.name] = true
		}
	}
	for name := range found {
		if !slices.Contains(allowed, name) {
			t.Errorf("%s derives the keys of secrets, want it left to vault/secret and vault/claim", name)
		}
	}
	if !found["vault/secret"] {
		t.Error("vault/secret: got no use of seal.SecretKeys, want one, or this test finds nothing")
	}
}

// wantCredentialsMadeOnce: only the package that verifies credentials gives a
// caller one. Callers keep theirs unexported, so this function is the only way.
func wantCredentialsMadeOnce(t *testing.T, packages []typedPackage) {
	t.Helper()
	allowed := []string{
		"vault/session",
		"vault/vaulttest", // only tests import it
	}
	found := map[string]bool{}
	for _, p := range packages {
		if p.uses(module+"/vault/caller", "WithCredential") {
			found[p.name] = true
		}
	}
	for name := range found {
		if !slices.Contains(allowed, name) {
			t.Errorf("%s calls caller.WithCredential, want it left to vault/session", name)
		}
	}
	if !found["vault/session"] {
		t.Error("vault/session: got no call of caller.WithCredential, want one, or this test finds nothing")
	}
}

// wantRealCosts: no command says what hashing a password or a passphrase costs, so
// that the service pays the price of package seal whatever its flags are.
func wantRealCosts(t *testing.T, packages []typedPackage) {
	t.Helper()
	allowed := []string{
		"vault", "vault/password", "vault/secret",
		"vault/vaulttest", "server/servertest", // only tests import them
	}
	found := map[string]bool{}
	for _, p := range packages {
		for _, object := range p.info.Uses {
			if isCost(object) {
				found[p.name] = true
			}
		}
	}
	for name := range found {
		if !slices.Contains(allowed, name) {
			t.Errorf("%s says what hashing costs, want the price of package seal", name)
		}
	}
	for _, name := range allowed {
		if !found[name] {
			t.Errorf("%s: got no use of a cost of hashing, want one, or this test finds nothing", name)
		}
	}
}

// isCost reports whether an object is the field of a vault's options, or of those of
// its parts, that says what hashing costs.
func isCost(object types.Object) bool {
	field, ok := object.(*types.Var)
	if !ok || !field.IsField() || !slices.Contains([]string{"Passwords", "Passphrases", "Cost"}, field.Name()) {
		return false
	}
	params := []string{module + "/seal.PasswordParams", module + "/seal.PassphraseParams"}
	return slices.Contains(params, field.Type().String())
}

// bucketUse is a file that may name buckets of other packages.
type bucketUse struct {
	file    string // below the root, or a folder with a final slash
	buckets string // names of constants, with spaces between; empty for any
	reason  string
}

// allowedBucketUses returns the only uses of a bucket's constant outside its
// owner.
func allowedBucketUses() []bucketUse {
	return []bucketUse{
		{
			"vault/endings.go", "BucketSession BucketToken BucketTicket BucketSpent BucketFeedback BucketException BucketAccount BucketTries BucketDelivery BucketBudget BucketRequest",
			"names the buckets of damaged rows for the log; reads and writes nothing",
		},
		{"vault/secret/sweep.go", "BucketExpiry", "names the bucket of damaged rows for the log; reads and writes nothing"},
		{
			"vault/signup/level.go", "BucketAccount BucketAddress BucketAudit BucketDue BucketOutbox BucketTicket",
			"writes and deletes a row of no account, where a real change writes, so that both cost the same",
		},
		{
			"vault/transfer/", "BucketEpoch BucketSystem",
			"copies a whole store; most buckets it knows by their owners' tables",
		},
		{
			"vault/restoration/inspect.go", "BucketSystem BucketSecret BucketMetadata BucketAccount",
			"checks a whole backup; most buckets it knows by their owners' tables",
		},
		{
			"vault/tables/", "BucketNode BucketShred BucketEpoch BucketSystem BucketUsage",
			"names what no copy takes along; reads and writes nothing",
		},
		{"vault/exam/", "BucketAudit BucketDue BucketNode BucketSystem", "examines the rows of the packages that it imports"},
		{
			"vault/restoration/drop.go", "BucketShred BucketEpoch BucketUsage BucketPending BucketSession BucketTicket BucketOutbox BucketClaim BucketDeadline",
			"says which rows of a backup are not restored, or end afterwards by functions of their owners",
		},
		{
			"vault/account/", "BucketTicket",
			"ends and examines tickets together with the account whose record names them",
		},
		{"tools/hush/powerloss/share.go", "BucketSecret", "reads what a disk kept after a power cut, past the vault"},
		{"tools/hush/powerloss/share.go", "BucketClaim", "the same, of what is bound to a claim"},
		{"vault/vaulttest/", "", "helps tests, which look at every bucket"},
		{"storage/storagetest/", "", "tests any store, with buckets of its own"},
		{"storage/bolt/bolttest/", "", "puts rows of no owner into a folder"},
	}
}

// wantBucketsOwned: only one package names each bucket, and owns it. Others
// call its functions, except for allowedBucketUses.
func wantBucketsOwned(t *testing.T, packages []typedPackage) {
	t.Helper()
	owners := map[string]string{}
	used := map[bucketUse]bool{}
	for _, p := range packages {
		for _, bucket := range p.buckets() {
			if owner, taken := owners[bucket]; taken && owner != p.name {
				t.Errorf("bucket %q is named in %s and in %s, want one owner", bucket, owner, p.name)
			}
			owners[bucket] = p.name
		}
		for _, found := range p.foreignBuckets() {
			allowed := allowanceOf(found)
			used[allowed] = true
			if allowed == (bucketUse{}) {
				t.Errorf("%s: got a use of %s, want a constant of its own or a function of the owner", found.position, found.bucket)
			}
		}
	}
	for _, allowed := range allowedBucketUses() {
		if !used[allowed] {
			t.Errorf("%s: got no use of another package's bucket, want one, or the allowance removed", allowed.file)
		}
	}
	delete(owners, "suite") // of storage/storagetest, for any store
	wantBucketsListed(t, owners, packages)
}

// wantBucketsListed: the list of buckets has every one with an invariant, and the rows of
// the bucket system by their constants, so that a new one is not left out of a copy, an
// examination or a new sealing.
func wantBucketsListed(t *testing.T, owners map[string]string, packages []typedPackage) {
	t.Helper()
	known := tables.Names()
	var examined []string
	for _, i := range tables.Invariants(exam.NewExam(time.Time{}, func(exam.Finding) {})) {
		examined = append(examined, i.Bucket)
	}
	for bucket, owner := range owners {
		if !slices.Contains(known, bucket) || !slices.Contains(examined, bucket) {
			t.Errorf("bucket %q of %s: got a list of buckets without it, want it in the Buckets and the Invariants of its owner, and those in vault/tables", bucket, owner)
		}
	}
	for _, bucket := range known {
		if owners[bucket] == "" {
			t.Errorf("vault/tables: got bucket %q, which no package owns", bucket)
		}
	}
	var named []string
	for _, row := range tables.SystemRows() {
		named = append(named, row.Name)
	}
	for _, p := range packages {
		for _, object := range p.info.Defs {
			c, ok := object.(*types.Const)
			if !ok || !strings.HasPrefix(p.name, "vault") || !strings.HasPrefix(strings.ToLower(c.Name()), "system") || c.Val().Kind() != constant.String {
				continue
			}
			if row := constant.StringVal(c.Val()); !slices.Contains(named, row) {
				t.Errorf("%s: got an examination that does not know the row %q of the bucket system, want it in the SystemRows of its owner", p.name, row)
			}
		}
	}
}

// foreignBucket is a use of a bucket that another package owns.
type foreignBucket struct {
	bucket   string // the constant's name, or a string
	position token.Position
}

// allowanceOf returns the allowance for a use, or an empty one.
func allowanceOf(found foreignBucket) bucketUse {
	for _, allowed := range allowedBucketUses() {
		inFolder := strings.HasSuffix(allowed.file, "/") && strings.HasPrefix(found.position.Filename, allowed.file)
		named := allowed.buckets == "" || slices.Contains(strings.Fields(allowed.buckets), found.bucket)
		if named && (inFolder || found.position.Filename == allowed.file) {
			return allowed
		}
	}
	return bucketUse{}
}

// buckets returns the values of the constants that name buckets here.
func (p typedPackage) buckets() (names []string) {
	for _, object := range p.info.Defs {
		if isBucket(object) {
			names = append(names, constant.StringVal(object.(*types.Const).Val()))
		}
	}
	return names
}

// isBucket reports whether an object is a constant that names a bucket.
func isBucket(object types.Object) bool {
	c, ok := object.(*types.Const)
	return ok && strings.HasPrefix(strings.ToLower(c.Name()), "bucket") && c.Val().Kind() == constant.String
}

// foreignBuckets returns every use of a bucket's constant of another package,
// wherever it stands, and the strings passed to a parameter named bucket.
func (p typedPackage) foreignBuckets() (found []foreignBucket) {
	for id, object := range p.info.Uses {
		if isBucket(object) && object.Pkg().Path() != module+"/"+p.name {
			found = append(found, foreignBucket{object.Name(), p.position(id)})
		}
	}
	for _, file := range p.files {
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				found = append(found, p.spelledBuckets(call)...)
			}
			return true
		})
	}
	return found
}

// spelledBuckets returns the strings that a call passes to parameters named
// bucket.
func (p typedPackage) spelledBuckets(call *ast.CallExpr) (found []foreignBucket) {
	called, ok := p.info.TypeOf(call.Fun).(*types.Signature)
	if !ok {
		return nil
	}
	for i := range min(called.Params().Len(), len(call.Args)) {
		literal, ok := call.Args[i].(*ast.BasicLit)
		if ok && called.Params().At(i).Name() == "bucket" {
			found = append(found, foreignBucket{literal.Value, p.position(literal)})
		}
	}
	return found
}

// position returns where a node stands, with the file's path below the root.
func (p typedPackage) position(n ast.Node) token.Position {
	position := p.fset.Position(n.Pos())
	position.Filename = p.name + "/" + filepath.Base(position.Filename)
	return position
}

// uses reports whether p names an object of another package, or a method of
// that name on its types.
func (p typedPackage) uses(path string, names ...string) bool {
	for _, object := range p.info.Uses {
		if object.Pkg() != nil && object.Pkg().Path() == path && slices.Contains(names, object.Name()) {
			return true
		}
	}
	return false
}

// checkTypes type-checks every package of both modules except generated ones,
// against the compiler's export data of their imports.
func checkTypes(t *testing.T) (packages []typedPackage) {
	t.Helper()
	exports, listed := listExports(t)
	fset := token.NewFileSet()
	imports := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})
	for _, p := range listed {
		c := typedPackage{name: strings.TrimPrefix(p.ImportPath, module+"/"), fset: fset, info: &types.Info{
			Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		}}
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			c.files = append(c.files, file)
		}
		if _, err := (&types.Config{Importer: imports}).Check(p.ImportPath, fset, c.files, c.info); err != nil {
			t.Fatalf("types of %s: %v", p.ImportPath, err)
		}
		packages = append(packages, c)
	}
	return packages
}

// listedPackage is a package in the output of go list.
type listedPackage struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

// listExports returns the files with each package's export data, and the packages of both
// modules that are not generated.
func listExports(t *testing.T) (exports map[string]string, ours []listedPackage) {
	t.Helper()
	exports = map[string]string{}
	for _, folder := range moduleFolders() {
		listed, err := listModule[listedPackage](folder, "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles")
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range listed {
			if _, known := exports[p.ImportPath]; known {
				continue // what both modules use has the same types in both
			}
			exports[p.ImportPath] = p.Export
			name, below := strings.CutPrefix(p.ImportPath, module+"/")
			if below && !strings.HasPrefix(name, "gen/") && len(p.GoFiles) > 0 {
				ours = append(ours, p)
			}
		}
	}
	return exports, ours
}
