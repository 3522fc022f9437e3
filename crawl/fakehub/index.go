package fakehub

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"sync"
	"time"
)

// index is the folder that a hub serves, with the state that faults give to its repositories.
type index struct {
	repos []*repository // in the order of index.json
	byID  map[int64]*repository

	mu     sync.RWMutex
	byName map[string]*repository // lower-case names, former ones included
}

// repository is one entry of index.json with what the hub invents for it.
type repository struct {
	Repo    string `json:"repo"`
	Commit  string `json:"commit"` // empty: a repository without commits
	License string `json:"license"`
	Zip     string `json:"zip"`
	Bytes   int64  `json:"bytes"`

	invented
	content content

	mu    sync.RWMutex
	state state
	trees map[version]func() (*tree, error)
}

// state is what a fault has made of a repository.
type state struct {
	vanished bool
	empty    bool
	blocked  string // dmca or tos
	renamed  string // the new name
	padding  int64
	edits    []string // path of the skill that each edit changed
}

// none reports that no fault has touched the repository.
func (s state) none() bool {
	return !s.vanished && !s.empty && s.blocked == "" && s.renamed == "" && s.padding == 0 && len(s.edits) == 0
}

// invented holds what a folder can't tell. All of it follows from the repository's name alone.
type invented struct {
	id       int64
	nodeID   string
	branch   string
	stars    int
	sizeKB   int64
	archived bool
	pushed   time.Time
	updated  time.Time
}

var (
	repoName  = regexp.MustCompile(`^[A-Za-z0-9-]+/[A-Za-z0-9._-]+$`)
	commitSHA = regexp.MustCompile(`^([0-9a-f]{40})?$`)
)

func newIndex() *index {
	return &index{byID: make(map[int64]*repository), byName: make(map[string]*repository)}
}

// readFolder adds the repositories of a folder in hub format.
func (x *index) readFolder(folder fs.FS) error {
	text, err := fs.ReadFile(folder, "index.json")
	if err != nil {
		return err
	}
	var entries []*repository
	if err := json.Unmarshal(text, &entries); err != nil {
		return fmt.Errorf("index.json: %w", err)
	}
	for i, r := range entries {
		if r == nil {
			return fmt.Errorf("index.json: entry %d is null", i)
		}
		if r.Commit != "" && !fs.ValidPath(r.Zip) {
			return fmt.Errorf("index.json: %s: zip %q is no file name", r.Repo, r.Zip)
		}
		r.content, r.invented = packed{folder, r.Zip, r.Commit}, invent(r)
		r.state.empty = r.Commit == ""
		if err := x.add(r); err != nil {
			return fmt.Errorf("index.json: %w", err)
		}
	}
	return nil
}

func (x *index) add(r *repository) error {
	if !repoName.MatchString(r.Repo) || !commitSHA.MatchString(r.Commit) {
		return fmt.Errorf("%q at %q: want a repo like owner/name and a commit of 40 hex digits", r.Repo, r.Commit)
	}
	for x.byID[r.id] != nil { // of five thousand names two may share a number
		r.setID(r.id + 1)
	}
	if x.byName[strings.ToLower(r.Repo)] != nil {
		return fmt.Errorf("%s is there twice", r.Repo)
	}
	r.trees = make(map[version]func() (*tree, error))
	x.repos = append(x.repos, r)
	x.byName[strings.ToLower(r.Repo)], x.byID[r.id] = r, r
	return nil
}

func invent(r *repository) invented {
	sum := sha256.Sum256([]byte(strings.ToLower(r.Repo)))
	id := int64(binary.BigEndian.Uint32(sum[:4])>>2) + 1_000_000
	branch := "main"
	switch n := sum[4] % 16; {
	case n == 15:
		branch = "release/next" // a branch name may hold a slash
	case n == 14:
		branch = "trunk"
	case n >= 11:
		branch = "master"
	}
	// Stars spread over four powers of ten, as they do; the size counts history, so it is several times the archive's.
	stars := int(binary.BigEndian.Uint16(sum[6:8])) >> (sum[5] % 14)
	pushed := time.Date(2025, time.January, 1, 0, 0, 0, 0, time.UTC).
		Add(time.Duration(binary.BigEndian.Uint32(sum[8:12])%31_536_000) * time.Second)
	facts := invented{
		branch:   branch,
		stars:    stars,
		sizeKB:   r.Bytes / 1024 * int64(2+sum[12]%8),
		archived: sum[13]%16 == 0,
		pushed:   pushed,
		updated:  pushed.Add(time.Duration(sum[14]) * time.Hour),
	}
	facts.setID(id)
	return facts
}

func (i *invented) setID(id int64) {
	i.id = id
	i.nodeID = "R_" + base64.RawURLEncoding.EncodeToString(binary.BigEndian.AppendUint64(nil, uint64(id)))
}

// named returns the repository of that name, in any letter case, also by a former name.
func (x *index) named(name string) *repository {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.byName[strings.ToLower(name)]
}

// node returns the repository of a global node id.
func (x *index) node(id string) *repository {
	number, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(id, "R_"))
	if err != nil || len(number) != 8 || !strings.HasPrefix(id, "R_") {
		return nil
	}
	return x.byID[int64(binary.BigEndian.Uint64(number))]
}

// rename gives a repository a new name, beside the old ones.
func (x *index) rename(r *repository, name string) {
	x.mu.Lock()
	x.byName[strings.ToLower(name)] = r
	x.mu.Unlock()
	r.change(func(s *state) { s.renamed = name })
}

func (r *repository) change(set func(*state)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	set(&r.state)
}

func (r *repository) current() state {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.state
}

// fullName is the canonical name now.
func (r *repository) fullName() string { return cmp.Or(r.current().renamed, r.Repo) }
