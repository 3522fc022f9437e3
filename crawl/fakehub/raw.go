package fakehub

import (
	"bytes"
	"errors"
	"io/fs"
	"net/http"
	"strings"
)

// raw plays raw.githubusercontent.com.
type raw struct{ index *index }

func newRaw(h *Hub, _ Quotas) host { return &raw{index: h.index} }

// classify reads /{owner}/{name}/{ref}/{path}; rest is ref and path, since a branch may hold slashes.
func (c *raw) classify(r *http.Request) target {
	parts := strings.SplitN(strings.Trim(r.URL.Path, "/"), "/", 3)
	if len(parts) < 3 {
		return target{endpoint: "unknown"}
	}
	asked := parts[0] + "/" + parts[1]
	return target{endpoint: "file", repo: c.index.named(asked), asked: asked, rest: parts[2]}
}

func (c *raw) serve(w http.ResponseWriter, r *http.Request, t target) {
	if reply := plainState(t); reply != nil {
		write(w, r, *reply)
		return
	}
	reply := plainNotFound()
	if v, name, ok := t.repo.pathAfterRef(t.rest); ok {
		content, err := t.repo.file(v, name)
		switch {
		case err == nil:
			reply = rawFile(content)
			etag := weakETag(t.repo.commitAt(v), name)
			w.Header().Set("ETag", etag)
			if matches(r, etag) {
				reply = answer{status: http.StatusNotModified}
			}
		case !errors.Is(err, fs.ErrNotExist):
			reply = plain(http.StatusInternalServerError, "fakehub: "+err.Error())
		}
	}
	write(w, r, reply)
}

// pathAfterRef cuts the ref off the front of `ref/path`, a branch with slashes included.
func (r *repository) pathAfterRef(rest string) (version, string, bool) {
	for i, char := range rest {
		if char != '/' {
			continue
		}
		if v, ok := r.resolve(rest[:i]); ok {
			return v, rest[i+1:], true
		}
	}
	return version{}, "", false
}

func rawFile(content []byte) answer {
	kind := "text/plain; charset=utf-8"
	if bytes.IndexByte(content, 0) >= 0 {
		kind = "application/octet-stream"
	}
	return answer{status: http.StatusOK, contentType: kind, body: content}
}
