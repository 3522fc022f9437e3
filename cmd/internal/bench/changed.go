package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// oneIn is how many skills there are for each that changes.
const oneIn = 100

// writeChanged writes every hundredth record of the corpus with a line more in its SKILL.md, as a file to import.
func writeChanged(name string, corpus []string) (err error) {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	out := json.NewEncoder(file)
	row := 0
	for _, part := range corpus {
		if err := eachRecord(part, func(record map[string]any) error {
			row++
			text, ok := record["skill_md"].(string)
			if row%oneIn != 0 || !ok {
				return nil
			}
			record["skill_md"] = text + "\nA line that was not there before.\n"
			return out.Encode(record)
		}); err != nil {
			return fmt.Errorf("change records of %s: %w", part, err)
		}
	}
	return nil
}

func eachRecord(name string, use func(map[string]any) error) (err error) {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return err
	}
	for decoder := json.NewDecoder(bufio.NewReader(unzipped)); ; {
		var record map[string]any
		err := decoder.Decode(&record)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = use(record)
		}
		if err != nil {
			return err
		}
	}
}
