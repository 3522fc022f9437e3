package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"skillcorpus/data"
	"skillcorpus/data/datatest"
)

// mostCrawlKB is the memory that no crawl may pass, whatever comes.
const mostCrawlKB = 400_000

// hostilePlay is what the full-size crawl has to live with. %d is the number of repositories that are padded.
const hostilePlay = `
seed: 5
rules:
  - {match: {pick: %d}, do: {pad: 60000000}}
  - {match: {pick: 3}, do: {rename_to: "{owner}/{name}-renamed"}}
  - {match: {pick: 5}, do: {vanish: true}}
  - {match: {pick: 1}, do: {block: dmca}}
  - {match: {pick: 1}, do: {block: tos}}
  - {match: {probability: 0.02}, do: {fault: any, wait: 1s, hold: 1s}}
`

// corpusFolder returns the corpus at full size, in the short form its last file alone.
func corpusFolder(t *testing.T) string {
	t.Helper()
	folder := datatest.Shared(t, "corpus")
	if long() {
		return folder
	}
	content, err := os.ReadFile(filepath.Join(folder, "skills-14.jsonl.gz"))
	few := t.TempDir()
	if err := errors.Join(err, os.WriteFile(filepath.Join(few, "skills-14.jsonl.gz"), content, 0o600)); err != nil {
		t.Fatal(err)
	}
	return few
}

// recordsIn returns the SHA-256 of every SKILL.md of a corpus by repository and skill id.
func recordsIn(t *testing.T, folder string) map[string]map[string]string {
	t.Helper()
	repos := map[string]map[string]string{}
	for _, file := range dirEntries(t, folder) {
		if !strings.HasSuffix(file.Name(), ".jsonl.gz") {
			continue
		}
		eachRecord(t, unzipped(t, filepath.Join(folder, file.Name())), func(r data.Record) {
			text, ok := r.Text()
			if !ok {
				t.Fatalf("%s/%s has no text", r.Repo, r.Path)
			}
			if repos[r.Repo] == nil {
				repos[r.Repo] = map[string]string{}
			}
			repos[r.Repo][data.CleanDir(r.Path)] = data.SHA256Hex(text)
		})
	}
	return repos
}

