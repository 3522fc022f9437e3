package model

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"

	"skillcorpus/data/models"
)

// Where Pull asks unless it is told otherwise.
const (
	DefaultHub = "https://huggingface.co"
	DefaultAPI = "https://api.github.com"
)

// Errors of Pull.
var (
	ErrNotPulled = errors.New("the host does not have it")
	ErrInsecure  = errors.New("refused: plain http to another machine")
	ErrNoSource  = errors.New("no model hub has it")
)

// Web says how to reach the hosts. Zero values mean the defaults.
type Web struct {
	Hub    string // base URL of the model hub
	API    string // base URL of the GitHub API that has the runtime's releases
	Agent  string // User-Agent
	Client *http.Client
	// Progress is told of the bytes of a file as they come.
	Progress func(name string, done, total int64)
}

// Pull fetches a model of the catalogue from a model hub, and the runtime from its project's releases; what is
// here, whole, is not fetched again. An empty id means the default, or where no hub has that, the first that
// one has.
func (p *Places) Pull(ctx context.Context, id string, web Web) ([]Added, error) {
	m, err := p.pullable(id)
	if err != nil {
		return nil, err
	}
	desk, err := p.newDesk()
	if err != nil {
		return nil, err
	}
	defer desk.clear()
	l := newLine(web)
	var added []Added
	for _, pull := range []func() (Added, error){
		func() (Added, error) { return p.pullModel(ctx, desk, l, m) },
		func() (Added, error) { return p.pullRuntime(ctx, desk, l) },
	} {
		a, err := pull()
		if err != nil {
			return added, fmt.Errorf("pull %s: %w", a.ID, err)
		}
		added = append(added, a)
	}
	return added, nil
}

func (p *Places) pullable(id string) (models.Model, error) {
	hub := func(m models.Model) bool {
		for _, f := range m.Files {
			if hubPath(f) == "" {
				return false
			}
		}
		return true
	}
	wanted, known := p.Catalogue.Model(id)
	if id == "" {
		wanted, known = p.Catalogue.Model(p.choose())
		for _, m := range p.Catalogue.Models {
			if !p.here(wanted) && !hub(wanted) && hub(m) {
				wanted = m
			}
		}
	}
	switch {
	case !known:
		return wanted, fmt.Errorf("%w: no model is called %q", ErrNoModel, id)
	case !hub(wanted) && !p.here(wanted):
		return wanted, fmt.Errorf("%w: %s: fetch %s and hand it to `skillcorpus model add`",
			ErrNoSource, wanted.ID, origin(wanted))
	}
	return wanted, nil
}

func (p *Places) here(m models.Model) bool {
	folder, _, err := p.locate(m.ID)
	return err == nil && verify(folder, m) == nil
}

func hubPath(f models.File) string {
	for _, s := range f.Sources {
		if s.Hub != "" {
			return s.Hub
		}
	}
	return ""
}

// origin names the packages that hold a model.
func origin(m models.Model) string {
	var names []string
	for _, f := range m.Files {
		for _, s := range f.Sources {
			if s.Package != "" {
				names = append(names, "the Python package "+s.Package)
			}
			if s.Artifact != "" {
				names = append(names, "the Java artifact "+s.Artifact)
			}
		}
	}
	return strings.Join(names, " or ")
}

func (p *Places) pullModel(ctx context.Context, d *desk, l *line, m models.Model) (Added, error) {
	if folder, _, err := p.locate(m.ID); err == nil && verify(folder, m) == nil {
		return Added{ID: m.ID, Path: folder, Before: true}, nil
	}
	for _, f := range m.Files {
		w := wanted{name: m.ID, url: l.Hub + "/" + hubPath(f), size: f.Size, sha256: f.SHA256}
		file, err := l.download(ctx, d, w)
		if err != nil {
			return Added{ID: m.ID}, err
		}
		d.found[f.SHA256] = file
	}
	return p.placeModel(d, m)
}

// releasedName is the file beside a library that came from a release: its digest is not the catalogue's.
const releasedName = "released"

// asset is a file of a release as GitHub describes it.
type asset struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	URL    string `json:"browser_download_url"`
	Digest string `json:"digest"` // sha256:…
}

func (p *Places) pullRuntime(ctx context.Context, d *desk, l *line) (Added, error) {
	a := Added{ID: RuntimeID}
	if path := p.placedRuntime(); path != "" && p.verifyRuntime() == nil {
		return Added{ID: RuntimeID, Path: path, Before: true}, nil
	}
	library, ok := p.Catalogue.Runtime.Library(p.Platform)
	if !ok {
		return a, fmt.Errorf("%w: none is known for %s: name one with SKILLCORPUS_ONNXRUNTIME", ErrNoRuntime, p.Platform)
	}
	released, err := l.asset(ctx, p.Catalogue.Runtime.Release, library.Asset)
	if err != nil {
		return a, err
	}
	digest, ok := strings.CutPrefix(released.Digest, "sha256:")
	if !ok {
		return a, fmt.Errorf("%s: %w: the release states no SHA-256", released.Name, ErrChecksum)
	}
	w := wanted{name: RuntimeID, url: released.URL, size: released.Size, sha256: digest}
	packed, err := l.download(ctx, d, w)
	if err != nil {
		return a, err
	}
	file, err := d.unpack(packed, library.Name)
	if err != nil {
		return a, fmt.Errorf("%s: %w", released.Name, err)
	}
	return p.placeRuntime(d, library.Name, file, []byte(released.Name+" "+digest+"\n"))
}

// maxAnswer bounds the description of a release.
const maxAnswer = 4 << 20

// asset asks for a release and returns its file of that name.
func (l *line) asset(ctx context.Context, release, name string) (found asset, err error) {
	body, err := l.get(ctx, l.API+"/repos/"+release)
	if err != nil {
		return asset{}, err
	}
	defer func() { err = errors.Join(err, body.Close()) }()
	var answer struct {
		Assets []asset `json:"assets"`
	}
	if err := json.NewDecoder(io.LimitReader(body, maxAnswer)).Decode(&answer); err != nil {
		return asset{}, fmt.Errorf("release %s: %w", release, err)
	}
	for _, a := range answer.Assets {
		if a.Name == name {
			return a, nil
		}
	}
	return asset{}, fmt.Errorf("release %s has no %s: %w", release, name, ErrNotPulled)
}

// maxLibrary bounds what is unpacked: a build for one platform has 35 MB.
const maxLibrary = 512 << 20

// unpack takes the library out of a gzipped tar, whatever folder it is in there.
func (d *desk) unpack(packed, name string) (file string, err error) {
	from, err := openGzip(packed)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	for members := tar.NewReader(from); ; {
		header, err := members.Next()
		if errors.Is(err, io.EOF) {
			return "", fmt.Errorf("%s is not in it: %w", name, ErrUnknown)
		}
		if err != nil {
			return "", err
		}
		if header.Typeflag != tar.TypeReg || path.Base(header.Name) != name {
			continue
		}
		if header.Size > maxLibrary {
			return "", fmt.Errorf("%s has %d bytes: %w", name, header.Size, errCut)
		}
		file, _, err = d.write(members, header.Size)
		return file, err
	}
}

// gzipFile closes both the unpacker and the file.
type gzipFile struct {
	*gzip.Reader
	file io.Closer
}

func (g gzipFile) Close() error { return errors.Join(g.Reader.Close(), g.file.Close()) }
