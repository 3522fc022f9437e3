package fakehub

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Script orders faults and quotas. ReadScript reads one from YAML; docs/fakehub.md describes the format.
type Script struct {
	Seed   uint64 // of every draw
	Quotas Quotas
	Market Market // how SkillsMP searches
	Rules  []Rule // in order: of those that fire for a request the first acts

	// TreeEntries is the length at which a recursive tree is truncated; 0 is GitHub's own figure.
	TreeEntries int
}

// Rule is one fault: when, and what.
type Rule struct {
	Match Match
	Do    Action
}

// Match says for which requests a rule fires. Empty fields match everything; all given ones must hold.
type Match struct {
	Host        string // one of the table of hosts, like api or codeload
	Path        string // glob where `*` is any run of characters; with a `?` it is compared with path and query
	Repo        string // glob of owner/name in any letter case
	Method      string
	Nth         []int   // from 1, counted for each rule and each request (method, host, path, query)
	Every       int     // each n-th, counted likewise
	Probability float64 // drawn from seed, rule, request and count, so that the order of requests doesn't matter
	Pick        int     // for states: so many of the repositories, drawn among those that have no state yet
}

// Action says what a rule does. Limit excludes status, body and cut; a state of a repository (Vanish, Empty, Block,
// RenameTo) stands alone and holds on every host from then on.
type Action struct {
	Status   int               // in place of the host's own answer
	Headers  map[string]string // over the answer's own
	Body     string            // with Status
	Delay    time.Duration     // before the answer
	CutAfter *int64            // tear the connection after so many bytes of the body
	Hold     time.Duration     // with CutAfter: before it is torn nothing happens for so long
	Tear     bool              // reset the connection in place of an answer
	Partial  bool              // GraphQL: some repositories come as null, "Something went wrong"
	Fault    string            // one of the catalogue by its name, or any; alone but for Wait and Hold
	Wait     time.Duration     // with Fault: until the reset of a limit
	Limit    *Limit
	Vanish   bool   // 404
	Empty    bool   // a repository without commits
	Block    string // dmca, tos or unavailable
	RenameTo string // owner/name, also of {owner} and {name}; the former name answers with a redirect
	Pad      int64  // bytes of files in a folder outside all skills
	Edit     bool   // a new commit, which changes one skill's text
}

// Limit is an exhausted rate limit. Once it fires, the host answers every request with it until the reset.
type Limit struct {
	Kind   string        // primary or secondary
	Reset  time.Duration // from the moment it fires
	Silent bool          // no header tells of it, only the body
	Status int           // 403 or 429; 0 is 403 at the API (200 in GraphQL) and 429 elsewhere

	// Undocumented leaves out the documentation_url by which some clients know a secondary limit.
	Undocumented bool
}

const (
	limitPrimary   = "primary"
	limitSecondary = "secondary"
	blockDMCA      = "dmca"
	blockTOS       = "tos"
	blockOther     = "unavailable"
)

// check returns what is wrong with a rule, naming the field.
func (r Rule) check() error {
	if err := r.Match.check(); err != nil {
		return fmt.Errorf("match.%w", err)
	}
	if err := r.Do.check(); err != nil {
		return fmt.Errorf("do.%w", err)
	}
	switch {
	case r.Do.RenameTo != "" && !strings.Contains(r.Do.RenameTo, "{name}") && !repoName.MatchString(r.Match.Repo):
		return errors.New("do.rename_to: wants the one repository in match.repo, without *, or a {name} of its own")
	case r.Match.Pick > 0 && (r.Do.states() == 0 || !r.Match.always()):
		return errors.New("match.pick: goes with states, and with no field but repo")
	case r.Do.Edit && !r.Match.always():
		return errors.New("do.edit: goes with no field of match but repo, probability and pick")
	}
	return nil
}

// always reports that a rule waits for no request.
func (m Match) always() bool {
	return m.Host == "" && m.Path == "" && m.Method == "" && len(m.Nth) == 0 && m.Every == 0
}

func (m Match) check() error {
	switch {
	case m.Pick < 0 || m.Pick > 0 && m.Probability > 0:
		return errors.New("pick: is at least 1, and goes without probability")
	case m.Host != "" && !slices.Contains(hostNames(), m.Host):
		return fmt.Errorf("host: %q is none of %s", m.Host, strings.Join(hostNames(), ", "))
	case m.Path != "" && !strings.HasPrefix(m.Path, "/") && !strings.HasPrefix(m.Path, "*"):
		return fmt.Errorf("path: %q begins with neither / nor *", m.Path)
	case m.Repo != "" && strings.Count(m.Repo, "/") != 1 && !strings.Contains(m.Repo, "*"):
		return fmt.Errorf("repo: %q is not like owner/name", m.Repo)
	case m.Method != strings.ToUpper(m.Method):
		return fmt.Errorf("method: %q is not in capitals", m.Method)
	case slices.ContainsFunc(m.Nth, func(n int) bool { return n < 1 }):
		return errors.New("nth: counts from 1")
	case m.Every < 0:
		return errors.New("every: is at least 1")
	case !(m.Probability >= 0 && m.Probability <= 1):
		return errors.New("probability: lies in 0..1")
	}
	return nil
}

