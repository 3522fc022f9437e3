package fakehub

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// FuzzGraphQL: whatever a caller sends, the answer is JSON, and nothing panics.
func FuzzGraphQL(f *testing.F) {
	f.Add(`{"query":"query A($a: ID! = \"x\") { nodes(ids: [$a]) { id } ...f } fragment f on Query { rateLimit { cost } }","operationName":"A"}`)
	f.Add(`{"query":"{ a: repository(owner: \"Ann\", name: \"Tools\") { ... on Node { id } defaultBranchRef { target { ... on Commit { committedDate } } } } }"}`)
	f.Add(`{"query":"query($o: String!, $b: Boolean!) { repository(owner: $o, name: null) @skip(if: $b) { id } }","variables":{"o":1,"b":[]}}`)
	f.Add(`{"query":"{ __schema { types { name } } __type(name: \"Query\") { name } }"}`)
	f.Add(`{"query":"fragment a on Query { ...b } fragment b on Query { ...a } { ...a }"}`)
	f.Add(`{"query":"{ nodes(ids: \"R_AAAAAAAPQkA\") { id } }","variables":null}`)
	x := newIndex()
	r := &repository{Repo: "Ann/Tools", Commit: strings.Repeat("0123456789", 4), License: "MIT"}
	r.invented = invent(r)
	if err := x.add(r); err != nil {
		f.Fatal(err)
	}
	g := newGraphQL(&Hub{index: x, now: time.Now}, Quota{})
	f.Fuzz(func(t *testing.T, body string) {
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/graphql", strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer t")
		g.serve(w, r, target{})
		if !json.Valid(w.Body.Bytes()) || w.Code != 200 && w.Code != 400 {
			t.Errorf("%d %s", w.Code, w.Body.Bytes())
		}
	})
}
