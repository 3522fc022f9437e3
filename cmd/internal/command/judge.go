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
	case j.url != "" && j.model == "":
		return errors.New("--judge needs --judge-model")
	case j.budget < 0 || j.sample < 0:
		return errors.New("--judge-budget and --judge-sample must not be negative")
	}
	return nil
}

// judgement is what `audit --judge --json` prints (docs/json.md).
type judgement struct {
	Type       string               `json:"type"` // always judgement
	Model      string               `json:"model"`
	Outcomes   map[data.Outcome]int `json:"outcomes"`
	Cached     int                  `json:"cached"`
	Unreadable int                  `json:"unreadable"`
	Tokens     int                  `json:"tokens"`
	Left       int                  `json:"left"`
	RetryAt    *time.Time           `json:"retry_at"`
	Reason     string               `json:"reason"`
	report.Agreement
}

// How the judge is asked: gently, and with patience for a long answer.
const (
	judgeWorkers  = 4
	judgeTimeout  = 2 * time.Minute
	judgeWait     = time.Second
	judgePatience = time.Minute
)

func (e *environment) judge(ctx context.Context, corpus *store.Store, s auditSettings) error {
	opinion, err := audit.AskJudge(ctx, corpus, audit.ReportOptions{Where: s.selection, Sample: s.judge.sample, Seed: s.seed}, judge.Config{
		URL: s.judge.url, Model: s.judge.model, Key: e.setting("JUDGE_KEY", ""), Cache: filepath.Join(e.data, "judge"), Budget: s.judge.budget,
		Workers: judgeWorkers, Timeout: judgeTimeout, Wait: judgeWait, Patience: judgePatience, Now: e.now,
		Waiting: func(until time.Time) {
			e.Note("judge: under a limit; it goes on at %s", until.Local().Format(time.TimeOnly))
		},
	})
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%w; %s kept", pipeline.ErrStopped, terminal.Count(int64(len(opinion.Answers)), "answer"))
	case err != nil:
		return err
	}
	if err := e.printJudgement(s.judge.model, opinion); err != nil {
		return err
	}
	return e.judged(s.judge, opinion)
}

// judged returns what keeps a second opinion from being whole. That is a failure where no wait would help, or where most
// of it lacks.
func (e *environment) judged(s judgeSettings, o audit.SecondOpinion) error {
	answers, without := len(o.Answers), o.Left
	for outcome, n := range o.Outcomes {
		if outcome != data.OutcomeOK {
			without += n
		}
	}
	switch {
	case without == 0:
		return nil
	case o.Reason == "" && answers == 0:
		return fmt.Errorf("nothing was asked: --judge-budget %d is less than one question may cost; give more, or 0 for no limit", s.budget)
	case o.Reason == "":
		return fmt.Errorf("%w: %s not asked, since --judge-budget was spent: the same command goes on", pipeline.ErrIncomplete, terminal.Count(int64(o.Left), "skill"))
	case o.Trouble == judge.Limited:
		return fmt.Errorf("%w: %s not judged; the judge may be asked again at %s (in %s): run the same command then", pipeline.ErrIncomplete,
			terminal.Count(int64(without), "skill"), o.RetryAt.Local().Format(time.DateTime), o.RetryAt.Sub(e.now()).Round(time.Second))
	case answers == 0:
		return fmt.Errorf("no agreement: of %s none has an answer\n%s", terminal.Count(int64(without), "skill"), e.judgeAdvice(o.Trouble))
	case o.Unreadable > answers:
		return fmt.Errorf("the agreement is of little worth: %d answers could be read and %d could not\n%s", answers, o.Unreadable, e.judgeAdvice(judge.Unreadable))
	case o.Left > 0 && (o.Outcomes[data.OutcomeForbidden] > 0 || o.Outcomes[data.OutcomeGone] > 0):
		return fmt.Errorf("%s not judged\n%s", terminal.Count(int64(without), "skill"), e.judgeAdvice(o.Trouble))
	case o.Left > 0 || o.Outcomes[data.OutcomeUnavailable] > 0:
		return fmt.Errorf("%w: %s not judged\n%s", pipeline.ErrIncomplete, terminal.Count(int64(without), "skill"), e.judgeAdvice(o.Trouble))
	}
	return nil
}

// judgeAdvice says what a user can do about a trouble of the judge.
func (e *environment) judgeAdvice(trouble judge.Trouble) string {
	switch trouble {
	case judge.Unreachable:
		return "see that the server of --judge runs and that its address and port are right"
	case judge.Insecure:
		return "see that --judge begins with the scheme that the server speaks, and that its certificate is trusted (SSL_CERT_FILE names others)"
	case judge.Slow, judge.CutOff, judge.Failing:
		return "the answers until now are kept: run the same command again when the server is well"
	case judge.KeyRefused:
		return "see that SKILLCORPUS_JUDGE_KEY holds a key that is valid there and may use the model"
	case judge.NotFound:
		return "see that --judge is the base of the API, to which /chat/completions is added (such as http://127.0.0.1:8000/v1), and that it has the model of --judge-model"
	case judge.NoAPI:
		return "see that --judge is the base of an OpenAI-compatible API, to which /chat/completions is added (such as http://127.0.0.1:8000/v1), and no page for people"
	case judge.Refused, judge.TooLong:
		return "see that the model of --judge-model takes chat messages of some 6,000 tokens and answers in 600"
	}
	return "try a model that follows instructions better; what could not be read is asked again by the next run"
}

func (e *environment) printJudgement(model string, o audit.SecondOpinion) error {
	if e.JSON {
		j := judgement{
			Type: "judgement", Model: model, Outcomes: o.Outcomes, Cached: o.Cached, Unreadable: o.Unreadable, Tokens: o.Tokens, Left: o.Left, Reason: o.Reason,
			Agreement: o.Agreement,
		}
		if !o.RetryAt.IsZero() {
			j.RetryAt = &o.RetryAt
		}
		return e.Object(j)
	}
	e.Printf("%s: %s, %d of them from earlier runs; %s spent\n", terminal.Quote(model), terminal.Count(int64(len(o.Answers)), "answer"), o.Cached, terminal.Count(int64(o.Tokens), "token"))
	if o.Unreadable > 0 {
		e.Printf("%s could not be read\n", terminal.Count(int64(o.Unreadable), "more answer"))
	}
	if o.Reason != "" {
		e.Warn("%s", o.Reason)
	}
	if o.Agreement.N == 0 {
		return nil
	}
	return e.printAgreement(o.Agreement)
}
