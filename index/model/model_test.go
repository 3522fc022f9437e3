package model_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skillcorpus/data/models"
	"skillcorpus/index/model"
	"skillcorpus/index/model/modeltest"
)

// The files of the small catalogue: no model can be made of them, which Add and Pull don't mind.
const (
	graph   = "the graph of a small model"
	other   = "the graph of a second model, on a hub alone"
	library = "the library that runs them"
)

func fileOf(name, content string, sources ...models.Source) models.File {
	return models.File{
		Name: name, Size: int64(len(content)), SHA256: fmt.Sprintf("%x", sha256.Sum256([]byte(content))), Sources: sources,
	}
}

func modelOf(id, content string, sources ...models.Source) models.Model {
	return models.Model{
		ID: id, Title: "A model", License: "MIT", Dimensions: 1, Pooling: models.PoolMean, MaxTokens: 8,
		Files: []models.File{fileOf(models.Graph, content, sources...)},
		Check: models.Check{Text: "text", Vector: "fw=="},
	}
}

// places is a folder with a catalogue of two models and a runtime.
func places(t testing.TB) *model.Places {
	t.Helper()
	dir := t.TempDir()
	return &model.Places{
		Dirs: []string{filepath.Join(dir, "data", "models"), filepath.Join(dir, "cache")}, Into: filepath.Join(dir, "cache"),
		Platform: "linux/amd64",
		Catalogue: &models.Catalogue{
			Schema: 1, Default: "small",
			Models: []models.Model{
				modelOf("small", graph, models.Source{Package: "small==1.0", Member: "small/m.onnx"}),
				modelOf("second", other, models.Source{Hub: "somebody/second/resolve/main/model.onnx"}),
			},
			Runtime: models.Runtime{
				Version: "9.9", License: "MIT", Release: "somebody/runtime/releases/tags/v9.9",
				Libraries: []models.Library{{Platform: "linux/amd64", File: fileOf("libonnxruntime.so.9.9", library), Asset: "runtime-9.9.tgz"}},
			},
		},
	}
}

func write(t testing.TB, path string, content []byte) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func zipped(t testing.TB, members ...string) []byte {
	t.Helper()
	var packed bytes.Buffer
	w := zip.NewWriter(&packed)
	for i := 0; i < len(members); i += 2 {
		f, err := w.Create(members[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(members[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// ids returns what was added, those that were there before with a star.
func ids(added []model.Added) []string {
	var all []string
	for _, a := range added {
		id := a.ID
		if a.Before {
			id += "*"
		}
		all = append(all, id)
	}
	slices.Sort(all)
	return all
}

func installed(p *model.Places) []string {
	var all []string
	for _, s := range p.List() {
		if s.Installed {
			all = append(all, s.ID)
		}
	}
	return all
}

// leftovers fails the test if anything of a desk is left.
func leftovers(t testing.TB, p *model.Places) {
	t.Helper()
	if left, _ := filepath.Glob(filepath.Join(p.Into, ".adding-*")); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}

func TestAdd(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name string
		make func(dir string) string
		want string
	}{
		{"wheel", func(dir string) string {
			return write(t, filepath.Join(dir, "small-1.0.whl"), zipped(t, "small/__init__.py", "code", "small/m.onnx", graph))
		}, "[small]"},
		{"jar with both", func(dir string) string {
			return write(t, filepath.Join(dir, "x.jar"), zipped(t, "a.onnx", graph, "../../b", other, "lib", library))
		}, "[onnxruntime second small]"},
		{"file of any name", func(dir string) string { return write(t, filepath.Join(dir, "download.bin"), []byte(other)) }, "[second]"},
		{"folder of archives and files", func(dir string) string {
			write(t, filepath.Join(dir, "a", "small.whl"), zipped(t, "m", graph))
			write(t, filepath.Join(dir, "b", "capi", "lib"), []byte(library))
			write(t, filepath.Join(dir, "README"), []byte("nothing"))
			return dir
		}, "[onnxruntime small]"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := places(t)
			source := c.make(t.TempDir())
			added, err := p.Add(t.Context(), source)
			if err != nil || fmt.Sprint(ids(added)) != c.want {
				t.Fatalf("%v, %v, want %s", ids(added), err, c.want)
			}
			again, err := p.Add(t.Context(), source)
			if want := strings.NewReplacer(" ", "* ", "]", "*]").Replace(c.want); err != nil || fmt.Sprint(ids(again)) != want {
				t.Errorf("again: %v, %v, want %s", ids(again), err, want)
			}
			if len(installed(p)) != len(added) {
				t.Errorf("installed %v of %v", installed(p), ids(added))
			}
			leftovers(t, p)
		})
	}
}

func TestAddRefuses(t *testing.T) {
	t.Parallel()
	changed := strings.Replace(graph, "small", "SMALL", 1)
	for name, c := range map[string]struct {
		content []byte
		want    error
		says    string
	}{
		"nothing.zip": {zipped(t, "README", "hello"), model.ErrUnknown, "model.onnx"},
		"other.whl":   {zipped(t, "m.onnx", changed), model.ErrChecksum, "m.onnx has SHA-256"},
		"size.whl":    {zipped(t, "x/model.onnx", graph+"."), model.ErrChecksum, "x/model.onnx has 27 bytes"},
		"broken.zip":  {[]byte("PK no zip"), zip.ErrFormat, "broken.zip"},
		"model.onnx":  {[]byte("something"), model.ErrUnknown, "9 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := places(t)
			_, err := p.Add(t.Context(), write(t, filepath.Join(t.TempDir(), name), c.content))
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, want %v that says %q", err, c.want, c.says)
			}
			if len(installed(p)) != 0 {
				t.Errorf("installed %v", installed(p))
			}
			leftovers(t, p)
		})
	}
	if _, err := places(t).Add(t.Context(), filepath.Join(t.TempDir(), "absent")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("absent: %v", err)
	}
}

// A folder with a model.yaml brings a model that the catalogue doesn't know; without one of its files, nothing.
func TestAddOwnModel(t *testing.T) {
	t.Parallel()
	own := modelOf("own-model", "a graph of my own")
	own.Files = append(own.Files, fileOf("vocab.txt", "[PAD]\n"))
	entry, err := models.Write(own)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "model.yaml"), entry)
	write(t, filepath.Join(dir, "model.onnx"), []byte("a graph of my own"))
	p := places(t)
	if _, err := p.Add(t.Context(), dir); !errors.Is(err, model.ErrUnknown) {
		t.Errorf("without its vocabulary: %v", err)
	}
	write(t, filepath.Join(dir, "vocab.txt"), []byte("[PAD]\n"))
	added, err := p.Add(t.Context(), dir)
	if err != nil || fmt.Sprint(ids(added)) != "[own-model]" || !slices.Equal(installed(p), []string{"own-model"}) {
		t.Errorf("%v, %v, installed %v", added, err, installed(p))
	}
	write(t, filepath.Join(dir, "model.yaml"), []byte("schema: 1\nid: x\nunknown: 1\n"))
	if _, err := p.Add(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "unknown") {
		t.Errorf("a faulty entry: %v", err)
	}
}

