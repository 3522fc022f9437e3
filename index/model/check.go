package model

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"skillcorpus/data/models"
	"skillcorpus/index/embed"
	"skillcorpus/index/embed/onnx"
)

// leastCosine is what the check's vector must agree to: quantised operators round otherwise on other processors.
const leastCosine = 0.999

// ErrWrongVector means that a model runs, but computes something else than it should.
var ErrWrongVector = errors.New("the model gives another vector than it should")

// Report is what Check found.
type Report struct {
	ID       string  `json:"id"`
	Embedder string  `json:"embedder"` // id of the vectors
	Path     string  `json:"path"`
	Runtime  string  `json:"runtime"` // version
	Cosine   float64 `json:"cosine"`  // to the vector that the catalogue knows
	TookMS   int64   `json:"took_ms"` // to load the model and to embed one sentence
}

// Check compares the checksums of a model's files, loads it, embeds the sentence of its catalogue entry and
// compares the vector with the entry's. An empty id means what it means to Open.
func (p *Places) Check(ctx context.Context, id string) (Report, error) {
	if id == "" {
		id = p.choose()
	}
	r := Report{ID: id}
	folder, m, err := p.locate(id)
	if err != nil {
		return r, err
	}
	r.Path = folder
	if err := verify(folder, m); err != nil {
		return r, fmt.Errorf("%w: %s", err, remedyFor(m, p.Catalogue.Default))
	}
	if err := p.verifyRuntime(); err != nil {
		return r, err
	}
	start := time.Now()
	e, err := p.Open(id, Options{})
	if err != nil {
		return r, err
	}
	vectors, err := e.Embed(ctx, embed.Passage, []string{m.Check.Text})
	if err := errors.Join(err, e.Close()); err != nil {
		return r, err
	}
	r.Embedder, r.Runtime, r.TookMS = e.ID(), onnx.RuntimeVersion(), time.Since(start).Milliseconds()
	if r.Cosine, err = cosine(vectors[0], m.Check.Vector); err != nil {
		return r, err
	}
	if r.Cosine < leastCosine {
		return r, fmt.Errorf("model %s: cosine %.4f: %w", id, r.Cosine, ErrWrongVector)
	}
	return r, nil
}

// verifyRuntime compares the checksum of the library where the catalogue's build is in use; one that a release
// gave was compared with the release's own when it came.
func (p *Places) verifyRuntime() error {
	path := p.placedRuntime()
	library, _ := p.Catalogue.Runtime.Library(p.Platform)
	if p.Library != "" || path == "" || library.SHA256 == "" {
		return nil
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(path), releasedName)); err == nil {
		return nil
	}
	digest, err := digestOf(path)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoRuntime, err)
	}
	if digest != library.SHA256 {
		return fmt.Errorf("%w: %s: %w: %s, want %s: remove it and %s",
			ErrNoRuntime, path, ErrChecksum, digest, library.SHA256, remedy)
	}
	return nil
}

// cosine is between a unit vector and one of signed bytes in base64.
func cosine(v []float32, encoded string) (float64, error) {
	golden, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(golden) != len(v) {
		return 0, fmt.Errorf("check vector of %d bytes, want %d: %w", len(golden), len(v), ErrWrongVector)
	}
	var dot, square float64
	for i, b := range golden {
		x := float64(int8(b))
		dot += x * float64(v[i])
		square += x * x
	}
	return dot / math.Sqrt(square), nil
}

// Status is what List says of a model or the runtime.
type Status struct {
	ID        string `json:"id"`
	Title     string `json:"title"`
	License   string `json:"license"`
	Bytes     int64  `json:"bytes,omitempty"`
	Default   bool   `json:"default,omitempty"`
	Installed bool   `json:"installed"`
	Path      string `json:"path,omitempty"`
	Fault     string `json:"fault,omitempty"` // why what lies there cannot be used
}

// List returns the runtime, the catalogue's models and then others that lie in the folders, sorted by id. It
// looks at names and sizes; Check looks closer.
func (p *Places) List() []Status {
	list := []Status{p.runtimeStatus()}
	for _, m := range p.Catalogue.Models {
		list = append(list, p.status(m.ID, m))
	}
	var others []string
	for _, dir := range p.Dirs {
		entries, err := filepath.Glob(filepath.Join(dir, "*", entryName))
		if err != nil {
			continue // a folder whose name is a bad pattern holds no other models
		}
		for _, entry := range entries {
			id := filepath.Base(filepath.Dir(entry))
			if _, known := p.Catalogue.Model(id); !known && id[0] != '.' && !slices.Contains(others, id) {
				others = append(others, id)
			}
		}
	}
	slices.Sort(others)
	for _, id := range others {
		list = append(list, p.status(id, models.Model{ID: id}))
	}
	return list
}

func (p *Places) status(id string, m models.Model) Status {
	folder, found, err := p.locate(id)
	if folder != "" {
		m = found
	}
	s := Status{ID: id, Title: m.Title, License: m.License, Default: id == p.Catalogue.Default, Path: folder}
	for _, f := range m.Files {
		s.Bytes += f.Size
	}
	s.Installed = err == nil
	if _, known := p.Catalogue.Model(id); err != nil && (folder != "" || !known) {
		s.Fault = err.Error()
	}
	return s
}

func (p *Places) runtimeStatus() Status {
	r := p.Catalogue.Runtime
	library, _ := r.Library(p.Platform)
	s := Status{ID: RuntimeID, Title: "ONNX Runtime " + r.Version, License: r.License, Bytes: library.Size}
	s.Path = p.Library
	if s.Path == "" {
		s.Path = p.placedRuntime()
	}
	if s.Path != "" {
		_, err := os.Stat(s.Path)
		s.Installed = err == nil
		if err != nil {
			s.Fault = err.Error()
		}
	}
	return s
}
