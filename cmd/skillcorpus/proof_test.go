package main

import (
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
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

// The proofs show on real data that nothing is lost. A short form of each always runs; SKILLCORPUS_PROOF=1 asks for the
// whole (`make proof`), and SKILLCORPUS_BINARY for another program than this test binary.

// stages is a whole run, from a marketplace or an import to the index.
func stages(first ...string) [][]string {
	return [][]string{first, {"parse"}, {"audit"}, {"index"}}
}

// hubFolder returns the real repositories: all 30, or in the short form three of them.
func hubFolder(t *testing.T) string {
	t.Helper()
	all := datatest.Shared(t, "hub")
	if long() {
		return all
	}
	few := []string{"blader/humanizer", "obra/superpowers", "neondatabase/agent-skills"}
	var chosen []packed
	folder := t.TempDir()
	for _, p := range packedIn(t, all) {
		if !slices.Contains(few, p.Repo) {
			continue
		}
		chosen = append(chosen, p)
		content, err := os.ReadFile(filepath.Join(all, p.Zip))
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, p.Zip), content, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	text, err := json.Marshal(chosen)
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "index.json"), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// packed is an entry of a hub's index.json.
type packed struct {
	Repo    string `json:"repo"`
	Commit  string `json:"commit"`
	License string `json:"license"`
	Zip     string `json:"zip"`
	Bytes   int64  `json:"bytes"`
}

func packedIn(t *testing.T, folder string) (all []packed) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "index.json"))
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestProofHub crawls real repositories up to a search hit, and compares every SKILL.md with what an independent
// reader finds in the archives.
func TestProofHub(t *testing.T) {
	t.Parallel()
	folder, corpus := hubFolder(t), t.TempDir()
	env := serveHub(t, folder)
	for _, stage := range stages("crawl", "--source", "skillsmp") {
		run(t, env, append(stage, "--data", corpus)...)
	}
	want := skillFiles(t, folder)
	if long() && len(want) != 1508 {
		t.Errorf("the archives hold %d SKILL.md, want 1508", len(want))
	}
	got := map[string]string{}
	eachRecord(t, strings.NewReader(run(t, env, "export", "--data", corpus)), func(r data.Record) {
		text, _ := r.Text()
		got[data.SkillID(r.Repo, r.Path)] = data.SHA256Hex(text)
	})
	for id, digest := range want {
		if got[id] != digest {
			t.Errorf("%s: digest %q, want %q", id, got[id], digest)
		}
	}
	for id := range got {
		if want[id] == "" {
			t.Errorf("%s is in no archive", id)
		}
	}
	run(t, env, "verify", "--data", corpus)
	if hits := run(t, env, "search", "--data", corpus, "-k", "3", "remove signs of AI writing"); !strings.Contains(hits, "blader/humanizer") {
		t.Errorf("blader/humanizer is not among\n%s", hits)
	}
	t.Logf("%d skills: %s", len(got), run(t, env, "status", "--data", corpus))
}