func (a Action) check() error {
	switch {
	case a.Status != 0 && (a.Status < 200 || a.Status > 599):
		return fmt.Errorf("status: %d is not in 200..599", a.Status)
	case a.Body != "" && (a.Status == 0 || a.Status == http.StatusNoContent || a.Status == http.StatusNotModified):
		return errors.New("body: wants a status that carries one")
	case a.Delay < 0:
		return errors.New("delay: is negative")
	case a.CutAfter != nil && *a.CutAfter < 0:
		return errors.New("cut_after: is negative")
	case a.Hold < 0 || a.Hold > 0 && a.CutAfter == nil && a.Fault == "":
		return errors.New("hold: goes with cut_after or fault")
	case a.Wait < 0 || a.Wait > 0 && a.Fault == "":
		return errors.New("wait: goes with fault")
	case a.Fault != "" && !knownFault(a.Fault):
		return fmt.Errorf("fault: there is no %q", a.Fault)
	case a.Pad < 0:
		return errors.New("pad: is negative")
	case a.Block != "" && a.Block != blockDMCA && a.Block != blockTOS && a.Block != blockOther:
		return fmt.Errorf("block: %q is none of dmca, tos, unavailable", a.Block)
	case a.RenameTo != "" && !repoName.MatchString(filledName(a.RenameTo, "a/b")):
		return fmt.Errorf("rename_to: %q is not like owner/name", a.RenameTo)
	}
	if err := checkHeaders(a.Headers); err != nil {
		return err
	}
	answers := a.Status != 0 || a.CutAfter != nil || a.Tear || a.Partial
	states := a.states()
	switch {
	case a.Fault != "" && (answers || states > 0 || a.Limit != nil || a.Delay > 0 || len(a.Headers) > 0):
		return errors.New("fault: goes with nothing but wait and hold")
	case a.Tear && (a.Status != 0 || a.CutAfter != nil || a.Partial || len(a.Headers) > 0):
		return errors.New("tear: goes with nothing but delay")
	case a.Limit != nil && (answers || states > 0):
		return errors.New("limit: goes with nothing but delay and headers")
	case states > 1 || states == 1 && (answers || a.Delay > 0 || len(a.Headers) > 0):
		return errors.New("vanish, empty, block, rename_to, pad, edit: each stands alone")
	case a.Fault == "" && a.Limit == nil && !answers && states == 0 && a.Delay == 0 && len(a.Headers) == 0:
		return errors.New("nothing to do")
	case a.Limit != nil:
		return a.Limit.check()
	}
	return nil
}

// states counts the repository states that an action orders.
func (a Action) states() int {
	n := 0
	for _, ordered := range []bool{a.Vanish, a.Empty, a.Block != "", a.RenameTo != "", a.Pad > 0, a.Edit} {
		if ordered {
			n++
		}
	}
	return n
}

// filledName puts a repository's own names into the pattern of a new one.
func filledName(pattern, repo string) string {
	owner, name, _ := strings.Cut(repo, "/")
	return strings.NewReplacer("{owner}", owner, "{name}", name).Replace(pattern)
}

func checkHeaders(headers map[string]string) error {
	for name, value := range headers {
		if strings.ContainsFunc(name, notToken) || name == "" || strings.ContainsAny(value, "\r\n\x00") {
			return fmt.Errorf("headers: %q: %q is no header", name, value)
		}
		if framing := http.CanonicalHeaderKey(name); framing == "Content-Length" || framing == "Transfer-Encoding" {
			return fmt.Errorf("headers: %s belongs to the connection (cut_after makes a body end early)", framing)
		}
	}
	return nil
}

func notToken(r rune) bool {
	return r <= ' ' || r >= 0x7f || strings.ContainsRune(`()<>@,;:\"/[]?={}`, r)
}

func (l Limit) check() error {
	switch {
	case l.Kind != limitPrimary && l.Kind != limitSecondary:
		return fmt.Errorf("limit.kind: %q is neither primary nor secondary", l.Kind)
	case l.Reset <= 0:
		return errors.New("limit.reset: wants a duration above 0")
	case l.Status != 0 && l.Status != http.StatusForbidden && l.Status != http.StatusTooManyRequests:
		return fmt.Errorf("limit.status: %d is neither 403 nor 429", l.Status)
	}
	return nil
}