// listOf writes the names of all repositories to a file for the list source.
func listOf(t *testing.T, repos map[string]map[string]string) string {
	t.Helper()
	var text strings.Builder
	for repo := range repos {
		text.WriteString(repo + "\n")
	}
	name := filepath.Join(t.TempDir(), "repos.txt")
	if err := os.WriteFile(name, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// state is a repository that a hub has changed, as its /_repos tells it.
type state struct {
	Repo      string
	RenamedTo string `json:"renamed_to"`
	Vanished  bool
	Blocked   string
	Padding   int64
	Edits     []string
}

// apiURL returns the address of the hub's API among its settings.
func apiURL(t *testing.T, env []string) string {
	t.Helper()
	for _, setting := range env {
		if base, ok := strings.CutPrefix(setting, "SKILLCORPUS_GITHUB_API_URL="); ok {
			return base
		}
	}
	t.Fatal("no API among the hub's settings")
	return ""
}

// hubControl asks one of the hub's own paths, by POST if there is a body.
func hubControl(t *testing.T, env []string, path, body string) []byte {
	t.Helper()
	method := http.MethodGet
	if body != "" {
		method = http.MethodPost
	}
	request, err := http.NewRequestWithContext(t.Context(), method, apiURL(t, env)+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d %s %v", path, response.StatusCode, text, err)
	}
	return text
}

func hubStates(t *testing.T, env []string) (states []state) {
	t.Helper()
	if err := json.Unmarshal(hubControl(t, env, "/_repos", ""), &states); err != nil {
		t.Fatal(err)
	}
	return states
}

// crawled is what one or more runs of the same crawl took.
type crawled struct {
	runs  int
	took  time.Duration
	maxKB int64
	said  string // of the last run, on stderr
}

// crawlToEnd repeats a crawl until nothing waits for another try.
func crawlToEnd(t *testing.T, env []string, args ...string) (c crawled) {
	t.Helper()
	started := time.Now()
	for {
		var out bytes.Buffer
		command := program(t, env, append([]string{"crawl", "--max-wait", "30m"}, args...)...)
		command.Stderr = &out
		err := command.Run()
		c.runs, c.took, c.said = c.runs+1, time.Since(started), out.String()
		if usage, ok := command.ProcessState.SysUsage().(*syscall.Rusage); ok {
			c.maxKB = max(c.maxKB, usage.Maxrss)
		}
		code := exitCodeOf(t, err)
		if code == 0 {
			return c
		}
		if code != 3 || c.runs == 20 {
			t.Fatalf("crawl ends with %d in run %d:\n%s", code, c.runs, tail(out.String()))
		}
	}
}

func tail(text string) string { return text[max(0, len(text)-2000):] }

// TestProofCrawl crawls the corpus at full size from a hub that fails in every way. Every skill arrives that should,
// each other repository has its true reason, and nothing is asked twice.
func TestProofCrawl(t *testing.T) {
	t.Parallel()
	folder := corpusFolder(t)
	repos := recordsIn(t, folder)
	padded, changed := 1, 1
	if long() {
		padded, changed = 10, 48
	}
	script := filepath.Join(t.TempDir(), "faults.yaml")
	if err := os.WriteFile(script, fmt.Appendf(nil, hostilePlay, padded), 0o600); err != nil {
		t.Fatal(err)
	}
	env := append(serveHub(t, "", "--corpus", folder, "--faults", script), "SKILLCORPUS_GITHUB_TOKEN=token-of-the-proof")
	corpus, list := t.TempDir(), listOf(t, repos)
	first := crawlToEnd(t, env, "--source", "list:"+list, "--data", corpus)
	if first.maxKB > mostCrawlKB && binary() != "skillcorpus" { // this test binary carries the race detector
		t.Errorf("the crawl took %d KB, want at most %d", first.maxKB, mostCrawlKB)
	}
	states := hubStates(t, env)
	skills := compareCrawl(t, env, corpus, repos, states)
	stats := hubStats(t, env)
	api, all, raw := 0, 0, stats["raw file"]
	for endpoint, count := range stats {
		all += count
		if strings.HasPrefix(endpoint, "api ") {
			api += count
		}
	}
	t.Logf("%d skills in %s, %d runs, %d KB; %d requests without %d for single files: %.4f a skill, %.4f at the API; %v",
		skills, first.took.Round(time.Second), first.runs, first.maxKB, all-raw, raw, float64(all-raw)/float64(skills), float64(api)/float64(skills), stats)
	if long() && (float64(all-raw-stats["api tree"]) > 0.15*float64(skills) || float64(api-stats["api tree"]) > 0.01*float64(skills)) {
		t.Error("more than 0.15 requests a skill, or 0.01 at the API")
	}

	hubControl(t, env, "/_script", "seed: 1\n")
	hubControl(t, env, "/_stats?reset=1", " ")
	second := crawlToEnd(t, env, "--max-age", "0", "--data", corpus)
	stats = hubStats(t, env)
	t.Logf("nothing changed: %s, %v", second.took.Round(time.Millisecond), stats)
	count := 0
	for endpoint, n := range stats {
		count += n
		if !strings.HasPrefix(endpoint, "api ") {
			t.Errorf("%d requests for %s although nothing changed", n, endpoint)
		}
	}
	if count > 60 {
		t.Errorf("%d requests although nothing changed, want at most 60", count)
	}

	hubControl(t, env, "/_script", fmt.Sprintf("seed: 8\nrules:\n  - {match: {pick: %d}, do: {edit: true}}\n", changed))
	hubControl(t, env, "/_stats?reset=1", " ")
	third := crawlToEnd(t, env, "--max-age", "0", "--data", corpus)
	stats = hubStats(t, env)
	t.Logf("%d repositories changed: %s, %v", changed, third.took.Round(time.Millisecond), stats)
	if got := stats["codeload zip"]; got != changed {
		t.Errorf("%d archives for %d changed repositories", got, changed)
	}
	compareEdits(t, env, corpus)
	run(t, env, "verify", "--data", corpus)
}

// compareCrawl holds a crawled corpus against the records and the states that the hub had, and returns the number of
// skills.
func compareCrawl(t *testing.T, env []string, corpus string, repos map[string]map[string]string, states []state) int {
	t.Helper()
	want, reasons := map[string]string{}, map[string]string{}
	byName := map[string]state{}
	for _, s := range states {
		byName[s.Repo] = s
	}
	for repo, skills := range repos {
		s := byName[repo]
		switch {
		case s.Vanished:
			reasons[repo] = string(data.OutcomeGone)
		case s.Blocked != "":
			reasons[repo] = string(data.OutcomeBlocked)
		default:
			for dir, digest := range skills {
				want[data.SkillID(cmp.Or(s.RenamedTo, repo), dir)] = digest
			}
		}
	}
	got := map[string]string{}
	out, wait := stream(t, "export", "--data", corpus)
	eachRecord(t, out, func(r data.Record) {
		text, _ := r.Text()
		got[data.SkillID(r.Repo, r.Path)] = data.SHA256Hex(text)
	})
	wait()
	wrong := 0
	for id, digest := range want {
		if got[id] != digest && wrong < 20 {
			wrong++
			t.Errorf("%s: digest %q, want %q", id, got[id], digest)
		}
	}
	for id := range got {
		if want[id] == "" && wrong < 20 {
			wrong++
			t.Errorf("%s is none of the corpus", id)
		}
	}
	failed := map[string]string{}
	decoder := json.NewDecoder(strings.NewReader(run(t, env, "status", "--failed", "--json", "--data", corpus)))
	for decoder.More() {
		var row struct{ Item, Outcome string }
		if err := decoder.Decode(&row); err != nil {
			t.Fatal(err)
		}
		if row.Item != "" {
			failed[row.Item] = row.Outcome
		}
	}
	for repo, outcome := range reasons {
		if failed[strings.ToLower(repo)] != outcome {
			t.Errorf("%s: outcome %q, want %q", repo, failed[strings.ToLower(repo)], outcome)
		}
	}
	if len(failed) != len(reasons) {
		t.Errorf("%d repositories failed, want %d: %v", len(failed), len(reasons), failed)
	}
	return len(got)
}

// rawFile returns a file of a repository's head from the hub.
func rawFile(t *testing.T, env []string, repo, file string) string {
	t.Helper()
	raw, ok := "", false
	for _, setting := range env {
		if raw, ok = strings.CutPrefix(setting, "SKILLCORPUS_RAW_URL="); ok {
			break
		}
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, raw+"/"+repo+"/HEAD/"+file, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("raw %s/%s: %d %v", repo, file, response.StatusCode, err)
	}
	return string(text)
}

// compareEdits asks that every text that the hub has changed is the new one in the corpus, by the hub's own word.
func compareEdits(t *testing.T, env []string, corpus string) {
	t.Helper()
	for _, s := range hubStates(t, env) {
		for _, edit := range s.Edits {
			got := run(t, env, "show", "--raw", data.SkillID(s.Repo, path.Dir(edit)), "--data", corpus)
			if want := rawFile(t, env, s.Repo, edit); got != want {
				t.Errorf("%s: %s is not what the hub holds now", s.Repo, edit)
			}
		}
	}
}

// TestProofCrawlKilled kills a crawl again and again, every few seconds, until it is done: the corpus is that of an
// uninterrupted one.
func TestProofCrawlKilled(t *testing.T) {
	t.Parallel()
	folder := corpusFolder(t)
	repos := recordsIn(t, folder)
	env := append(serveHub(t, "", "--corpus", folder), "SKILLCORPUS_GITHUB_TOKEN=token-of-the-proof")
	list := listOf(t, repos)
	whole, parts := t.TempDir(), t.TempDir()
	uninterrupted := crawlToEnd(t, env, "--source", "list:"+list, "--data", whole)
	every, kills := max(uninterrupted.took/12, 100*time.Millisecond), 0
	for {
		command := program(t, env, "crawl", "--source", "list:"+list, "--data", parts)
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(every, func() { _ = command.Process.Kill() })
		err := command.Wait()
		timer.Stop()
		if err == nil {
			break
		}
		if status, ok := command.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
			t.Fatalf("crawl: %v", err)
		}
		if kills++; kills%15 == 0 {
			every *= 2 // a machine under load may start no faster than it is killed
		}
	}
	t.Logf("uninterrupted %s; killed %d times, every %s", uninterrupted.took.Round(time.Millisecond), kills, every.Round(time.Millisecond))
	if got, want := run(t, env, "verify", "--data", parts, "--digest"), run(t, env, "verify", "--data", whole, "--digest"); got != want {
		t.Errorf("digest %s after kills, %s without", got, want)
	}
	run(t, env, "verify", "--data", parts)
}

// TestProofCrawlOffline takes the network away in the middle of a crawl: no connection gets an answer for a while. The
// crawl goes on by itself, and nothing counts as gone.
func TestProofCrawlOffline(t *testing.T) {
	t.Parallel()
	folder := corpusFolder(t)
	repos := recordsIn(t, folder)
	env := append(serveHub(t, "", "--corpus", folder), "SKILLCORPUS_GITHUB_TOKEN=token-of-the-proof")
	corpus := t.TempDir()
	out := &watched{}
	command := program(t, env, "crawl", "--source", "list:"+listOf(t, repos), "--max-wait", "10m", "--data", corpus)
	command.Stderr = out
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	err := await(t.Context(), "archive", func() bool { return hubStats(t, env)["codeload zip"] > 0 })
	hubControl(t, env, "/_script", "rules:\n  - do: {tear: true}\n")
	outage := time.NewTimer(2 * time.Second)
	if long() {
		outage = time.NewTimer(time.Minute)
	}
	<-outage.C
	hubControl(t, env, "/_script", "seed: 1\n")
	if err := errors.Join(err, command.Wait()); err != nil {
		t.Fatalf("%v\n%s", err, tail(out.String()))
	}
	t.Logf("%d skills; %v", compareCrawl(t, env, corpus, repos, nil), hubStats(t, env))
}

// TestProofCrawlFullDisk crawls onto a disk that fills up: the crawl says so and fails, what is there is whole, and with
// more room the same command ends as if nothing had been.
func TestProofCrawlFullDisk(t *testing.T) {
	t.Parallel()
	folder := corpusFolder(t)
	repos := recordsIn(t, folder)
	disk := t.TempDir()
	small, large := "size=2m", "size=200m"
	if long() {
		small, large = "size=40m", "size=2g"
	}
	if out, err := exec.CommandContext(t.Context(), "mount", "-t", "tmpfs", "-o", small, "tmpfs", disk).CombinedOutput(); err != nil {
		t.Skipf("no disk can be made to fill up here: mount: %v: %s", err, out)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, 0); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	env := append(serveHub(t, "", "--corpus", folder), "SKILLCORPUS_GITHUB_TOKEN=token-of-the-proof")
	corpus, list := filepath.Join(disk, "corpus"), listOf(t, repos)
	var out bytes.Buffer
	command := program(t, env, "crawl", "--source", "list:"+list, "--data", corpus)
	command.Stderr = &out
	if code := exitCodeOf(t, command.Run()); code != 1 || !strings.Contains(out.String(), "disk") && !strings.Contains(out.String(), "space") {
		t.Fatalf("a full disk ends with %d, want 1 and its reason:\n%s", code, tail(out.String()))
	}
	t.Logf("full: %s", lastLine(out.String()))
	if out, err := exec.CommandContext(t.Context(), "mount", "-o", "remount,"+large, disk).CombinedOutput(); err != nil {
		t.Fatalf("remount: %v: %s", err, out)
	}
	run(t, env, "verify", "--data", corpus)
	crawlToEnd(t, env, "--source", "list:"+list, "--data", corpus)
	t.Logf("%d skills", compareCrawl(t, env, corpus, repos, nil))
}

func lastLine(text string) string {
	lines := slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool { return strings.TrimSpace(line) == "" })
	if len(lines) == 0 {
		return ""
	}
	return lines[len(lines)-1]
}
