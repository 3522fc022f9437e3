package fakehub_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"skillcorpus/crawl/fakehub"
	"skillcorpus/data/datatest"
	"skillcorpus/data/sample"
)

// box is a running hub with a client that follows no redirect.
type box struct {
	t      *testing.T
	hub    *fakehub.Hub
	client *http.Client
}

func start(t *testing.T, config fakehub.Config) *box {
	t.Helper()
	if config.Hub == nil && config.Corpus == nil {
		config.Hub = sample.FS()
	}
	hub, err := fakehub.New(config)
	if err != nil {
		t.Fatal(err)
	}
	if err := hub.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{DisableCompression: true}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		if err := hub.Close(); err != nil {
			t.Error(err)
		}
	})
	client := &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return &box{t: t, hub: hub, client: client}
}

// reply is an answer, read to its end.
type reply struct {
	status int
	header http.Header
	body   []byte
	err    error // of reading the body
	raw    *http.Response
}

// get asks a host, with headers given as name, value, name, value.
func (b *box) get(host, path string, headers ...string) reply {
	b.t.Helper()
	address := path
	if strings.HasPrefix(path, "/") {
		address = b.hub.URLs()[host] + path
	}
	return b.do(http.MethodGet, address, headers...)
}

func (b *box) do(method, address string, headers ...string) reply {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), method, address, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := b.client.Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return reply{status: resp.StatusCode, header: resp.Header, body: body, err: err, raw: resp}
}

// json decodes an answer that must have a status.
func (b *box) json(r reply, status int, into any) {
	b.t.Helper()
	if r.status != status {
		b.t.Fatalf("status %d, want %d: %.300s", r.status, status, r.body)
	}
	if err := json.Unmarshal(r.body, into); err != nil {
		b.t.Fatalf("%v: %.300s", err, r.body)
	}
}

// sharedHub is the folder of real repositories beside the project.
func sharedHub(t *testing.T) fs.FS {
	t.Helper()
	return os.DirFS(datatest.Shared(t, "hub"))
}

// smallHub packs a hub of one repository from path and content pairs; a content that begins with `->` is a link, a path
// that ends in .sh is executable.
func smallHub(t *testing.T, files ...string) fstest.MapFS {
	t.Helper()
	const commit = "0123456789abcdef0123456789abcdef01234567"
	var packed bytes.Buffer
	zw := zip.NewWriter(&packed)
	for i := 0; i+1 < len(files); i += 2 {
		header := &zip.FileHeader{Name: "ann-tools-0123456/" + files[i], Method: zip.Deflate}
		content, link := strings.CutPrefix(files[i+1], "->")
		switch {
		case link:
			header.SetMode(0o777 | fs.ModeSymlink)
		case strings.HasSuffix(files[i], ".sh"):
			header.SetMode(0o755)
		default:
			header.SetMode(0o644)
		}
		w, err := zw.CreateHeader(header)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, content); err != nil {
			t.Fatal(err)
		}
	}
	if err := zw.SetComment(commit); err != nil {
		t.Fatal(err)
	}
	if err := zw.Close(); err != nil {
		t.Fatal(err)
	}
	index := `[{"repo":"Ann/Tools","commit":"` + commit + `","license":"MIT","zip":"t.zip","bytes":1},
		{"repo":"ann/nothing","commit":"","license":""}]`
	return fstest.MapFS{"index.json": {Data: []byte(index)}, "t.zip": {Data: packed.Bytes()}}
}

func TestListenOnlyOnLoopback(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"0.0.0.0:0", ":0", "192.0.2.1:80", "[::]:0", "example.com:80", "127.0.0.1"} {
		if _, err := fakehub.New(fakehub.Config{Hub: sample.FS(), Listen: address}); err == nil {
			t.Errorf("%s was accepted", address)
		}
	}
	if _, err := fakehub.New(fakehub.Config{Hub: sample.FS(), Listen: "[::1]:0"}); err != nil {
		t.Error(err)
	}
}

