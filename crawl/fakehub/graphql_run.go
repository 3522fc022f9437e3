package fakehub

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// execution is one query being answered. The query has been validated against the schema.
type execution struct {
	index     *index
	schema    *ast.Schema
	operation *ast.OperationDefinition
	variables map[string]any
	spent     usage
	partial   bool   // some repositories fail as if GitHub had
	salt      string // decides which
	errors    []queryError
}

// queryError is one entry of an answer's errors.
type queryError struct {
	Type      string     `json:"type,omitempty"`
	Path      []any      `json:"path,omitempty"`
	Locations []position `json:"locations,omitempty"`
	Message   string     `json:"message"`
}

type position struct {
	Line   int `json:"line"`
	Column int `json:"column"`
}

// object is a value with fields; __typename says which type's.
type object map[string]any

// pair is a field of an answer, which keeps the order of the query.
type pair struct {
	key   string
	value any
}

type pairs []pair

// MarshalJSON writes an object in the order of its fields.
func (p pairs) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	for i, field := range p {
		key, err := json.Marshal(field.key)
		value, err2 := json.Marshal(field.value)
		if err := errors.Join(err, err2); err != nil {
			return nil, err
		}
		out.WriteByte("{,"[min(i, 1)])
		out.Write(key)
		out.WriteByte(':')
		out.Write(value)
	}
	if len(p) == 0 {
		out.WriteByte('{')
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

func (e *execution) answer() answer {
	data := pairs{}
	for _, f := range e.fields("Query", e.operation.SelectionSet) {
		data = append(data, pair{f.Alias, e.root(f)})
	}
	reply := map[string]any{"data": data}
	if len(e.errors) > 0 {
		reply["errors"] = e.errors
	}
	return jsonAnswer(http.StatusOK, reply)
}

// root answers one field of the query itself.
func (e *execution) root(f *ast.Field) any {
	arguments := f.ArgumentMap(e.variables)
	switch f.Name {
	case "__typename":
		return "Query"
	case "repository":
		return e.byName(f, arguments)
	case "node":
		id, _ := arguments["id"].(string)
		return e.byID(f, id, []any{f.Alias})
	case "nodes":
		return e.nodes(f, texts(arguments["ids"]))
	case "viewer":
		return e.project(object{"__typename": "User", "id": "U_fakehub", "login": "fakehub"}, f.SelectionSet)
	}
	if f.Name != "rateLimit" { // the schema's own description is not on offer
		return nil
	}
	return e.project(object{
		"__typename": "RateLimit", "cost": e.cost(), "limit": e.spent.limit, "nodeCount": 0, "used": e.spent.used,
		"remaining": e.spent.remaining(), "resetAt": stamp(e.spent.reset),
	}, f.SelectionSet)
}

func (e *execution) byName(f *ast.Field, arguments map[string]any) any {
	name := fmt.Sprintf("%v/%v", arguments["owner"], arguments["name"])
	r := e.index.named(name)
	if r != nil && arguments["followRenames"] == false && !strings.EqualFold(r.fullName(), name) {
		r = nil
	}
	if r == nil || r.current().vanished {
		return e.fail(f, []any{f.Alias}, "NOT_FOUND", fmt.Sprintf("Could not resolve to a Repository with the name '%s'.", name))
	}
	return e.repository(f, r, []any{f.Alias})
}

func (e *execution) nodes(f *ast.Field, ids []string) any {
	if len(ids) > maxNodes {
		return e.fail(f, []any{f.Alias}, "ARGUMENT_LIMIT",
			fmt.Sprintf("You may not provide more than %d node ids; you provided %d.", maxNodes, len(ids)))
	}
	list := make([]any, len(ids))
	for i, id := range ids {
		list[i] = e.byID(f, id, []any{f.Alias, i})
	}
	return list
}

func (e *execution) byID(f *ast.Field, id string, path []any) any {
	r := e.index.node(id)
	if r == nil || r.current().vanished {
		return e.fail(f, path, "NOT_FOUND", fmt.Sprintf("Could not resolve to a node with the global id of '%s'", id))
	}
	return e.repository(f, r, path)
}

// repository answers with a repository's facts. How GitHub's GraphQL answers for a blocked one is not documented: null
// and FORBIDDEN are our choice.
func (e *execution) repository(f *ast.Field, r *repository, path []any) any {
	switch {
	case r.current().blocked != "":
		return e.fail(f, path, "FORBIDDEN", "Repository access blocked")
	case e.partial && e.broken(r):
		return e.fail(f, path, "", "Something went wrong while executing your query. Please include `"+e.requestID()+"` when reporting this issue.")
	}
	return e.project(r.graph(), f.SelectionSet)
}

// broken decides that a repository fails in a partial answer: the first one, and about one of four others.
func (e *execution) broken(r *repository) bool {
	if len(e.errors) == 0 {
		return true
	}
	sum := sha256.Sum256([]byte(e.salt + "\x00" + r.Repo))
	return sum[0]%4 == 0
}

func (e *execution) requestID() string {
	sum := sha256.Sum256([]byte(e.salt))
	return strings.ToUpper(hex.EncodeToString(sum[:2]) + ":" + hex.EncodeToString(sum[2:6]))
}

// fail records an error and is null.
func (e *execution) fail(f *ast.Field, path []any, kind, text string) any {
	e.errors = append(e.errors, queryError{
		Type: kind, Path: path, Message: text, Locations: []position{{f.Position.Line, f.Position.Column}},
	})
	return nil
}

// project picks the fields that a selection asks for.
func (e *execution) project(o object, set ast.SelectionSet) pairs {
	picked := pairs{}
	kind, _ := o["__typename"].(string)
	for _, f := range e.fields(kind, set) {
		value := o[f.Name]
		if inner, ok := value.(object); ok {
			value = e.project(inner, f.SelectionSet)
		}
		picked = append(picked, pair{f.Alias, value})
	}
	return picked
}

// fields flattens a selection on a type: fragments opened, @skip and @include obeyed, each answer's name once.
func (e *execution) fields(kind string, set ast.SelectionSet) []*ast.Field {
	var list []*ast.Field
	places := make(map[string]int)
	e.collect(kind, set, make(map[string]bool), func(f *ast.Field) {
		i, ok := places[f.Alias]
		if !ok {
			places[f.Alias] = len(list)
			list = append(list, f)
			return
		}
		merged := *list[i]
		merged.SelectionSet = append(merged.SelectionSet[:len(merged.SelectionSet):len(merged.SelectionSet)], f.SelectionSet...)
		list[i] = &merged
	})
	return list
}

// collect opens each fragment once, as the specification of GraphQL has it.
func (e *execution) collect(kind string, set ast.SelectionSet, seen map[string]bool, add func(*ast.Field)) {
	for _, selection := range set {
		switch s := selection.(type) {
		case *ast.Field:
			if e.wanted(s.Directives) {
				add(s)
			}
		case *ast.InlineFragment:
			if e.wanted(s.Directives) && e.is(kind, s.TypeCondition) {
				e.collect(kind, s.SelectionSet, seen, add)
			}
		case *ast.FragmentSpread:
			if !seen[s.Name] && e.wanted(s.Directives) && e.is(kind, s.Definition.TypeCondition) {
				seen[s.Name] = true
				e.collect(kind, s.Definition.SelectionSet, seen, add)
			}
		}
	}
}

func (e *execution) wanted(directives ast.DirectiveList) bool {
	skip, include := directives.ForName("skip"), directives.ForName("include")
	return (skip == nil || skip.ArgumentMap(e.variables)["if"] != true) &&
		(include == nil || include.ArgumentMap(e.variables)["if"] != false)
}

// is reports whether a type satisfies a fragment's condition: it is of that name, or implements it.
func (e *execution) is(kind, condition string) bool {
	if condition == "" || condition == kind {
		return true
	}
	for _, implemented := range e.schema.GetImplements(e.schema.Types[kind]) {
		if implemented.Name == condition {
			return true
		}
	}
	return false
}
