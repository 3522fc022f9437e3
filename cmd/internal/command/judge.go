package command

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"skillcorpus/audit"
	"skillcorpus/audit/judge"
	"skillcorpus/audit/report"
	"skillcorpus/cmd/internal/pipeline"
	"skillcorpus/cmd/internal/terminal"
	"skillcorpus/data"
	"skillcorpus/store"
)

// judgeSettings are the flags of a language model as a second judge.
type judgeSettings struct {
	url, model     string
	budget, sample int
}

func (j *judgeSettings) flags(flags *pflag.FlagSet) {
	flags.StringVar(&j.url, "judge", "", "ask a language model about skills of the corpus: base URL of an OpenAI-compatible API (key in SKILLCORPUS_JUDGE_KEY)")
	flags.StringVar(&j.model, "judge-model", "", "the model's name at that API")
	flags.IntVar(&j.budget, "judge-budget", 500_000, "most tokens that this run may spend; 0: no limit")
	flags.IntVar(&j.sample, "judge-sample", 300, "ask about so many skills, in proportion by whether they bundle scripts; 0: all")
}

func (j *judgeSettings) check() error {
	switch {
	case j.url == "" && j.model != "":
		return errors.New("--judge-model goes with --judge")
	case j.url != "" && j.model == "":
		return errors.New("--judge needs --judge-model")
	case j.budget < 0 || j.sample < 0:
		return errors.New("--judge-budget and --judge-sample must not be negative")
	}
	return nil
}

// judgement is what `audit --judge --json` prints (docs/json.md).
type judgement struct {
	Type     string               `json:"type"` // always judgement
	Model    string               `json:"model"`
	Outcomes map[data.Outcome]int `json:"outcomes"`
	Cached   int                  `json:"cached"`
	Tokens   int                  `json:"tokens"`
	Left     int                  `json:"left"`
	RetryAt  *time.Time           `json:"retry_at"`
	Reason   string               `json:"reason"`
	report.Agreement
}

// How the judge is asked: gently, and with patience for a long answer.
const (
	judgeWorkers = 4
	judgeTimeout = 2 * time.Minute
	judgeWait    = time.Second
)

func (e *environment) judge(ctx context.Context, corpus *store.Store, s auditSettings) error {
	opinion, err := audit.AskJudge(ctx, corpus, audit.ReportOptions{Where: s.selection, Sample: s.judge.sample, Seed: s.seed}, judge.Config{
		URL: s.judge.url, Model: s.judge.model, Key: e.setting("JUDGE_KEY", ""), Cache: filepath.Join(e.data, "judge"), Budget: s.judge.budget,
		Workers: judgeWorkers, Timeout: judgeTimeout, Wait: judgeWait, Now: e.now,
	})
	if err != nil {
		return err
	}
	if err := e.printJudgement(s.judge.model, opinion); err != nil {
		return err
	}
	if waiting := opinion.Left + opinion.Outcomes[data.OutcomeLimited] + opinion.Outcomes[data.OutcomeUnavailable]; waiting > 0 {
		return fmt.Errorf("%w: %s not judged, by the budget, a limit or trouble of the endpoint", pipeline.ErrIncomplete, terminal.Count(int64(waiting), "skill"))
	}
	return nil
}

func (e *environment) printJudgement(model string, o audit.SecondOpinion) error {
	if e.JSON {
		j := judgement{
			Type: "judgement", Model: model, Outcomes: o.Outcomes, Cached: o.Cached, Tokens: o.Tokens, Left: o.Left, Reason: o.Reason, Agreement: o.Agreement,
		}
		if !o.RetryAt.IsZero() {
			j.RetryAt = &o.RetryAt
		}
		return e.Object(j)
	}
	malformed := o.Outcomes[data.OutcomeMalformed]
	e.Printf("%s: %s, %d of them from earlier runs; %s spent\n", terminal.Quote(model), terminal.Count(int64(len(o.Answers)+malformed), "answer"), o.Cached, terminal.Count(int64(o.Tokens), "token"))
	if malformed > 0 {
		e.Printf("%s could not be read\n", terminal.Count(int64(malformed), "answer"))
	}
	if o.Reason != "" {
		e.Warn("%s", o.Reason)
	}
	if o.Agreement.N == 0 {
		return nil
	}
	return e.printAgreement(o.Agreement)
}