// skillFiles reads a hub's archives with nothing but the standard library and returns the SHA-256 of every SKILL.md by
// skill id.
func skillFiles(t *testing.T, folder string) map[string]string {
	t.Helper()
	digests := map[string]string{}
	for _, p := range packedIn(t, folder) {
		archive, err := zip.OpenReader(filepath.Join(folder, p.Zip))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.File {
			_, name, _ := strings.Cut(f.Name, "/")
			dir, base := path.Split(name)
			if !strings.EqualFold(base, "SKILL.md") || f.Mode().Type() != 0 || ignored(dir) {
				continue
			}
			digests[strings.TrimSuffix(p.Repo+"/"+dir, "/")] = data.SHA256Hex(readZipped(t, f))
		}
		if err := archive.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return digests
}

func ignored(dir string) bool {
	parts := strings.Split(dir, "/")
	return slices.Contains(parts, ".git") || slices.Contains(parts, "node_modules") || slices.Contains(parts, "__pycache__")
}

func readZipped(t *testing.T, f *zip.File) []byte {
	t.Helper()
	reader, err := f.Open()
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(reader)
	if err := errors.Join(err, reader.Close()); err != nil {
		t.Fatal(err)
	}
	return content
}

// TestProofKill kills a run without warning at random moments and resumes it each time: the corpus must be the one of
// an uninterrupted run.
func TestProofKill(t *testing.T) {
	t.Parallel()
	kills := 2
	if long() {
		kills = 20
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	env := serveHub(t, hubFolder(t))

	whole := t.TempDir()
	var lengths []time.Duration
	for _, stage := range stages("crawl", "--source", "skillsmp") {
		started := time.Now()
		run(t, env, append(stage, "--data", whole)...)
		lengths = append(lengths, time.Since(started))
	}
	want := run(t, env, "verify", "--data", whole, "--digest")
	for kills > 0 {
		corpus := t.TempDir()
		kills -= runKilled(t, env, corpus, moments(random, lengths, kills))
		if got := run(t, env, "verify", "--data", corpus, "--digest"); got != want {
			t.Fatalf("digest %s after kills, %s without", got, want)
		}
		run(t, env, "verify", "--data", corpus)
	}
}

// moments draws when to kill: moments of the whole run, each as a time from the start of the stage that it falls into.
func moments(random *rand.Rand, lengths []time.Duration, count int) [][]time.Duration {
	var whole time.Duration
	for _, length := range lengths {
		whole += length
	}
	drawn := make([][]time.Duration, len(lengths))
	for range count {
		at, stage := time.Duration(random.Int64N(int64(whole))), 0
		for at >= lengths[stage] {
			at -= lengths[stage]
			stage++
		}
		drawn[stage] = append(drawn[stage], at)
	}
	return drawn
}

// runKilled runs all stages on a new corpus. Each try of a stage is killed at the next of its moments, and the same
// command goes on, until one ends before its moment or none is left. It returns how many kills there were.
func runKilled(t *testing.T, env []string, corpus string, drawn [][]time.Duration) (kills int) {
	t.Helper()
	for i, stage := range stages("crawl", "--source", "skillsmp") {
		for {
			command := program(t, env, append(stage, "--data", corpus)...)
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			timer := time.NewTimer(time.Hour)
			if len(drawn[i]) > 0 {
				timer = time.AfterFunc(drawn[i][0], func() { command.Process.Kill() })
			}
			err := command.Wait()
			timer.Stop()
			if err == nil {
				break
			}
			if status, ok := command.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
				t.Fatalf("%v: %v", stage, err)
			}
			t.Logf("killed %s after %s", stage[0], drawn[i][0].Round(time.Millisecond))
			kills, drawn[i] = kills+1, drawn[i][1:]
			if code := exitCodeOf(t, program(t, env, "verify", "--data", corpus).Run()); code != 0 && code != 10 {
				t.Fatalf("verify ends with %d after a kill, want 0, or 10 where no corpus was made yet", code)
			}
		}
	}
	return kills
}

// TestProofImport takes real skills in and gives them back: as many, with the same text and facts.
func TestProofImport(t *testing.T) {
	t.Parallel()
	files, count := []string{"skills-14.jsonl.gz"}, 129
	if long() {
		files, count = nil, 35129
		for _, f := range dirEntries(t, datatest.Shared(t, "corpus")) {
			if strings.HasSuffix(f.Name(), ".jsonl.gz") {
				files = append(files, f.Name())
			}
		}
	}
	for i, name := range files {
		files[i] = filepath.Join(datatest.Shared(t, "corpus"), name)
	}
	corpus := t.TempDir()
	for _, stage := range stages(append([]string{"import"}, files...)...) {
		t.Log(strings.TrimSpace(run(t, nil, append(stage, "--data", corpus)...)))
	}
	run(t, nil, "verify", "--data", corpus)

	want := map[string]string{}
	for _, name := range files {
		eachRecord(t, unzipped(t, name), func(r data.Record) { want[r.Repo+"\x00"+r.Path] = fingerprint(t, r) })
	}
	if len(want) != count {
		t.Fatalf("%d records in, want %d", len(want), count)
	}
	exported := 0
	out, wait := stream(t, "export", "--data", corpus)
	eachRecord(t, out, func(r data.Record) {
		exported++
		if want[r.Repo+"\x00"+r.Path] != fingerprint(t, r) {
			t.Errorf("%s/%s is not what was imported", r.Repo, r.Path)
		}
	})
	wait()
	if exported != count {
		t.Errorf("%d records out, want %d", exported, count)
	}
	var status struct {
		Counts struct{ Skills, Documents, Verdicts int }
		Index  struct{ Skills int }
	}
	if err := json.Unmarshal([]byte(run(t, nil, "status", "--json", "--data", corpus)), &status); err != nil {
		t.Fatal(err)
	}
	if c := status.Counts; c.Skills != count || c.Documents != count || c.Verdicts != count || status.Index.Skills != count {
		t.Errorf("%+v, want %d of each", status, count)
	}
}

// fingerprint is the digest of what import must keep of a record: all of its own fields, SKILL.md's bytes first.
func fingerprint(t *testing.T, r data.Record) string {
	t.Helper()
	own := data.Record{
		Repo: r.Repo, Origin: r.Origin, Commit: r.Commit, Path: r.Path, File: cmp.Or(r.File, data.SkillFile), License: r.License,
		UpdatedAt: r.UpdatedAt, Files: slices.Clone(r.Files), Stars: r.Stars, SkillMD: r.SkillMD, SkillMDB64: r.SkillMDB64,
	}
	slices.SortFunc(own.Files, func(a, b data.RecordFile) int { return cmp.Compare(a.Path, b.Path) })
	text, err := json.Marshal(own)
	if err != nil {
		t.Fatal(err)
	}
	return data.SHA256Hex(text)
}

// eachRecord decodes JSON lines one after another.
func eachRecord(t *testing.T, lines io.Reader, visit func(data.Record)) {
	t.Helper()
	decoder := json.NewDecoder(bufio.NewReaderSize(lines, 1<<20))
	for {
		var r data.Record
		err := decoder.Decode(&r)
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		visit(r)
	}
}

func unzipped(t *testing.T, name string) io.Reader {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	reader, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	return reader
}

func dirEntries(t *testing.T, dir string) []fs.DirEntry {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

// stream starts a command whose stdout is read as it comes; wait must be called after the last byte.
func stream(t *testing.T, args ...string) (out io.Reader, wait func()) {
	t.Helper()
	command := program(t, nil, args...)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out, func() {
		if err := command.Wait(); err != nil {
			t.Errorf("skillcorpus %v: %v\n%s", args, err, stderr.String())
		}
	}
}
