package model

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"time"
)

// line is the connection to the hosts.
type line struct {
	Web
	client http.Client
}

const (
	maxHops        = 10
	headersTimeout = 30 * time.Second
)

// newLine fills the defaults in. Every hop of a redirect must be as safe as the first.
func newLine(web Web) *line {
	l := &line{Web: web}
	l.Hub = strings.TrimSuffix(or(web.Hub, DefaultHub), "/")
	l.API = strings.TrimSuffix(or(web.API, DefaultAPI), "/")
	l.Agent = or(web.Agent, "skillcorpus")
	if l.Progress == nil {
		l.Progress = func(string, int64, int64) {}
	}
	if web.Client != nil {
		l.client = *web.Client
	} else if transport, ok := http.DefaultTransport.(*http.Transport); ok {
		transport = transport.Clone()
		transport.ResponseHeaderTimeout = headersTimeout
		l.client.Transport = transport
	}
	l.client.CheckRedirect = func(r *http.Request, via []*http.Request) error {
		if len(via) >= maxHops {
			return errors.New("too many redirects")
		}
		return safe(r.URL)
	}
	return l
}

func or(value, otherwise string) string {
	if value == "" {
		return otherwise
	}
	return value
}

// safe refuses plain http except on this machine.
func safe(u *url.URL) error {
	address, err := netip.ParseAddr(u.Hostname())
	loopback := err == nil && address.IsLoopback() || u.Hostname() == "localhost"
	if u.Scheme == "https" || u.Scheme == "http" && loopback {
		return nil
	}
	return fmt.Errorf("%s: %w", u.Redacted(), ErrInsecure)
}

// get returns the body of a successful answer.
func (l *line) get(ctx context.Context, address string) (io.ReadCloser, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	if err := safe(request.URL); err != nil {
		return nil, err
	}
	request.Header.Set("User-Agent", l.Agent)
	response, err := l.client.Do(request)
	if err != nil {
		return nil, err
	}
	switch response.StatusCode {
	case http.StatusOK:
		return response.Body, nil
	case http.StatusNotFound, http.StatusGone:
		err = fmt.Errorf("%s: %s: %w", address, response.Status, ErrNotPulled)
	default:
		err = fmt.Errorf("%s: %s", address, response.Status)
	}
	return nil, errors.Join(err, response.Body.Close())
}

// wanted is a file to download.
type wanted struct {
	name, url string
	size      int64
	sha256    string
}

// maxDownload bounds what a host may say of a file's size.
const maxDownload = 4 << 30

// download fetches a file to the desk. It must have the size and the digest.
func (l *line) download(ctx context.Context, d *desk, w wanted) (file string, err error) {
	if w.size < 1 || w.size > maxDownload {
		return "", fmt.Errorf("%s: %w: %d bytes", w.url, errCut, w.size)
	}
	body, err := l.get(ctx, w.url)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, body.Close()) }()
	file, digest, err := d.write(&told{from: body, line: l, what: w}, w.size)
	if err != nil {
		return "", fmt.Errorf("%s: %w", w.url, err)
	}
	if digest != w.sha256 {
		return "", fmt.Errorf("%s: %w: %s, want %s", w.url, ErrChecksum, digest, w.sha256)
	}
	return file, nil
}

// told tells of what is read.
type told struct {
	from io.Reader
	line *line
	what wanted
	done int64
}

func (t *told) Read(p []byte) (int, error) {
	n, err := t.from.Read(p)
	t.done += int64(n)
	t.line.Progress(t.what.name, t.done, t.what.size)
	return n, err
}

func openGzip(path string) (gzipFile, error) {
	file, err := os.Open(path)
	if err != nil {
		return gzipFile{}, err
	}
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		return gzipFile{}, errors.Join(err, file.Close())
	}
	return gzipFile{unpacked, file}, nil
}
