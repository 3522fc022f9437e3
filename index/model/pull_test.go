package model_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skillcorpus/index/model"
)

// released is the runtime as its project releases it.
func released(t testing.TB, name, content string) []byte {
	t.Helper()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	w := tar.NewWriter(z)
	for _, f := range [][2]string{{"runtime/LICENSE", "MIT"}, {"runtime/lib/" + name, content}} {
		if err := w.WriteHeader(&tar.Header{Name: f[0], Size: int64(len(f[1])), Mode: 0o644}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(f[1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// host plays the hub and the API of releases.
type host struct {
	*http.ServeMux
	url   string
	asked []string
}

const (
	hubPath     = "/somebody/second/resolve/main/model.onnx"
	releasePath = "/repos/somebody/runtime/releases/tags/v9.9"
	assetPath   = "/assets/runtime-9.9.tgz"
)

func newHost(t testing.TB) *host {
	t.Helper()
	h := &host{ServeMux: http.NewServeMux()}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.asked = append(h.asked, r.URL.Path)
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	h.url = server.URL
	return h
}

func (h *host) web() model.Web { return model.Web{Hub: h.url + "/", API: h.url, Agent: "test"} }

func (h *host) serve(path string, content []byte) {
	h.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) { w.Write(content) })
}

// release serves a release whose asset has the digest that is said of it.
func (h *host) release(asset []byte, digest string) {
	h.serve(releasePath, fmt.Appendf(nil,
		`{"assets":[{"name":"else.tgz"},{"name":"runtime-9.9.tgz","size":%d,"browser_download_url":%q,"digest":%q}]}`,
		len(asset), h.url+assetPath, digest))
	h.serve(assetPath, asset)
}

func sha(content []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(content)) }

// Pull brings the first model that a hub has, where it has not the default, and the runtime; then nothing.
func TestPull(t *testing.T) {
	t.Parallel()
	h, p := newHost(t), places(t)
	h.HandleFunc("GET "+hubPath, func(w http.ResponseWriter, r *http.Request) {
		if r.UserAgent() != "test" {
			t.Errorf("user agent %q", r.UserAgent())
		}
		http.Redirect(w, r, "/mirror", http.StatusFound)
	})
	h.serve("/mirror", []byte(other))
	// Not the build that the catalogue knows: the release vouches for it.
	asset := released(t, "libonnxruntime.so.9.9", "another build")
	h.release(asset, sha(asset))
	web, done := h.web(), map[string]int64{}
	web.Progress = func(name string, n, total int64) {
		if n > total {
			t.Errorf("%s: %d of %d", name, n, total)
		}
		done[name] = n
	}
	added, err := p.Pull(t.Context(), "", web)
	if err != nil || fmt.Sprint(ids(added)) != "[onnxruntime second]" {
		t.Fatalf("%v, %v", ids(added), err)
	}
	if done["second"] != int64(len(other)) || done["onnxruntime"] != int64(len(asset)) {
		t.Errorf("told of %v", done)
	}
	if want := []string{"onnxruntime", "second"}; !slices.Equal(installed(p), want) {
		t.Errorf("installed %v, want %v", installed(p), want)
	}
	h.asked = nil
	if added, err = p.Pull(t.Context(), "", web); err != nil || fmt.Sprint(ids(added)) != "[onnxruntime* second*]" || len(h.asked) > 0 {
		t.Errorf("again: %v, %v, asked %v", ids(added), err, h.asked)
	}
	leftovers(t, p)
}

func TestPullRefuses(t *testing.T) {
	t.Parallel()
	good := released(t, "libonnxruntime.so.9.9", library)
	empty := released(t, "libother.so", library)
	for name, c := range map[string]struct {
		serve func(h *host)
		want  error
		says  string
	}{
		"model absent":   {func(*host) {}, model.ErrNotPulled, "404"},
		"model altered":  {func(h *host) { h.serve(hubPath, []byte(strings.ToUpper(other))) }, model.ErrChecksum, hubPath},
		"model cut":      {func(h *host) { h.serve(hubPath, []byte(other[:9])) }, nil, "9 bytes"},
		"model too long": {func(h *host) { h.serve(hubPath, []byte(other+other)) }, nil, "another size"},
		"connection lost": {func(h *host) {
			h.HandleFunc(hubPath, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", "43")
				w.Write([]byte(other[:9]))
			})
		}, nil, "unexpected EOF"},
		"server error": {func(h *host) {
			h.HandleFunc(hubPath, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
		}, nil, "502"},
		"redirect to plain http": {func(h *host) {
			h.Handle(hubPath, http.RedirectHandler("http://192.0.2.1/model", http.StatusFound))
		}, model.ErrInsecure, "192.0.2.1"},
		"endless redirect": {func(h *host) { h.Handle(hubPath, http.RedirectHandler(hubPath, http.StatusFound)) }, nil, "redirects"},
		"no release":       {func(h *host) { h.serve(hubPath, []byte(other)) }, model.ErrNotPulled, "404"},
		"release without the asset": {func(h *host) {
			h.serve(hubPath, []byte(other))
			h.serve(releasePath, []byte(`{"assets":[]}`))
		}, model.ErrNotPulled, "runtime-9.9.tgz"},
		"release without a digest": {func(h *host) {
			h.serve(hubPath, []byte(other))
			h.release(good, "")
		}, model.ErrChecksum, "states no SHA-256"},
		"asset altered": {func(h *host) {
			h.serve(hubPath, []byte(other))
			h.release(good, sha(empty))
		}, model.ErrChecksum, assetPath},
		"asset without the library": {func(h *host) {
			h.serve(hubPath, []byte(other))
			h.release(empty, sha(empty))
		}, model.ErrUnknown, "libonnxruntime.so.9.9"},
		"asset no archive": {func(h *host) {
			h.serve(hubPath, []byte(other))
			h.release([]byte("text"), sha([]byte("text")))
		}, nil, "runtime-9.9.tgz"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, p := newHost(t), places(t)
			c.serve(h)
			_, err := p.Pull(t.Context(), "second", h.web())
			if err == nil || c.want != nil && !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, want %v that says %q", err, c.want, c.says)
			}
			if slices.Contains(installed(p), "onnxruntime") {
				t.Error("a runtime was installed")
			}
			leftovers(t, p)
		})
	}
}

func TestPullAsksNobodyInVain(t *testing.T) {
	t.Parallel()
	p := places(t)
	if _, err := p.Pull(t.Context(), "small", model.Web{}); !errors.Is(err, model.ErrNoSource) || !strings.Contains(err.Error(), "small==1.0") {
		t.Errorf("no hub has it: %v", err)
	}
	if _, err := p.Pull(t.Context(), "none", model.Web{}); !errors.Is(err, model.ErrNoModel) {
		t.Errorf("no such model: %v", err)
	}
	if _, err := p.Pull(t.Context(), "second", model.Web{Hub: "http://192.0.2.1"}); !errors.Is(err, model.ErrInsecure) {
		t.Errorf("plain http: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Pull(ctx, "second", newHost(t).web()); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	// With the default here, only the runtime is asked for.
	if _, err := p.Add(t.Context(), write(t, filepath.Join(t.TempDir(), "m"), []byte(graph))); err != nil {
		t.Fatal(err)
	}
	h := newHost(t)
	if added, err := p.Pull(t.Context(), "", h.web()); !errors.Is(err, model.ErrNotPulled) || fmt.Sprint(ids(added)) != "[small*]" {
		t.Errorf("%v, %v", ids(added), err)
	}
	if !slices.Equal(h.asked, []string{releasePath}) {
		t.Errorf("asked %v", h.asked)
	}
}
