package index

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"skillcorpus/index/vector"
)

// Version is that of this stage: it rises when the same corpus would give another index.
const Version = 2

// Schema is that of the manifest. A folder with a greater one was written by a newer program.
const Schema = 1

// manifestName is the file that makes a folder an index.
const manifestName = "manifest.json"

// The ways in which a folder is not a usable index. None of them is a fault of the corpus: `index` builds it
// again.
var (
	ErrNoIndex = errors.New("no index")
	ErrDamaged = errors.New("damaged index")
	ErrNewer   = errors.New("index from a newer version")
)

// ListKind says how a list of an index is searched.
type ListKind string

// The kinds of list: searched by words, or by the meaning of one section.
const (
	KindLexical ListKind = "lexical"
	KindVector  ListKind = "vector"
)

// Manifest says what an index folder holds. It has no times, so that the same corpus gives the same file.
type Manifest struct {
	Schema  int    `json:"schema"`
	Name    string `json:"name"`
	Version int    `json:"version"` // of the stage that wrote it
	Corpus  string `json:"corpus"`  // digest of the corpus it was built from
	Skills  int    `json:"skills"`
	Lists   []List `json:"lists"` // sorted by file
}

// List is one searchable file of an index.
type List struct {
	Kind   ListKind `json:"kind"`
	File   string   `json:"file"` // name in the folder
	Bytes  int64    `json:"bytes"`
	SHA256 string   `json:"sha256"`
	Count  int      `json:"count"` // entries: skills of a lexical list, rows of a vector list

	// Of a vector list alone. Its file is the matrix, row by row, then the number of each row's skill in the
	// lexical list, from 1, as uint32, then the SHA-256 of the text that each row was made of.
	Section    Section      `json:"section,omitempty"`
	Embedder   string       `json:"embedder,omitempty"` // the model with all that its vectors depend on
	Dimensions int          `json:"dimensions,omitempty"`
	DType      vector.DType `json:"dtype,omitempty"`
	Missing    int          `json:"missing,omitempty"` // skills whose text is not embedded yet
	Refused    int          `json:"refused,omitempty"` // skills whose text the model can't embed
}

// shape returns what a vector list's file holds.
func (l List) shape() vector.Shape {
	return vector.Shape{DType: l.DType, Dimensions: l.Dimensions, Count: l.Count}
}

// ReadManifest reads the manifest of an index folder. It returns ErrNoIndex where there is none, ErrDamaged
// where it can't be read, and ErrNewer where a newer program wrote it.
func ReadManifest(dir string) (Manifest, error) {
	text, err := os.ReadFile(filepath.Join(dir, manifestName))
	if errors.Is(err, os.ErrNotExist) {
		return Manifest{}, fmt.Errorf("%w in %s: build it with `skillcorpus index`", ErrNoIndex, dir)
	}
	if err != nil {
		return Manifest{}, fmt.Errorf("read index manifest: %w", err)
	}
	var head struct {
		Schema int `json:"schema"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return Manifest{}, damaged(dir, "its manifest is not readable: "+err.Error())
	}
	if head.Schema > Schema {
		return Manifest{}, fmt.Errorf("%w: %s has schema %d, this program reads up to %d: update it, or build the index again with `skillcorpus index`",
			ErrNewer, dir, head.Schema, Schema)
	}
	var m Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return Manifest{}, damaged(dir, "its manifest is not readable: "+err.Error())
	}
	return m, m.check(dir)
}

// check refuses a manifest that promises nothing to search or names files outside its folder.
func (m Manifest) check(dir string) error {
	if m.Schema < 1 || len(m.Lists) == 0 {
		return damaged(dir, "its manifest names no list")
	}
	for _, l := range m.Lists {
		if l.File == "" || l.File != filepath.Base(l.File) || l.File == ".." || l.File == manifestName {
			return damaged(dir, fmt.Sprintf("its manifest names the file %q", l.File))
		}
	}
	return nil
}

// List returns the list of a kind, and false if the index has none.
func (m Manifest) List(kind ListKind) (List, bool) {
	for _, l := range m.Lists {
		if l.Kind == kind {
			return l, true
		}
	}
	return List{}, false
}

// Vectors returns the vector lists, in the order of their files.
func (m Manifest) Vectors() []List {
	var lists []List
	for _, l := range m.Lists {
		if l.Kind == KindVector {
			lists = append(lists, l)
		}
	}
	return lists
}

// damaged returns an ErrDamaged that says what is wrong and what to do.
func damaged(dir, why string) error {
	return fmt.Errorf("%w: %s: %s: build it again with `skillcorpus index --rebuild`", ErrDamaged, dir, why)
}
