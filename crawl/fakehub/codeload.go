package fakehub

import (
	"net/http"
	"strings"
)

// codeload plays codeload.github.com.
type codeload struct{ index *index }

func newCodeload(h *Hub, _ Quotas) host { return &codeload{index: h.index} }

// format returns the kind of archive that a codeload path asks for.
func format(name string) string {
	switch name {
	case "legacy.zip", "zip":
		return "zip"
	case "legacy.tar.gz", "tar.gz":
		return "tar.gz"
	}
	return ""
}

// classify reads /{owner}/{name}/legacy.zip/{ref}; rest is the ref.
func (c *codeload) classify(r *http.Request) target {
	parts := strings.SplitN(strings.Trim(r.URL.Path, "/"), "/", 4)
	if len(parts) < 4 || format(parts[2]) == "" {
		return target{endpoint: "unknown"}
	}
	asked := parts[0] + "/" + parts[1]
	return target{endpoint: format(parts[2]), repo: c.index.named(asked), asked: asked, rest: parts[3]}
}

func (c *codeload) serve(w http.ResponseWriter, r *http.Request, t target) {
	if reply := plainState(t); reply != nil {
		write(w, r, *reply)
		return
	}
	v, ok := t.repo.resolve(t.rest)
	if !ok {
		write(w, r, plainNotFound())
		return
	}
	etag := weakETag(t.repo.commitAt(v), t.endpoint)
	w.Header().Set("ETag", etag)
	if matches(r, etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	a, err := t.repo.openArchive(v)
	if err != nil {
		write(w, r, plain(http.StatusInternalServerError, "fakehub: "+err.Error()))
		return
	}
	defer a.close()
	kind := map[string]string{"zip": "application/zip", "tar.gz": "application/x-gzip"}[t.endpoint]
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Disposition", "attachment; filename="+t.repo.wrapper(v)+"."+t.endpoint)
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return
	}
	// A flush before the first byte makes the answer chunked however short it is: no Content-Length, as on the real host.
	if err := http.NewResponseController(w).Flush(); err != nil {
		return
	}
	p := packer{archive: a, wrapper: t.repo.wrapper(v), commit: t.repo.commitAt(v), when: t.repo.pushedAt(v)}
	if err := p.write(w, t.endpoint); err != nil {
		panic(http.ErrAbortHandler) // too late for a status: tear the connection, so that nobody takes a part for the whole
	}
}

// plainState is the answer of the hosts that speak no JSON for a repository that isn't there, and nil for one that is.
func plainState(t target) *answer {
	if t.repo == nil {
		reply := plainNotFound()
		return &reply
	}
	s := t.repo.current()
	var reply answer
	switch {
	case s.blocked == blockDMCA:
		reply = plain(http.StatusUnavailableForLegalReasons, "Repository unavailable due to DMCA takedown.")
	case s.blocked != "":
		reply = plain(http.StatusForbidden, "Repository access blocked")
	case s.vanished || s.empty:
		reply = plainNotFound()
	default:
		return nil
	}
	return &reply
}

func plainNotFound() answer { return plain(http.StatusNotFound, "404: Not Found") }

func plain(status int, text string) answer {
	return answer{status: status, contentType: "text/plain; charset=utf-8", body: []byte(text)}
}
