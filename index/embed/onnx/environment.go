package onnx

import (
	"fmt"
	"sync"

	ort "github.com/yalue/onnxruntime_go"
)

// loading guards the one environment that ONNX Runtime has in a process: the library allows no second, and
// can't be unloaded while a session of any embedder lives. It is loaded once and stays.
var loading sync.Mutex

// load loads the library unless one is loaded already. Path is a file, or a name that the system's loader finds.
func load(path string) error {
	loading.Lock()
	defer loading.Unlock()
	if ort.IsInitialized() {
		return nil
	}
	ort.SetSharedLibraryPath(path)
	if err := ort.InitializeEnvironment(ort.WithLogLevelError()); err != nil {
		return fmt.Errorf("%w %s: %w", ErrLibrary, path, err)
	}
	return ort.DisableTelemetry()
}

// RuntimeVersion returns the version of the library, once an embedder has been opened.
func RuntimeVersion() string { return ort.GetVersion() }
