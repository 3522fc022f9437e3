package fakehub

import (
	"encoding/json"
	"net/http"
)

// Paths of the hub itself, on every host. What they answer is not counted, limited or faulted.
const (
	// ScriptPath takes a fault script by POST: its seed and rules replace those in force, and repositories keep the
	// states that they have. Quotas, the market and tree_entries stay as they were at the start.
	ScriptPath = "/_script"
	// ReposPath tells the repositories that have a state, with ?all=1 all of them: what a test compares a crawl with.
	ReposPath = "/_repos"
)

// Repo is one repository as ReposPath tells it.
type Repo struct {
	Repo      string   `json:"repo"`
	Commit    string   `json:"commit"` // of the head
	Bytes     int64    `json:"bytes"`  // of the files, without padding; of the archive where it is packed
	RenamedTo string   `json:"renamed_to,omitempty"`
	Vanished  bool     `json:"vanished,omitempty"`
	Empty     bool     `json:"empty,omitempty"`
	Blocked   string   `json:"blocked,omitempty"`
	Padding   int64    `json:"padding,omitempty"` // bytes
	Edits     []string `json:"edits,omitempty"`   // path of the SKILL.md that each edit changed
}

// control returns what answers a path of the hub itself, nil for all others.
func (h *Hub) control(path string) http.HandlerFunc {
	switch path {
	case StatsPath:
		return h.serveStats
	case ScriptPath:
		return h.serveScript
	case ReposPath:
		return h.serveRepos
	}
	return nil
}

func (h *Hub) serveScript(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		write(w, r, plain(http.StatusMethodNotAllowed, "POST a fault script"))
		return
	}
	script, err := ReadScript(r.Body)
	if err == nil {
		err = h.Load(script)
	}
	if err != nil {
		write(w, r, plain(http.StatusBadRequest, err.Error()+"\n"))
		return
	}
	write(w, r, plain(http.StatusOK, "ok\n"))
}

// Load does what a POST to ScriptPath does.
func (h *Hub) Load(script *Script) error { return h.faults.load(script) }

func (h *Hub) serveRepos(w http.ResponseWriter, r *http.Request) {
	body, err := json.Marshal(h.Repos(r.URL.Query().Get("all") == "1"))
	if err != nil {
		write(w, r, plain(http.StatusInternalServerError, "fakehub: "+err.Error()))
		return
	}
	write(w, r, answer{status: http.StatusOK, contentType: "application/json", body: append(body, '\n')})
}

// Repos returns the repositories that have a state, or all of them.
func (h *Hub) Repos(all bool) []Repo {
	list := []Repo{}
	for _, r := range h.index.repos {
		s := r.current()
		if s.none() && !all {
			continue
		}
		one := Repo{
			Repo: r.Repo, Bytes: r.Bytes, RenamedTo: s.renamed, Vanished: s.vanished, Empty: s.empty, Blocked: s.blocked,
			Padding: s.padding, Edits: s.edits,
		}
		if !s.empty {
			one.Commit = r.commitAt(r.head())
		}
		list = append(list, one)
	}
	return list
}