func TestEnvAndURLs(t *testing.T) {
	t.Parallel()
	b := start(t, fakehub.Config{})
	urls := b.hub.URLs()
	want := "SKILLCORPUS_GITHUB_API_URL=" + urls["api"] + "\nSKILLCORPUS_CODELOAD_URL=" + urls["codeload"] +
		"\nSKILLCORPUS_RAW_URL=" + urls["raw"] + "\nSKILLCORPUS_SKILLSMP_URL=" + urls["skillsmp"] + "\n"
	if got := b.hub.Env(); !strings.HasPrefix(got, want) || strings.Count(got, "\n") != len(urls) {
		t.Errorf("env is\n%s\nwant\n%s", got, want)
	}
	ports := make(map[string]bool)
	for _, url := range urls {
		ports[url] = true
	}
	if len(ports) != len(urls) {
		t.Errorf("hosts share listeners: %v", urls)
	}
}

func TestStartFailsWholly(t *testing.T) {
	t.Parallel()
	taken, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	hub, err := fakehub.New(fakehub.Config{Hub: sample.FS(), Listen: taken.Addr().String()})
	if err != nil {
		t.Fatal(err)
	}
	if err := hub.Start(t.Context()); err == nil {
		t.Error("started on a port that is taken")
	}
	if err := hub.Close(); err != nil {
		t.Error(err)
	}
}

func TestCloseWaitsAndEndsDelays(t *testing.T) {
	t.Parallel()
	script := &fakehub.Script{Rules: []fakehub.Rule{{Do: fakehub.Action{Delay: time.Hour}}}}
	hub, err := fakehub.New(fakehub.Config{Hub: sample.FS(), Faults: script})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if err := hub.Start(ctx); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, hub.URLs()["api"]+"/rate_limit", nil)
		if err != nil {
			done <- err
			return
		}
		resp, err := http.DefaultClient.Do(req)
		if err == nil {
			err = resp.Body.Close()
		}
		done <- err
	}()
	cancel()
	if err := hub.Close(); err != nil {
		t.Error(err)
	}
	if err := <-done; err == nil {
		t.Error("a request got an answer from a closed hub")
	}
	if err := hub.Start(t.Context()); err == nil {
		t.Error("a closed hub started again")
	}
}

func TestBadIndexIsRefused(t *testing.T) {
	t.Parallel()
	for name, index := range map[string]string{
		"no JSON":   `[`,
		"bad name":  `[{"repo":"ann","commit":"","zip":"x.zip"}]`,
		"bad sha":   `[{"repo":"ann/x","commit":"0123","zip":"x.zip"}]`,
		"escape":    `[{"repo":"ann/x","commit":"0123456789abcdef0123456789abcdef01234567","zip":"../x.zip"}]`,
		"twice":     `[{"repo":"ann/x","commit":""},{"repo":"Ann/X","commit":""}]`,
		"null":      `[null]`,
		"no folder": ``,
	} {
		folder := fstest.MapFS{}
		if index != "" {
			folder["index.json"] = &fstest.MapFile{Data: []byte(index)}
		}
		if _, err := fakehub.New(fakehub.Config{Hub: folder}); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestStatsCountAndReset(t *testing.T) {
	t.Parallel()
	b := start(t, fakehub.Config{})
	first := b.get("api", "/repos/blader/humanizer")
	b.get("api", "/repos/nobody/nothing")
	b.get("raw", "/blader/humanizer/HEAD/LICENSE")
	for host := range b.hub.URLs() {
		var stats fakehub.Stats
		b.json(b.get(host, fakehub.StatsPath), 200, &stats)
		repo := stats.Endpoints["api repo"]
		if stats.Requests != 3 || repo.Requests != 2 || repo.Status["200"] != 1 || repo.Status["404"] != 1 {
			t.Errorf("%s: %+v", host, stats)
		}
		if stats.Bytes <= int64(len(first.body)) || stats.Endpoints["raw file"].Bytes != 1066 {
			t.Errorf("%s: bytes %+v", host, stats)
		}
	}
	var stats fakehub.Stats
	b.json(b.do(http.MethodPost, b.hub.URLs()["raw"]+fakehub.StatsPath+"?reset=1"), 200, &stats)
	if stats.Requests != 0 || len(b.hub.Stats().Endpoints) != 0 {
		t.Errorf("after reset: %+v", stats)
	}
}
