package judge

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"skillcorpus/data"
)

// parse reads an answer: one JSON object with all the fields that were asked for and no others, alone or in one code
// fence. Anything else is no answer: a guess at what a model meant would be our judgement, not its.
func parse(text string) (Answer, error) {
	text = strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(text, "```"); ok {
		inner, ok = strings.CutSuffix(strings.TrimPrefix(inner, "json"), "```")
		if !ok {
			return Answer{}, errors.New("a fence that is not closed")
		}
		text = inner
	}
	var fields struct {
		CodeSound      *bool      `json:"code_sound"`
		MissingFiles   *bool      `json:"missing_files"`
		Missing        *[]string  `json:"missing"`
		PurposeAligned *bool      `json:"purpose_aligned"`
		Tier           *data.Tier `json:"tier"`
		Reason         *string    `json:"reason"`
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&fields); err != nil {
		return Answer{}, fmt.Errorf("not the JSON object that was asked for: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return Answer{}, errors.New("more than one JSON object")
	}
	if fields.CodeSound == nil || fields.MissingFiles == nil || fields.Missing == nil || fields.PurposeAligned == nil || fields.Tier == nil || fields.Reason == nil {
		return Answer{}, errors.New("a field lacks")
	}
	a := Answer{*fields.CodeSound, *fields.MissingFiles, *fields.Missing, *fields.PurposeAligned, *fields.Tier, *fields.Reason}
	switch {
	case a.Tier != data.TierFunctional && a.Tier != data.TierPartial && a.Tier != data.TierReferenceOnly:
		return Answer{}, fmt.Errorf("no tier %q", a.Tier)
	case a.MissingFiles != (len(a.Missing) > 0):
		return Answer{}, errors.New("missing_files and missing contradict each other")
	}
	return a, nil
}
