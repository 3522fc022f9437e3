package command

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"skillcorpus/cmd/internal/terminal"
	"skillcorpus/crawl/github"
	"skillcorpus/crawl/source/skillsmp"
	"skillcorpus/index"
	"skillcorpus/store"
)

func (e *environment) doctor() *cobra.Command {
	var network bool
	command := &cobra.Command{
		Use:   "doctor",
		Short: "Check that everything here is fit for work, and say how to mend what is not",
		Long: `Check the data folder, the disk, the database, the index and the settings; with
--network also that the hosts answer. Exit code 4 if something must be mended.`,
		Example: `  skillcorpus doctor
  skillcorpus doctor --network`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return e.examine(command.Context(), network)
		},
	}
	command.Flags().BoolVar(&network, "network", false, "ask the hosts too, one request each")
	return command
}

// checked is what `doctor --json` prints for each check (docs/json.md).
type checked struct {
	Type string `json:"type"` // always check
	check
}

// check is one line of doctor's report.
type check struct {
	Check  string `json:"check"`
	State  string `json:"state"` // ok, note, fail
	Detail string `json:"detail"`
	Remedy string `json:"remedy,omitempty"`
}

func (e *environment) examine(ctx context.Context, network bool) error {
	checks := []check{e.checkFolder(), e.checkDisk()}
	checks = append(checks, e.checkCorpus(ctx)...)
	checks = append(checks, e.checkToken())
	if network {
		checks = append(checks,
			e.checkHost(ctx, "GitHub API", e.setting("GITHUB_API_URL", github.DefaultAPIURL)+"/rate_limit"),
			e.checkHost(ctx, "SkillsMP", e.setting("SKILLSMP_URL", skillsmp.DefaultURL)+"/api/health"))
	}
	failed := false
	for _, c := range checks {
		failed = failed || c.State == "fail"
		if e.JSON {
			if err := e.Object(checked{"check", c}); err != nil {
				return err
			}
			continue
		}
		e.Printf("%-5s %-12s %s\n", c.State, c.Check, terminal.Quote(c.Detail))
		if c.Remedy != "" {
			e.Printf("      %-12s %s\n", "", terminal.Quote(c.Remedy))
		}
	}
	if failed {
		return errFinding
	}
	return nil
}

// checkFolder tries to write, since only that tells.
func (e *environment) checkFolder() check {
	c := check{Check: "data folder", State: "ok", Detail: e.data}
	place := e.data
	for {
		if _, err := os.Stat(place); err == nil {
			break
		}
		if filepath.Dir(place) == place {
			break
		}
		place = filepath.Dir(place)
	}
	file, err := os.CreateTemp(place, ".doctor-*")
	if err == nil {
		err = errors.Join(file.Close(), os.Remove(file.Name()))
	}
	if err != nil {
		c.State, c.Detail, c.Remedy = "fail", err.Error(), "choose another folder with --data or SKILLCORPUS_DATA"
	} else if place != e.data {
		c.State, c.Detail = "note", e.data+" does not exist yet; the first crawl or import makes it"
	}
	return c
}

// leastDisk is about what a corpus of 35,000 skills with its index takes, twice: a rebuild keeps the old one.
const leastDisk = 2 << 30

func (e *environment) checkDisk() check {
	var disk syscall.Statfs_t
	place, err := filepath.Abs(e.data)
	for err == nil && syscall.Statfs(place, &disk) != nil {
		if filepath.Dir(place) == place {
			err = errors.New("cannot be measured")
		}
		place = filepath.Dir(place)
	}
	if err != nil {
		return check{"disk", "note", err.Error(), ""}
	}
	free := int64(disk.Bavail) * int64(disk.Bsize)
	c := check{"disk", "ok", terminal.Bytes(free) + " free", ""}
	if free < leastDisk {
		c.State, c.Remedy = "note", "a corpus of 35,000 skills with its index takes about 1 GB"
	}
	return c
}

func (e *environment) checkCorpus(ctx context.Context) []check {
	var counts store.Counts
	var state indexReport
	err := e.read(ctx, func(corpus *store.Store) (err error) {
		if counts, err = corpus.Counts(ctx); err != nil {
			return err
		}
		state, err = indexState(ctx, corpus)
		return err
	})
	switch {
	case errors.Is(err, store.ErrNoCorpus):
		return []check{{"corpus", "note", "none yet", "try `skillcorpus demo`, or `skillcorpus crawl --help`"}}
	case errors.Is(err, store.ErrNewer), errors.Is(err, store.ErrOlder):
		return []check{{"corpus", "fail", err.Error(), ""}} // the error says what to do
	case err != nil:
		return []check{{"corpus", "fail", err.Error(), "put a copy of corpus.db in its place, or crawl or import again into another folder"}}
	}
	checks := []check{{"corpus", "ok", fmt.Sprintf("%d skills", counts.Skills), ""}}
	switch index.Freshness(state.State) {
	case index.StateFresh:
		return append(checks, check{"index", "ok", fmt.Sprintf("%d skills", state.Skills), ""})
	case index.StateUnusable:
		return append(checks, check{"index", "fail", state.Reason, "run `skillcorpus index --rebuild`"})
	}
	return append(checks, check{"index", "note", state.State, "run `skillcorpus parse && skillcorpus audit && skillcorpus index`"})
}

func (e *environment) checkToken() check {
	if e.setting("GITHUB_TOKEN", "") != "" || e.getenv("GITHUB_TOKEN") != "" {
		return check{"GitHub token", "ok", "set: 5,000 requests an hour", ""}
	}
	return check{"GitHub token", "note", "none: 60 requests an hour", "set SKILLCORPUS_GITHUB_TOKEN for more"}
}

// hostTimeout bounds the one request to a host.
const hostTimeout = 10 * time.Second

func (e *environment) checkHost(ctx context.Context, name, address string) check {
	ctx, cancel := context.WithTimeout(ctx, hostTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return check{name, "fail", err.Error(), "mend the setting"}
	}
	request.Header.Set("User-Agent", e.userAgent())
	response, err := http.DefaultClient.Do(request)
	if err == nil {
		err = response.Body.Close()
	}
	if err != nil {
		return check{name, "fail", err.Error(), "without it crawl waits and tries again; everything else works"}
	}
	if response.StatusCode >= http.StatusInternalServerError {
		return check{name, "fail", response.Status, "the host is in trouble: come back later"}
	}
	return check{name, "ok", "answers", ""}
}
