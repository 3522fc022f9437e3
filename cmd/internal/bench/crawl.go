package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// crawl measures the crawl of all repositories of the corpus from a hub on loopback, without politeness, and of a
// second one with nothing changed. Beside it stands the plain transfer of the same archives, one after another.
func (b bench) crawl(ctx context.Context, dir string, all *samples) (err error) {
	settings := filepath.Join(dir, "hub.env")
	hub := exec.CommandContext(ctx, b.binary, "fakehub", "--corpus", filepath.Dir(b.files[0]), "--env-file", settings)
	if err := hub.Start(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, hub.Process.Signal(os.Interrupt), hub.Wait()) }()
	env, err := waitFor(ctx, settings)
	if err != nil {
		return err
	}
	b.env = append(strings.Fields(env), "SKILLCORPUS_GITHUB_TOKEN=bench")
	list := filepath.Join(dir, "repos.txt")
	took, err := transfer(ctx, b.env, list)
	if err != nil {
		return err
	}
	all.stage("transfer of the archives alone", usage{wall: took})
	corpus := filepath.Join(dir, "crawled")
	used, err := b.process(ctx, "crawl", "--quiet", "--source", "list:"+list, "--data", corpus)
	if err != nil {
		return err
	}
	all.stage("crawl", used)
	used, err = b.process(ctx, "crawl", "--quiet", "--max-age", "0", "--data", corpus)
	if err != nil {
		return err
	}
	all.stage("crawl, nothing changed", used)
	return nil
}

// waitFor returns the text of a file once it is there.
func waitFor(ctx context.Context, name string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for {
		text, err := os.ReadFile(name)
		if err == nil {
			return string(text), nil
		}
		select {
		case <-ctx.Done():
			return "", fmt.Errorf("fakehub does not come up: %w", ctx.Err())
		case <-ticker.C:
		}
	}
}

// transfer writes the names of all repositories of a hub to list, and returns how long it takes to fetch their
// archives, one after another, and throw them away.
func transfer(ctx context.Context, env []string, list string) (time.Duration, error) {
	at := map[string]string{}
	for _, setting := range env {
		name, value, _ := strings.Cut(setting, "=")
		at[name] = value
	}
	var repos []struct{ Repo, Commit string }
	err := fetch(ctx, at["SKILLCORPUS_GITHUB_API_URL"]+"/_repos?all=1", func(body io.Reader) error {
		return json.NewDecoder(body).Decode(&repos)
	})
	if err != nil {
		return 0, err
	}
	var names strings.Builder
	started := time.Now()
	for _, r := range repos {
		fmt.Fprintln(&names, r.Repo)
		err := fetch(ctx, at["SKILLCORPUS_CODELOAD_URL"]+"/"+r.Repo+"/legacy.zip/"+r.Commit, func(body io.Reader) error {
			_, err := io.Copy(io.Discard, body)
			return err
		})
		if err != nil {
			return 0, err
		}
	}
	return time.Since(started), os.WriteFile(list, []byte(names.String()), 0o600)
}

func fetch(ctx context.Context, address string, read func(io.Reader) error) (err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, response.Body.Close()) }()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", address, response.Status)
	}
	return read(response.Body)
}
