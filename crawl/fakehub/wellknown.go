package fakehub

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"path"
	"strings"
	"sync"
)

// wellKnown plays a site that publishes its skills itself: the first ones of the hub, in both versions of the
// discovery index. A rule that answers 404 for the newer one leaves the older.
type wellKnown struct {
	shelf *shelf

	mu    sync.Mutex
	packs map[*published]pack // as last asked for
}

// pack is a skill as one artifact.
type pack struct {
	commit string
	files  []string
	kind   string // skill-md or archive
	name   string // of the artifact
	digest string
}

const (
	wellKnownIndex    = "/.well-known/agent-skills/"
	wellKnownOldIndex = "/.well-known/skills/"
	wellKnownSchema   = "https://schemas.agentskills.io/discovery/0.2.0/schema.json"
	wellKnownMost     = 500 // skills
)

func newWellKnown(h *Hub, _ Quotas) host {
	return &wellKnown{shelf: &shelf{index: h.index}, packs: make(map[*published]pack)}
}

// classify reads the indexes, /.well-known/agent-skills/{name}/{artifact} and /.well-known/skills/{name}/{file}; rest is
// what follows the name.
func (s *wellKnown) classify(r *http.Request) target {
	for folder, endpoint := range map[string]string{wellKnownIndex: "artifact", wellKnownOldIndex: "file"} {
		inside, ok := strings.CutPrefix(r.URL.Path, folder)
		if !ok {
			continue
		}
		if inside == "index.json" {
			return target{endpoint: map[string]string{"artifact": "index", "file": "old index"}[endpoint]}
		}
		name, rest, _ := strings.Cut(inside, "/")
		t := target{endpoint: endpoint, rest: rest}
		if p := s.named(name); p != nil {
			t.repo, t.asked = p.repo, p.repo.Repo
		}
		return t
	}
	return target{endpoint: "unknown"}
}

func (s *wellKnown) named(name string) *published {
	if _, err := s.shelf.skills(); err != nil {
		return nil
	}
	return s.shelf.byKey[name]
}

func (s *wellKnown) serve(w http.ResponseWriter, r *http.Request, t target) {
	name, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, wellKnownIndex), wellKnownOldIndex), "/")
	var reply answer
	switch p := s.named(name); {
	case t.endpoint == "index" || t.endpoint == "old index":
		reply = s.list(t.endpoint == "index")
	case p == nil || p.hidden():
		reply = plainNotFound()
	case t.endpoint == "artifact":
		reply = s.artifact(p, t.rest)
	default:
		reply = s.file(p, t.rest)
	}
	write(w, r, reply)
}

func (s *wellKnown) list(digests bool) answer {
	skills, err := s.shelf.skills()
	if err != nil {
		return plain(http.StatusInternalServerError, "fakehub: "+err.Error())
	}
	rows := []any{}
	for _, p := range skills[:min(len(skills), wellKnownMost)] {
		if p.hidden() {
			continue
		}
		k, err := s.pack(p)
		if err != nil {
			return plain(http.StatusInternalServerError, "fakehub: "+err.Error())
		}
		row := map[string]any{"name": p.slug, "description": p.Description}
		if digests {
			row["type"], row["url"], row["digest"] = k.kind, escapePath(p.slug+"/"+k.name), k.digest
		} else {
			row["files"] = k.files
		}
		rows = append(rows, row)
	}
	index := map[string]any{"skills": rows}
	if digests {
		index["$schema"] = wellKnownSchema
	}
	return jsonAnswer(http.StatusOK, index)
}

// pack returns a skill's artifact, made anew when its repository has changed.
func (s *wellKnown) pack(p *published) (pack, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	commit := p.repo.commitAt(p.repo.head())
	if k, ok := s.packs[p]; ok && k.commit == commit {
		return k, nil
	}
	files, err := p.files()
	if err != nil {
		return pack{}, err
	}
	k := pack{commit: commit, kind: "archive", name: p.slug + ".tar.gz"}
	for _, f := range files {
		k.files = append(k.files, f.path)
	}
	if len(files) == 1 {
		k.kind, k.name = "skill-md", "SKILL.md"
	}
	body, err := k.bytes(files)
	sum := sha256.Sum256(body)
	k.digest = "sha256:" + hex.EncodeToString(sum[:])
	s.packs[p] = k
	return k, err
}

func (k pack) bytes(files []publishedFile) ([]byte, error) {
	if k.kind == "skill-md" {
		return files[0].content, nil
	}
	return tarred(files)
}

func (s *wellKnown) artifact(p *published, name string) answer {
	k, err := s.pack(p)
	var files []publishedFile
	if err == nil {
		files, err = p.files()
	}
	var body []byte
	if err == nil {
		body, err = k.bytes(files)
	}
	switch {
	case err != nil:
		return plain(http.StatusInternalServerError, "fakehub: "+err.Error())
	case name != k.name:
		return plainNotFound()
	case k.kind == "archive":
		return answer{status: http.StatusOK, contentType: "application/gzip", body: body}
	}
	return answer{status: http.StatusOK, contentType: "text/markdown; charset=utf-8", body: body}
}

func (s *wellKnown) file(p *published, name string) answer {
	files, err := p.files()
	if err != nil {
		return plain(http.StatusInternalServerError, "fakehub: "+err.Error())
	}
	for _, f := range files {
		if f.path == path.Clean(name) {
			return answer{status: http.StatusOK, contentType: "application/octet-stream", body: f.content}
		}
	}
	return plainNotFound()
}