// A damaged model is named, and Add mends it.
func TestDamaged(t *testing.T) {
	t.Parallel()
	p := places(t)
	source := write(t, filepath.Join(t.TempDir(), "m.onnx"), []byte(graph))
	added, err := p.Add(t.Context(), source)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(added[0].Path, models.Graph)
	write(t, file, []byte("cut"))
	if _, err := p.Open("small", model.Options{}); !errors.Is(err, model.ErrNoModel) || !strings.Contains(err.Error(), file) {
		t.Errorf("cut: %v", err)
	}
	write(t, file, []byte(strings.ToUpper(graph)))
	if _, err := p.Check(t.Context(), "small"); !errors.Is(err, model.ErrChecksum) || !strings.Contains(err.Error(), file) {
		t.Errorf("changed: %v", err)
	}
	if again, err := p.Add(t.Context(), source); err != nil || again[0].Before {
		t.Errorf("mended: %v, %v", again, err)
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != graph {
		t.Errorf("%q, %v", got, err)
	}
	leftovers(t, p)
}

// What is missing is said with the one command that mends it.
func TestMissing(t *testing.T) {
	t.Parallel()
	p := places(t)
	for id, want := range map[string]string{
		"": "small is not there: run `skillcorpus model pull` (", "second": "`skillcorpus model pull second`", "none": `"none"`,
	} {
		if _, err := p.Open(id, model.Options{}); !errors.Is(err, model.ErrNoModel) || !strings.Contains(err.Error(), want) {
			t.Errorf("model %q: %v, want %s", id, err, want)
		}
	}
	if _, err := p.Add(t.Context(), write(t, filepath.Join(t.TempDir(), "m"), []byte(other))); err != nil {
		t.Fatal(err)
	}
	p.Library = filepath.Join(t.TempDir(), "absent.so")
	// Any model that is here does for the default; then the named library is the trouble, unless one is loaded.
	if _, err := p.Open("", model.Options{}); errors.Is(err, model.ErrNoModel) {
		t.Errorf("with another model: %v", err)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	env := map[string]string{"SKILLCORPUS_MODELS": "/m", "SKILLCORPUS_ONNXRUNTIME": "/l.so"}
	p := model.Find("/d", func(name string) string { return env[name] })
	if !slices.Equal(p.Dirs, []string{"/d/models", "/m"}) || p.Into != "/m" || p.Library != "/l.so" {
		t.Errorf("%+v", p)
	}
	p = model.Find("/d", func(string) string { return "" })
	if len(p.Dirs) == 0 || p.Dirs[0] != "/d/models" || p.Into != p.Dirs[len(p.Dirs)-1] {
		t.Errorf("%+v", p)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, m := range models.Load().Models {
		t.Run(m.ID, func(t *testing.T) {
			t.Parallel()
			modeltest.Open(t, m.ID, model.Options{}) // or skip
			r, err := modeltest.Places(t).Check(t.Context(), m.ID)
			if err != nil || r.Cosine < 0.999 || r.Runtime == "" || !strings.HasPrefix(r.Embedder, m.ID) {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
}

// A model that computes something else is found out, though its files are whole.
func TestCheckFindsAnotherVector(t *testing.T) {
	t.Parallel()
	modeltest.Open(t, "", model.Options{})
	p := modeltest.Places(t)
	for i := range p.Catalogue.Models {
		p.Catalogue.Models[i].Check.Text = "Something else."
	}
	if r, err := p.Check(t.Context(), p.Catalogue.Default); !errors.Is(err, model.ErrWrongVector) {
		t.Errorf("%+v, %v", r, err)
	}
}

// The setup script fetches what the catalogue names.
func TestSetupScript(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile("../../.ci/setup")
	if err != nil {
		t.Fatal(err)
	}
	c := models.Load()
	usual, _ := c.Model(c.Default)
	words := []string{c.Default, usual.Files[0].Sources[0].Package}
	for _, l := range c.Runtime.Libraries {
		for _, s := range l.Sources {
			words = append(words, s.Package, s.Wheel)
		}
	}
	for _, word := range words {
		if !strings.Contains(string(script), word) {
			t.Errorf(".ci/setup doesn't mention %s", word)
		}
	}
}
