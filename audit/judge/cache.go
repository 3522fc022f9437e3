package judge

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"skillcorpus/data"
)

// reply is what the endpoint gave for one prompt: an answer, or a text and why that is none. Only an answer is kept.
type reply struct {
	Answer *Answer `json:"answer"`
	Tokens int     `json:"tokens"`

	text  string
	fault string
}

// cache keeps replies, one file each, by model, instructions and prompt.
type cache struct{ dir, model string }

func (c cache) path(prompt string) string {
	return filepath.Join(c.dir, data.SHA256Hex([]byte(c.model+"\x00"+instructions+"\x00"+prompt))+".json")
}

// load returns a kept reply. A damaged one counts as none, and so does one without an answer, as earlier versions kept.
func (c cache) load(prompt string) (reply, bool, error) {
	text, err := os.ReadFile(c.path(prompt))
	switch {
	case errors.Is(err, os.ErrNotExist):
		return reply{}, false, nil
	case err != nil:
		return reply{}, false, fmt.Errorf("read kept answer: %w", err)
	}
	var kept reply
	if json.Unmarshal(text, &kept) != nil || kept.Answer == nil {
		return reply{}, false, nil
	}
	return kept, true, nil
}

// store keeps a reply under its name only when it is whole.
func (c cache) store(prompt string, r reply) (err error) {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(c.dir, ".answer-*")
	if err != nil {
		return fmt.Errorf("keep answer: %w", err)
	}
	_, err = file.Write(append(text, '\n'))
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), c.path(prompt))
	}
	if err != nil {
		return fmt.Errorf("keep answer: %w", errors.Join(err, os.Remove(file.Name())))
	}
	return nil
}
