package clawhub

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"skillcorpus/crawl/polite"
	"skillcorpus/crawl/source"
	"skillcorpus/data"
)

const (
	apiPath      = "/api/v1/"
	askedRows    = 200 // the documented most (FACTS.md 3.1)
	mostOfAnswer = 8 << 20
	mostOfCursor = 8 << 10 // bytes of the registry's cursor
)

// page is one page of /skills (FACTS.md 3.1). Rows are read one by one, so that a bad one spoils no other.
type page struct {
	Items []json.RawMessage `json:"items"`
	Next  *string           `json:"nextCursor"`
}

func (p page) next() string {
	if p.Next == nil {
		return ""
	}
	return *p.Next
}

// skill is a row of a page, and part of what is told of one skill.
type skill struct {
	Slug        string          `json:"slug"`
	DisplayName string          `json:"displayName"`
	Summary     string          `json:"summary"`
	Topics      json.RawMessage `json:"topics"` // text, or objects in some answers
	Tags        json.RawMessage `json:"tags"`   // versions by name, or a list
	Stats       json.RawMessage `json:"stats"`
	UpdatedAt   json.RawMessage `json:"updatedAt"`
	Latest      *version        `json:"latestVersion"`
}

type version struct {
	Version string `json:"version"`
}

// details is the answer of /skills/{slug}.
type details struct {
	Skill  *skill   `json:"skill"`
	Latest *version `json:"latestVersion"`
	Owner  *struct {
		Handle string `json:"handle"`
	} `json:"owner"`
	Moderation *moderation `json:"moderation"`
}

// moderation is there only for what is flagged. A suspicious skill stays public; a blocked or hidden one is not to be
// mirrored, which the registry's rules of reuse say.
type moderation struct {
	Blocked bool   `json:"isMalwareBlocked"`
	Hidden  bool   `json:"isHidden"`
	Removed bool   `json:"isRemoved"`
	Verdict string `json:"verdict"`
}

func (m *moderation) withheld() bool {
	return m != nil && (m.Blocked || m.Hidden || m.Removed || m.Verdict == "malicious")
}

// mostSlug bounds a slug, in characters; counted in the expression it would cost every start of the program 8 ms.
const mostSlug = 128

var slug = regexp.MustCompile(`^[\pL\pN][\pL\pN._-]*$`)

func isSlug(text string) bool {
	return utf8.RuneCountInString(text) <= mostSlug && slug.MatchString(text)
}

// version returns the latest version, empty where there is none.
func (s *skill) version() string {
	if s.Latest != nil && s.Latest.Version != "" {
		return s.Latest.Version
	}
	var tags map[string]string
	if json.Unmarshal(s.Tags, &tags) != nil {
		return ""
	}
	return tags["latest"]
}

// stats of which any may be missing, or be of another type.
func (s *skill) stat(names ...string) int {
	var stats map[string]json.RawMessage
	if json.Unmarshal(s.Stats, &stats) != nil {
		return 0
	}
	for _, name := range names {
		if n, err := strconv.ParseFloat(string(stats[name]), 64); err == nil && n > 0 && n < 1<<53 {
			return int(n)
		}
	}
	return 0
}

func (s *skill) updated() time.Time { return source.ParseTime(strings.Trim(string(s.UpdatedAt), `"`)) }

func (s *skill) listing(base *url.URL) data.Listing {
	var topics []string
	if json.Unmarshal(s.Topics, &topics) != nil {
		topics = nil
	}
	name := s.DisplayName
	if name == "" {
		name = s.Slug
	}
	return data.Listing{
		Source: Name, ExternalID: s.Slug, Name: name, Description: s.Summary, Tags: topics,
		Stars: s.stat("stars"), Installs: s.stat("installsAllTime", "downloads"),
		URL: base.JoinPath(apiPath, "skills", s.Slug).String(), UpdatedAt: s.updated(),
		Host: data.HostClawHub, Repo: s.Slug, PathKnown: true,
	}
}

// page asks for the page at the registry's cursor.
func (c *Client) page(ctx context.Context, at string) (page, error) {
	values := url.Values{"limit": {strconv.Itoa(askedRows)}, "sort": {"createdAt"}}
	if at != "" {
		values.Set("cursor", at)
	}
	var p page
	err := c.ask(ctx, "skills", values, &p)
	if err == nil && (p.Items == nil || len(p.next()) > mostOfCursor) {
		err = &data.ItemError{Outcome: data.OutcomeUnavailable, Reason: "ClawHub: the answer is no page of skills"}
	}
	return p, err
}

// ask reads a JSON answer.
func (c *Client) ask(ctx context.Context, what string, values url.Values, into any) error {
	response, err := c.get(ctx, what, values)
	if err != nil {
		return polite.Cause(ctx, err)
	}
	defer func() { _ = response.Body.Close() }() // nothing of a read body is at stake
	text, err := polite.ReadAll(response.Body, mostOfAnswer)
	if err != nil {
		return polite.Cause(ctx, err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		return &data.ItemError{Outcome: data.OutcomeUnavailable, Reason: "ClawHub: the answer is not what was asked for", Err: polite.Unreadable(err)}
	}
	return nil
}

func (c *Client) get(ctx context.Context, what string, values url.Values) (*http.Response, error) {
	address := c.base.JoinPath(apiPath, what)
	address.RawQuery = values.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("ask ClawHub: %w", err)
	}
	return c.http.Do(req)
}

// budget tells downloads, which the registry counts apart, from all else.
func budget(req *http.Request) string {
	if strings.HasSuffix(req.URL.Path, "/download") {
		return "download"
	}
	return "read"
}

// classify reads refusals, which are plain text here. A skill that is withheld answers 403; a request that the
// registry does not understand, such as one with an old cursor, 400.
func classify(a polite.Answer) *data.ItemError {
	item := polite.Classify(a)
	if item == nil {
		return nil
	}
	if text, _, _ := strings.Cut(strings.TrimSpace(string(a.Body)), "\n"); text != "" && text[0] != '{' && text[0] != '<' && utf8.ValidString(text) && !strings.EqualFold(text, http.StatusText(a.Status)) {
		item.Reason += fmt.Sprintf(" %.80q", text)
	}
	switch {
	case a.Status == http.StatusBadRequest:
		item.Outcome = data.OutcomeMalformed
	case a.Status == http.StatusForbidden && item.Outcome == data.OutcomeForbidden:
		item.Outcome = data.OutcomeBlocked
	case item.Outcome == data.OutcomeLimited && a.Header.Get("Retry-After") == "":
		const most = 24 * 60 * 60
		if wait, err := strconv.Atoi(a.Header.Get("RateLimit-Reset")); err == nil && wait > 0 && wait <= most {
			item.RetryAt = a.Now.Add(time.Duration(wait+1) * time.Second)
		}
	}
	return item
}
