package report

import (
	"encoding/json"
	"io"
)

// JSON writes the figures as one object on one line (docs/json.md).
func JSON(w io.Writer, f *Figures) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(f)
}
