// Package modeltest gives tests the real model. Only tests use it.
package modeltest

import (
	"errors"
	"os"
	"testing"

	"skillcorpus/data/models"
	"skillcorpus/index/embed/onnx"
	"skillcorpus/index/model"
)

// Places finds what `make setup` has put into the user's cache.
func Places(t testing.TB) *model.Places {
	t.Helper()
	return model.Find(t.TempDir(), os.Getenv)
}

// Open opens a model, the default for an empty id. Where it or the runtime is absent the test is skipped, but
// fails in CI if it is the default, which `make setup` brings.
func Open(t testing.TB, id string, o model.Options) *onnx.Embedder {
	t.Helper()
	usual := models.Load().Default
	if id == "" {
		id = usual
	}
	e, err := Places(t).Open(id, o)
	switch {
	case errors.Is(err, model.ErrNoModel) || errors.Is(err, model.ErrNoRuntime):
		if os.Getenv("CI") == "true" && id == usual {
			t.Fatalf("CI needs `make setup`: %v", err)
		}
		t.Skipf("skipped: %v", err)
	case err != nil:
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}
