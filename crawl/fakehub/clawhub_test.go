package fakehub_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"skillcorpus/crawl/fakehub"
)

type clawHubPage struct {
	Items []struct {
		Slug          string
		LatestVersion struct{ Version string }
	}
	NextCursor *string
}

func TestClawHub(t *testing.T) {
	t.Parallel()
	b := start(t, fakehub.Config{})
	versions := map[string]string{}
	for cursor, pages := "", 0; ; pages++ {
		var page clawHubPage
		b.json(b.get("clawhub", "/api/v1/skills?limit=5&cursor="+cursor), 200, &page)
		for _, item := range page.Items {
			versions[item.Slug] = item.LatestVersion.Version
		}
		if page.NextCursor == nil {
			if pages != 2 || len(versions) != 13 {
				t.Errorf("%d skills in %d pages", len(versions), pages+1)
			}
			break
		}
		cursor = *page.NextCursor
	}
	if r := b.get("clawhub", "/api/v1/skills?cursor=after-99"); r.status != 400 || string(r.body) != "Invalid cursor" {
		t.Errorf("%d %s", r.status, r.body)
	}
	zipped := b.get("clawhub", "/api/v1/download?slug=humanizer&version="+versions["humanizer"])
	files, err := zip.NewReader(bytes.NewReader(zipped.body), int64(len(zipped.body)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := files.Open("SKILL.md"); err != nil {
		t.Error(err)
	}
	// An edit is a new version, a block is withheld, what vanished is gone.
	b.script(`{rules: [{match: {repo: blader/humanizer}, do: {edit: true}}, {match: {repo: hardikpandya/*}, do: {block: tos}}, {match: {repo: lackeyjb/*}, do: {vanish: true}}]}`)
	var page clawHubPage
	b.json(b.get("clawhub", "/api/v1/skills?limit=1000"), 200, &page)
	if len(page.Items) != 11 {
		t.Errorf("%d skills are shown", len(page.Items))
	}
	for _, item := range page.Items {
		if changed := item.LatestVersion.Version != versions[item.Slug]; changed != (item.Slug == "humanizer") {
			t.Errorf("%s: changed %v", item.Slug, changed)
		}
	}
	if r := b.get("clawhub", "/api/v1/download?slug=humanizer&version="+versions["humanizer"]); r.status != 404 {
		t.Errorf("the old version: %d", r.status)
	}
	if r := b.get("clawhub", "/api/v1/skills/stop-slop"); r.status != 200 || !strings.Contains(string(r.body), `"isMalwareBlocked":true`) {
		t.Errorf("%d %s", r.status, r.body)
	}
	if r := b.get("clawhub", "/api/v1/download?slug=stop-slop"); r.status != 403 {
		t.Errorf("withheld: %d", r.status)
	}
	if r := b.get("clawhub", "/api/v1/skills/playwright-skill"); r.status != 404 {
		t.Errorf("vanished: %d", r.status)
	}
}

func TestRegistryQuotas(t *testing.T) {
	t.Parallel()
	clock := newClock()
	quotas := fakehub.Quotas{ClawHubMinute: fakehub.Quota{Anonymous: 2}, ClawHubDownloads: fakehub.Quota{Anonymous: 1}, SkillsSHMinute: fakehub.Quota{Keyed: 1}}
	b := start(t, fakehub.Config{Faults: &fakehub.Script{Quotas: quotas}, Now: clock.now})
	for i, want := range []int{200, 200, 429} {
		r := b.get("clawhub", "/api/v1/skills")
		if r.status != want || r.header.Get("RateLimit-Reset") != "60" || (want == 429) != (r.header.Get("Retry-After") == "60") {
			t.Errorf("request %d: %d %v", i+1, r.status, r.header)
		}
	}
	if r := b.get("clawhub", "/api/v1/download?slug=humanizer"); r.status != 200 {
		t.Errorf("downloads are counted apart: %d", r.status)
	}
	if r := b.get("skills.sh", "/api/v1/skills"); r.status != 401 {
		t.Errorf("without a key: %d", r.status)
	}
	for i, want := range []int{200, 429} {
		if r := b.get("skills.sh", "/api/v1/skills", "Authorization", "Bearer x"); r.status != want {
			t.Errorf("request %d: %d", i+1, r.status)
		}
	}
	clock.add(time.Minute)
	if r := b.get("clawhub", "/api/v1/skills"); r.status != 200 {
		t.Errorf("a minute later: %d", r.status)
	}
}

func TestSkillsSH(t *testing.T) {
	t.Parallel()
	b := start(t, fakehub.Config{})
	if r := b.get("skills.sh", "/sitemap.xml"); strings.Count(string(r.body), "<sitemap>") != 2 {
		t.Errorf("%s", r.body)
	}
	if r := b.get("skills.sh", "/sitemap-skills-1.xml"); strings.Count(string(r.body), "<url>") != 13 || !strings.Contains(string(r.body), "<loc>https://www.skills.sh/blader/humanizer/humanizer</loc>") {
		t.Errorf("%s", r.body)
	}
	if r := b.get("skills.sh", "/sitemap-skills-2.xml"); r.status != 404 {
		t.Errorf("%d", r.status)
	}
	var page struct {
		Data       []struct{ ID string }
		Pagination struct {
			Total   int
			HasMore bool
		}
	}
	b.json(b.get("skills.sh", "/api/v1/skills?page=2&per_page=6", "Authorization", "Bearer x"), 200, &page)
	if len(page.Data) != 1 || page.Pagination.Total != 13 || page.Pagination.HasMore {
		t.Errorf("%+v", page)
	}
}

func TestWellKnown(t *testing.T) {
	t.Parallel()
	b := start(t, fakehub.Config{})
	var index struct {
		Skills []struct{ Name, Type, URL, Digest string }
	}
	b.json(b.get("wellknown", "/.well-known/agent-skills/index.json"), 200, &index)
	types := map[string]int{}
	for _, s := range index.Skills {
		types[s.Type]++
		sum := sha256.Sum256(b.get("wellknown", "/.well-known/agent-skills/"+s.URL).body)
		if got := "sha256:" + hex.EncodeToString(sum[:]); got != s.Digest {
			t.Errorf("%s: %s, not %s", s.Name, got, s.Digest)
		}
	}
	if len(index.Skills) != 13 || types["skill-md"] == 0 || types["archive"] == 0 {
		t.Errorf("%v", types)
	}
	var old struct {
		Skills []struct {
			Name  string
			Files []string
		}
	}
	b.json(b.get("wellknown", "/.well-known/skills/index.json"), 200, &old)
	for _, s := range old.Skills {
		for _, file := range s.Files {
			if r := b.get("wellknown", "/.well-known/skills/"+s.Name+"/"+strings.ReplaceAll(file, " ", "%20")); r.status != 200 {
				t.Errorf("%s %s: %d", s.Name, file, r.status)
			}
		}
	}
	if len(old.Skills) != 13 {
		t.Errorf("%d skills", len(old.Skills))
	}
}
