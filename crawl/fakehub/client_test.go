package fakehub_test

import (
	"errors"
	"io"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-github/v60/github"

	"skillcorpus/crawl/fakehub"
)

func (b *box) github() *github.Client {
	b.t.Helper()
	base, err := url.Parse(b.hub.URLs()["api"] + "/")
	if err != nil {
		b.t.Fatal(err)
	}
	client := github.NewClient(nil)
	client.BaseURL = base
	return client
}

// TestUsualClient asks through the library that most Go programs use, which was written against the real host.
func TestUsualClient(t *testing.T) {
	t.Parallel()
	b := start(t, fakehub.Config{Faults: &fakehub.Script{Quotas: fakehub.RealQuotas()}})
	client, ctx := b.github(), t.Context()
	repo, resp, err := client.Repositories.Get(ctx, "Kepano", "obsidian-skills")
	if err != nil || repo.GetFullName() != "kepano/obsidian-skills" || repo.GetLicense().GetSPDXID() != "MIT" ||
		repo.GetPushedAt().IsZero() || resp.Rate.Limit != 60 || resp.Rate.Remaining != 59 {
		t.Errorf("%v %v %+v", err, repo, resp)
	}
	sha, _, err := client.Repositories.GetCommitSHA1(ctx, "kepano", "obsidian-skills", repo.GetDefaultBranch(), "")
	if err != nil || len(sha) != 40 {
		t.Errorf("%v %s", err, sha)
	}
	tree, _, err := client.Git.GetTree(ctx, "kepano", "obsidian-skills", sha, true)
	if err != nil || len(tree.Entries) < 15 || tree.GetTruncated() {
		t.Fatalf("%v %v", err, tree)
	}
	file, _, _, err := client.Repositories.GetContents(ctx, "kepano", "obsidian-skills", "LICENSE", nil)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := file.GetContent(); err != nil || !strings.HasPrefix(text, "MIT License") {
		t.Errorf("%v %.40s", err, text)
	}
	link, _, err := client.Repositories.GetArchiveLink(ctx, "kepano", "obsidian-skills", github.Zipball, nil, 1)
	if err != nil || "http://"+link.Host != b.hub.URLs()["codeload"] {
		t.Errorf("%v %s", err, link)
	}
}

// TestUsualClientKnowsTheRefusals checks the shapes by which that library tells refusals apart.
func TestUsualClientKnowsTheRefusals(t *testing.T) {
	t.Parallel()
	for do, want := range map[string]func(error) bool{
		"limit: {kind: primary, reset: 60s}": func(err error) bool {
			_, ok := errors.AsType[*github.RateLimitError](err)
			return ok
		},
		"limit: {kind: secondary, reset: 60s}": func(err error) bool {
			limit, ok := errors.AsType[*github.AbuseRateLimitError](err)
			return ok && limit.GetRetryAfter() > 0
		},
		"block: dmca": func(err error) bool {
			refused, ok := errors.AsType[*github.ErrorResponse](err)
			return ok && refused.Response.StatusCode == 451 && refused.Block != nil && refused.Block.Reason == "dmca"
		},
		"block: tos": func(err error) bool {
			refused, ok := errors.AsType[*github.ErrorResponse](err)
			return ok && refused.Response.StatusCode == 403 && refused.Block != nil && refused.Block.Reason == "tos"
		},
		"vanish: true": func(err error) bool {
			refused, ok := errors.AsType[*github.ErrorResponse](err)
			return ok && refused.Response.StatusCode == 404 && refused.Message == "Not Found"
		},
		"rename_to: blader/humane": func(err error) bool { return err == nil },
	} {
		b := scripted(t, "rules: [{match: {repo: blader/humanizer}, do: {"+do+"}}]", nil)
		if _, _, err := b.github().Repositories.Get(t.Context(), "blader", "humanizer"); !want(err) {
			t.Errorf("%s: %v", do, err)
		}
	}
}

func TestManyClientsAtOnce(t *testing.T) {
	t.Parallel()
	b := scripted(t, `{quotas: {github_hour: {anonymous: none}, skillsmp_minute: {anonymous: none}}, rules: [{match: {host: raw, probability: 0.3}, do: {cut_after: 10}}, {match: {host: raw, repo: blader/*, nth: [3]}, do: {vanish: true}}]}`, nil)
	var clients sync.WaitGroup
	for range 8 {
		clients.Go(func() {
			for host, path := range map[string]string{
				"api": "/repos/blader/humanizer/git/trees/HEAD?recursive=1", "codeload": "/blader/humanizer/legacy.tar.gz/HEAD",
				"raw": "/blader/humanizer/HEAD/SKILL.md", "skillsmp": "/api/v1/skills/search?q=e",
			} {
				resp, err := b.client.Get(b.hub.URLs()[host] + path)
				if err != nil {
					t.Error(err)
					return
				}
				_, _ = io.Copy(io.Discard, resp.Body) // a cut is among the answers
				_ = resp.Body.Close()
			}
		})
	}
	clients.Wait()
	if got := b.hub.Stats().Requests; got != 32 {
		t.Errorf("%d requests counted, want 32", got)
	}
}
