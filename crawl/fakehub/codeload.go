package fakehub

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"
	"time"
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
	if !t.repo.resolve(t.rest) {
		write(w, r, plainNotFound())
		return
	}
	etag := weakETag(t.repo.Commit, t.endpoint)
	w.Header().Set("ETag", etag)
	if matches(r, etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	a, err := t.repo.openArchive()
	if err != nil {
		write(w, r, plain(http.StatusInternalServerError, "fakehub: "+err.Error()))
		return
	}
	defer a.close()
	kind := map[string]string{"zip": "application/zip", "tar.gz": "application/x-gzip"}[t.endpoint]
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Disposition", "attachment; filename="+t.repo.wrapper()+"."+t.endpoint)
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return
	}
	// A flush before the first byte makes the answer chunked however short it is: no Content-Length, as on the real host.
	if err := http.NewResponseController(w).Flush(); err != nil {
		return
	}
	if err := send(w, a, t); err != nil {
		panic(http.ErrAbortHandler) // too late for a status: tear the connection, so that nobody takes a part for the whole
	}
}

func send(w io.Writer, a *archive, t target) error {
	if t.endpoint == "zip" {
		_, err := io.Copy(w, io.NewSectionReader(a.bytes, 0, a.size))
		return err
	}
	return writeTarball(w, a, t.repo)
}

// writeTarball packs the archive's files as git does: a global header that holds the commit, the wrapper folder, then
// the files. The same archive always gives the same bytes.
func writeTarball(w io.Writer, a *archive, r *repository) error {
	gz := gzip.NewWriter(w)
	tw := tar.NewWriter(gz)
	err := tw.WriteHeader(&tar.Header{
		Typeflag: tar.TypeXGlobalHeader, Name: "pax_global_header", PAXRecords: map[string]string{"comment": r.Commit},
	})
	if err != nil {
		return fmt.Errorf("write global header: %w", err)
	}
	when := r.pushed
	err = tw.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: r.wrapper() + "/", Mode: 0o775, ModTime: when})
	for _, m := range a.members {
		if err == nil {
			err = writeMember(tw, m, r.wrapper(), when)
		}
	}
	return errors.Join(err, tw.Close(), gz.Close())
}

func writeMember(tw *tar.Writer, m member, wrapper string, when time.Time) error {
	content, err := m.content()
	if err != nil {
		return err
	}
	header := &tar.Header{
		Typeflag: tar.TypeReg, Name: path.Join(wrapper, m.path), Mode: 0o664, Size: int64(len(content)), ModTime: when,
	}
	switch m.mode {
	case "100755":
		header.Mode = 0o775
	case "120000":
		header.Typeflag, header.Linkname, header.Size, header.Mode = tar.TypeSymlink, string(content), 0, 0o777
		content = nil
	}
	if err := tw.WriteHeader(header); err != nil {
		return fmt.Errorf("pack %s: %w", m.path, err)
	}
	_, err = tw.Write(content)
	return err
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
