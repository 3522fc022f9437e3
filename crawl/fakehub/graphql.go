package fakehub

import (
	"cmp"
	_ "embed" // for schema.graphql
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

//go:embed schema.graphql
var schemaText string

// graphQL plays the part of GitHub's GraphQL that asks for many repositories at once.
type graphQL struct {
	index  *index
	now    func() time.Time
	hourly *quota // of points
	schema func() (*ast.Schema, error)
}

// Limits of a query: tokens of its text are our own bound; ids in one list are GitHub's.
const (
	maxTokens = 50_000
	maxNodes  = 100
)

func newGraphQL(h *Hub, points Quota) *graphQL {
	return &graphQL{
		index: h.index, now: h.now, hourly: newQuota(points, time.Hour),
		schema: sync.OnceValues(func() (*ast.Schema, error) {
			schema, err := gqlparser.LoadSchema(&ast.Source{Name: "schema.graphql", Input: schemaText})
			if err != nil {
				return nil, fmt.Errorf("read schema.graphql: %w", err)
			}
			return schema, nil
		}),
	}
}

// question is the body of a request.
type question struct {
	Query     string         `json:"query"`
	Operation string         `json:"operationName"`
	Variables map[string]any `json:"variables"`
}

// serve answers one query. Whatever is wrong with it beyond its JSON comes as errors under a 200, as at GitHub.
func (g *graphQL) serve(w http.ResponseWriter, r *http.Request, t target) {
	caller := callerOf(r)
	if caller == "" {
		write(w, r, message(http.StatusUnauthorized, "This endpoint requires you to be authenticated."))
		return
	}
	var q question
	body, err := io.ReadAll(r.Body)
	if err != nil || json.Unmarshal(body, &q) != nil {
		write(w, r, message(http.StatusBadRequest, "Problems parsing JSON"))
		return
	}
	run, refused := g.prepare(q)
	if refused != nil {
		setRateHeaders(w.Header(), g.hourly.look(caller, g.now()), resourceGraphQL)
		write(w, r, jsonAnswer(http.StatusOK, map[string]any{"errors": refused}))
		return
	}
	spent, ok := g.hourly.takeSome(caller, run.cost(), g.now())
	setRateHeaders(w.Header(), spent, resourceGraphQL)
	if !ok {
		write(w, r, rateLimited())
		return
	}
	run.spent, run.partial, run.salt = spent, t.partial, string(body)
	write(w, r, run.answer())
}

// rateLimited is the answer over the budget of points.
func rateLimited() answer {
	return jsonAnswer(http.StatusOK, map[string]any{"errors": []any{
		map[string]any{"type": "RATE_LIMITED", "message": "API rate limit exceeded for user ID 1."},
	}})
}

// prepare checks a query against the schema.
func (g *graphQL) prepare(q question) (*execution, gqlerror.List) {
	schema, err := g.schema()
	if err != nil {
		return nil, gqlerror.List{gqlerror.Wrap(err)}
	}
	if q.Query == "" {
		return nil, gqlerror.List{gqlerror.Errorf("A query attribute must be specified and must be a string.")}
	}
	document, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: q.Query}, maxTokens)
	if err != nil {
		return nil, gqlerror.List{gqlerror.Wrap(err)}
	}
	if list := validator.ValidateWithRules(schema, document, rules.NewDefaultRules()); len(list) > 0 {
		return nil, list
	}
	operation := document.Operations.ForName(q.Operation)
	if operation == nil {
		return nil, gqlerror.List{gqlerror.Errorf("No operation named %q", q.Operation)}
	}
	variables, err := validator.VariableValues(schema, operation, q.Variables)
	if err != nil {
		return nil, gqlerror.List{gqlerror.Wrap(err)}
	}
	return &execution{index: g.index, schema: schema, operation: operation, variables: variables}, nil
}

// cost is one point for each hundred repositories that a query asks for, at least one. GitHub's own formula counts
// connections, of which the schema has none.
func (e *execution) cost() int {
	n := 0
	for _, f := range e.fields("Query", e.operation.SelectionSet) {
		switch f.Name {
		case "repository", "node":
			n++
		case "nodes":
			n += len(texts(f.ArgumentMap(e.variables)["ids"]))
		}
	}
	const perPoint = 100
	return max(1, (n+perPoint-1)/perPoint)
}

// texts reads an argument that is a list of strings.
func texts(value any) []string {
	list, _ := value.([]any)
	found := make([]string, 0, len(list))
	for _, one := range list {
		text, _ := one.(string)
		found = append(found, text)
	}
	return found
}

// refuse answers an ordered limit: as an error under a 200 for the points, as REST does for a secondary one.
func (g *graphQL) refuse(r *http.Request, l Limit, until time.Time) answer {
	header := make(http.Header)
	n := RealQuotas().GraphQLHour.of(callerOf(r) != "")
	setRateHeaders(header, usage{limit: n, used: n, reset: until}, resourceGraphQL)
	reply := rateLimited().with(header)
	reply.status = cmp.Or(l.Status, reply.status)
	return reply
}
