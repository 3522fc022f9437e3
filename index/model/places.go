// Package model owns the models and the runtime on this machine: where they lie, how they come there (out of a
// file that is here, or from a model hub), whether they are whole, and the Embedder that they make.
//
// It trusts no name and no place, only SHA-256, and uses the network in Pull alone. The model commands, the
// index build and the search call it.
package model

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"skillcorpus/data/models"
	"skillcorpus/index/embed/onnx"
)

// What may be missing. Both errors say which command mends it.
var (
	ErrNoRuntime = errors.New("no ONNX Runtime on this machine")
	ErrNoModel   = errors.New("no embedding model on this machine")
)

// remedy is the one command that brings both.
const remedy = "run `skillcorpus model pull` (in a clone of the project `make setup`)"

// Places are where models and the runtime are looked for. Below each folder a model lies in a folder of its id
// and the runtime in one of its version and platform.
type Places struct {
	Dirs     []string // folders, in the order of search
	Into     string   // the folder that Add and Pull fill: one of Dirs
	Library  string   // a runtime that was named; "" means that of Dirs, or the system's
	Platform string   // GOOS/GOARCH

	Catalogue *models.Catalogue // what is known
}

// Find returns the places: the data folder's models, then SKILLCORPUS_MODELS or, without it, the user's cache.
// SKILLCORPUS_ONNXRUNTIME names a runtime.
func Find(data string, getenv func(string) string) *Places {
	p := &Places{
		Library:   getenv("SKILLCORPUS_ONNXRUNTIME"),
		Platform:  runtime.GOOS + "/" + runtime.GOARCH,
		Catalogue: models.Load(),
	}
	own := filepath.Join(data, "models")
	p.Dirs, p.Into = []string{own}, getenv("SKILLCORPUS_MODELS")
	if p.Into == "" {
		if cache, err := os.UserCacheDir(); err == nil {
			p.Into = filepath.Join(cache, "skillcorpus", "models")
		}
	}
	if p.Into == "" {
		p.Into = own // no home, no cache
		return p
	}
	p.Dirs = append(p.Dirs, p.Into)
	return p
}

// systemNames are what the system's loader is asked for at last.
func systemNames() []string {
	if runtime.GOOS == "darwin" {
		return []string{"libonnxruntime.dylib"}
	}
	return []string{"libonnxruntime.so.1", "libonnxruntime.so"}
}

// runtimeFolder is the runtime's in a folder of models. It bears the platform, since data folders travel.
func (p *Places) runtimeFolder() string {
	return "onnxruntime-" + p.Catalogue.Runtime.Version + "-" + filepath.Base(filepath.Dir(p.Platform)) + "-" + filepath.Base(p.Platform)
}

// runtimes returns the libraries to try, best first.
func (p *Places) runtimes() []string {
	if p.Library != "" {
		return []string{p.Library}
	}
	if path := p.placedRuntime(); path != "" {
		return []string{path}
	}
	return systemNames()
}

// placedRuntime returns the library that Add or Pull has put into one of the folders, or "".
func (p *Places) placedRuntime() string {
	library, ok := p.Catalogue.Runtime.Library(p.Platform)
	if !ok {
		return ""
	}
	for _, dir := range p.Dirs {
		path := filepath.Join(dir, p.runtimeFolder(), library.Name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	return ""
}

// entryName is the file of a model's folder that says what it is.
const entryName = "model.yaml"

// locate returns a model's folder and what it is. The catalogue's word goes before the folder's own.
func (p *Places) locate(id string) (folder string, m models.Model, err error) {
	known, isKnown := p.Catalogue.Model(id)
	for _, dir := range p.Dirs {
		folder = filepath.Join(dir, id)
		text, err := os.ReadFile(filepath.Join(folder, entryName))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", m, err
		}
		if m, err = models.Read(text); err != nil {
			return "", m, fmt.Errorf("%s: %w", filepath.Join(folder, entryName), err)
		}
		if m.ID != id {
			return "", m, fmt.Errorf("%s is of model %s", filepath.Join(folder, entryName), m.ID)
		}
		if isKnown {
			m = known
		}
		return folder, m, whole(folder, m)
	}
	if !isKnown {
		return "", m, fmt.Errorf("%w: no model is called %q", ErrNoModel, id)
	}
	return "", known, fmt.Errorf("%w: %s is not there: %s", ErrNoModel, id, remedyFor(known, p.Catalogue.Default))
}

// remedyFor is the one command that brings a model.
func remedyFor(m models.Model, usual string) string {
	if m.ID == usual {
		return remedy
	}
	return "run `skillcorpus model pull " + m.ID + "`"
}

// whole looks at the sizes alone, since it runs before every search; Check looks at the digests.
func whole(folder string, m models.Model) error {
	for _, f := range m.Files {
		info, err := os.Stat(filepath.Join(folder, f.Name))
		if err != nil {
			return fmt.Errorf("%w: %s is damaged: %w", ErrNoModel, m.ID, err)
		}
		if info.Size() != f.Size {
			return fmt.Errorf("%w: %s is damaged: %s has %d bytes, want %d",
				ErrNoModel, m.ID, filepath.Join(folder, f.Name), info.Size(), f.Size)
		}
	}
	return nil
}

// choose returns the id to use where none was asked for: the default, or else the first one that is here.
func (p *Places) choose() string {
	if _, _, err := p.locate(p.Catalogue.Default); errors.Is(err, ErrNoModel) {
		for _, m := range p.Catalogue.Models {
			if _, _, err := p.locate(m.ID); err == nil {
				return m.ID
			}
		}
	}
	return p.Catalogue.Default
}

// Options are how a model is to be used. Zero values mean the defaults of onnx.Config.
type Options struct {
	PassageTokens int
	Threads       int
}

// Open returns the embedder of a model; an empty id means the default, or the first one that is here. The error
// is ErrNoModel or ErrNoRuntime where something must first be fetched, and says how.
func (p *Places) Open(id string, o Options) (*onnx.Embedder, error) {
	if id == "" {
		id = p.choose()
	}
	folder, m, err := p.locate(id)
	if err != nil {
		return nil, err
	}
	vocabulary, err := ownVocabulary(folder, m)
	if err != nil {
		return nil, err
	}
	var failed []error
	for _, library := range p.runtimes() {
		e, err := onnx.Open(onnx.Config{
			Library: library, Graph: filepath.Join(folder, models.Graph), Vocabulary: vocabulary, Model: m,
			PassageTokens: o.PassageTokens, Threads: o.Threads,
		})
		if !errors.Is(err, onnx.ErrLibrary) {
			return e, err
		}
		failed = append(failed, err)
	}
	if p.Library != "" {
		return nil, fmt.Errorf("%w: %w: mend SKILLCORPUS_ONNXRUNTIME or the flag", ErrNoRuntime, failed[0])
	}
	if p.placedRuntime() != "" {
		return nil, fmt.Errorf("%w: %w: run `skillcorpus model check`", ErrNoRuntime, failed[0])
	}
	return nil, fmt.Errorf("%w: %s", ErrNoRuntime, remedy)
}

// vocabularyName is the file of a model with a vocabulary of its own.
const vocabularyName = "vocab.txt"

func ownVocabulary(folder string, m models.Model) (string, error) {
	for _, f := range m.Files {
		if f.Name == vocabularyName {
			text, err := os.ReadFile(filepath.Join(folder, f.Name))
			return string(text), err
		}
	}
	return "", nil
}
