// Package models owns the catalogue of embedding models: what each computes, the files it consists of and where
// they can be had, the library that runs them, and the vocabulary that they share.
//
// It never looks for a file or opens a connection. index/model does, and index/embed/onnx runs what it finds.
package models

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v4"
)

//go:embed models.yaml
var catalogue []byte

//go:embed vocab.txt
var vocabulary string

// Vocabulary is that of BERT's uncased models: one piece a line, numbered from 0. Its licence lies beside it.
func Vocabulary() string { return vocabulary }

// Schema is that of the catalogue and of the model.yaml in a model's folder.
const Schema = 1

// Catalogue is what the program knows.
type Catalogue struct {
	Schema  int     `yaml:"schema"`
	Default string  `yaml:"default"` // id of the model that is used unless another is asked for
	Models  []Model `yaml:"models"`
	Runtime Runtime `yaml:"runtime"`
}

// Pooling says how the vectors of a text's tokens become one.
type Pooling string

// The two ways of BERT's models: the mean over all tokens, or the first token's.
const (
	PoolMean  Pooling = "mean"
	PoolFirst Pooling = "first"
)

// Model is one embedding model.
type Model struct {
	ID            string  `yaml:"id"` // also its folder's name
	Title         string  `yaml:"title"`
	License       string  `yaml:"license"` // SPDX
	Dimensions    int     `yaml:"dimensions"`
	Pooling       Pooling `yaml:"pooling"`
	MaxTokens     int     `yaml:"max_tokens"` // that it was trained for, with the two that frame a text
	QueryPrefix   string  `yaml:"query_prefix,omitempty"`
	PassagePrefix string  `yaml:"passage_prefix,omitempty"`
	// Alone means that texts must be run one at a time: with quantised operators a text's vector depends on
	// the others in its batch.
	Alone bool   `yaml:"alone,omitempty"`
	Files []File `yaml:"files"`
	Check Check  `yaml:"check,omitempty"`
}

// File is a file of a model or of the runtime, known by its digest wherever it comes from.
type File struct {
	Name    string   `yaml:"name"`
	Size    int64    `yaml:"size,omitempty"`
	SHA256  string   `yaml:"sha256,omitempty"`
	Sources []Source `yaml:"sources,omitempty"`
}

// Source is one place where a file can be had: a path below a model hub, or a member of a Python package or
// Java artifact that somebody has fetched.
type Source struct {
	Hub      string `yaml:"hub,omitempty"`
	Package  string `yaml:"package,omitempty"`
	Artifact string `yaml:"artifact,omitempty"`
	Member   string `yaml:"member,omitempty"`
	Wheel    string `yaml:"wheel,omitempty"` // platform tag, where a package has one wheel a platform
}

// Check is a text with its vector, to tell whether a model works. The vector holds each dimension as a signed
// byte, scaled alike, in base64: cosines are right to a thousandth.
type Check struct {
	Text   string `yaml:"text"`
	Vector string `yaml:"vector"`
}

// Runtime is ONNX Runtime.
type Runtime struct {
	Version   string    `yaml:"version"`
	License   string    `yaml:"license"`
	Release   string    `yaml:"release"` // path of the release below repos/ of GitHub's API
	Libraries []Library `yaml:"libraries"`
}

// Library is the runtime for one platform.
type Library struct {
	Platform string `yaml:"platform"` // GOOS/GOARCH
	File     `yaml:",inline"`
	Asset    string `yaml:"asset"` // of the release: a gzipped tar
}

// Load returns the catalogue. It panics if the embedded file is not valid, which a test rules out.
func Load() *Catalogue {
	c := new(Catalogue)
	err := decode(catalogue, c)
	if err == nil {
		err = c.validate()
	}
	if err != nil {
		panic(fmt.Sprintf("models.yaml: %v", err))
	}
	return c
}

// Model returns the model of an id.
func (c *Catalogue) Model(id string) (Model, bool) {
	for _, m := range c.Models {
		if m.ID == id {
			return m, true
		}
	}
	return Model{}, false
}

// Library returns the runtime of a platform, GOOS/GOARCH.
func (r Runtime) Library(platform string) (Library, bool) {
	for _, l := range r.Libraries {
		if l.Platform == platform {
			return l, true
		}
	}
	return Library{}, false
}

// Graph is the name of the file that holds a model's graph and weights.
const Graph = "model.onnx"

// Read reads the model.yaml of a model's folder, strictly.
func Read(text []byte) (Model, error) {
	entry := struct {
		Schema int `yaml:"schema"`
		Model  `yaml:",inline"`
	}{}
	if err := decode(text, &entry); err != nil {
		return Model{}, err
	}
	if entry.Schema != Schema {
		return Model{}, fmt.Errorf("schema %d, want %d", entry.Schema, Schema)
	}
	return entry.Model, entry.validate()
}

// Write returns the model.yaml that Read reads.
func Write(m Model) ([]byte, error) {
	return yaml.Marshal(struct {
		Schema int `yaml:"schema"`
		Model  `yaml:",inline"`
	}{Schema, m})
}

// decode refuses unknown and repeated fields, and anything after the document.
func decode(text []byte, into any) error {
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(into); err != nil {
		return err
	}
	if err := d.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return errors.New("more than one document")
	}
	return nil
}
