package skillssh

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"

	"skillcorpus/crawl/polite"
	"skillcorpus/crawl/source"
	"skillcorpus/data"
)

// Bounds of a sitemap. The site writes 10,000 URLs in 900 KB (FACTS.md 2.3), the format allows 50,000 in 50 MB.
const (
	mostOfSitemap = 16 << 20 // bytes, expanded
	mostURLs      = 50_000
	mostParts     = 1_000
	mostDepth     = 16
	mostOfURL     = 2_048
)

const sitemapPath = "/sitemap.xml"

// entry is one address of a sitemap.
type entry struct {
	loc, lastmod string
}

// sitemap is what one file says.
type sitemap struct {
	index   bool // the entries are sitemaps themselves
	entries []entry
	whole   bool // nothing was left out
}

// index asks which sitemaps hold skills, and returns their paths and a digest of all that the index says of them.
func (s *Source) index(ctx context.Context) (digest string, parts []string, err error) {
	found, err := s.sitemap(ctx, sitemapPath)
	if err != nil {
		return "", nil, err
	}
	if !found.index {
		return "single", []string{sitemapPath}, nil
	}
	sum := sha256.New()
	for _, e := range found.entries {
		at, ok := s.own(e.loc)
		if !ok || !strings.Contains(path.Base(at), "skills") {
			continue
		}
		fmt.Fprintf(sum, "%s %s\n", at, e.lastmod)
		parts = append(parts, at)
	}
	if len(parts) == 0 || len(parts) > mostParts {
		return "", nil, &data.ItemError{Outcome: data.OutcomeUnavailable, Reason: fmt.Sprintf("skills.sh: its index names %d sitemaps of skills", len(parts))}
	}
	return hex.EncodeToString(sum.Sum(nil)[:16]), parts, nil
}

// own returns the path of an address of this site, whichever of its names it bears.
func (s *Source) own(address string) (string, bool) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil {
		return "", false
	}
	host := strings.TrimPrefix(strings.ToLower(u.Host), "www.")
	return u.Path, host == Name || host == strings.TrimPrefix(strings.ToLower(s.base.Host), "www.")
}

// part reads one sitemap of skills. whole is false if the file holds more than is read.
func (s *Source) part(ctx context.Context, at string) (rows []data.Listing, whole bool, err error) {
	found, err := s.sitemap(ctx, at)
	if err != nil {
		return nil, false, err
	}
	skipped, example := 0, ""
	for _, e := range found.entries {
		row, ok := s.row(e)
		if !ok {
			skipped++
			example = e.loc
			continue
		}
		rows = append(rows, row)
	}
	if skipped > 0 {
		s.warn(fmt.Sprintf("%s: %d of %d addresses in %s are no skills, such as %.100q", Name, skipped, len(found.entries), path.Base(at), example))
	}
	return rows, found.whole, nil
}

// row reads an address: /owner/repo/skill for one at GitHub, /host/skill for one that its own site publishes.
func (s *Source) row(e entry) (data.Listing, bool) {
	at, ok := s.own(e.loc)
	if !ok {
		return data.Listing{}, false
	}
	parts := strings.Split(strings.Trim(at, "/"), "/")
	last := len(parts) - 1
	if last < 1 || last > 2 {
		return data.Listing{}, false
	}
	l, ok := locate(strings.Join(parts[:last], "/"), parts[last])
	l.URL, l.UpdatedAt = e.loc, source.ParseTime(strings.TrimSpace(e.lastmod))
	return l, ok
}

// sitemap asks for one file of this site.
func (s *Source) sitemap(ctx context.Context, at string) (sitemap, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.base.JoinPath(at).String(), nil)
	if err != nil {
		return sitemap{}, fmt.Errorf("ask skills.sh: %w", err)
	}
	response, err := s.pages.Do(req) // the transport asks for gzip and expands it
	if err != nil {
		return sitemap{}, polite.Cause(ctx, err)
	}
	defer func() { _ = response.Body.Close() }() // nothing of a read body is at stake
	if coding := response.Header.Get("Content-Encoding"); coding != "" && coding != "identity" {
		return sitemap{}, &data.ItemError{Outcome: data.OutcomeUnavailable, Reason: fmt.Sprintf("skills.sh: %s comes as %.20q, which was not asked for", at, coding)}
	}
	found, err := readSitemap(response.Body)
	var broken *xml.SyntaxError
	if errors.As(err, &broken) || errors.Is(err, errNoSitemap) || errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) {
		return sitemap{}, &data.ItemError{Outcome: data.OutcomeUnavailable, Reason: "skills.sh: " + at + " is no sitemap", Err: err}
	}
	return found, polite.Cause(ctx, err)
}

var errNoSitemap = errors.New("neither urlset nor sitemapindex")

// readSitemap reads a sitemap or an index of them, plain or gzip. Bytes past the bound are too_large; entries past it
// are left out.
func readSitemap(from io.Reader) (sitemap, error) {
	in := bufio.NewReader(from)
	if magic, _ := in.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		plain, err := gzip.NewReader(in)
		if err != nil {
			return sitemap{}, err
		}
		in = bufio.NewReader(plain)
	}
	r := reader{decoder: xml.NewDecoder(polite.Capped(io.NopCloser(in), mostOfSitemap))}
	r.found.whole = true
	for {
		token, err := r.decoder.Token()
		if errors.Is(err, io.EOF) && r.root {
			return r.found, nil
		}
		if errors.Is(err, io.EOF) {
			return sitemap{}, errNoSitemap
		}
		if err == nil {
			err = r.take(token)
		}
		if err != nil {
			return sitemap{}, err
		}
	}
}

// reader follows the tokens of one file. Only loc and lastmod in the third level count: image and video sitemaps have
// addresses of their own further in.
type reader struct {
	decoder *xml.Decoder
	found   sitemap
	root    bool
	depth   int
	current entry
	field   *string // where text goes
}

func (r *reader) take(token xml.Token) error {
	switch t := token.(type) {
	case xml.StartElement:
		if r.depth++; r.depth > mostDepth {
			return errNoSitemap
		}
		return r.open(t.Name.Local)
	case xml.EndElement:
		r.field = nil
		if r.depth--; r.depth == 1 {
			r.close()
		}
	case xml.CharData:
		if r.field != nil && len(*r.field)+len(t) <= mostOfURL {
			*r.field += string(t)
		}
	}
	return nil
}

func (r *reader) open(name string) error {
	switch {
	case r.depth == 1 && (name == "urlset" || name == "sitemapindex"):
		r.root, r.found.index = true, name == "sitemapindex"
	case r.depth == 1:
		return errNoSitemap
	case r.depth == 3 && name == "loc":
		r.field = &r.current.loc
	case r.depth == 3 && name == "lastmod":
		r.field = &r.current.lastmod
	default:
		r.field = nil
	}
	return nil
}

func (r *reader) close() {
	e := r.current
	r.current = entry{}
	e.loc = strings.TrimSpace(e.loc)
	switch {
	case e.loc == "":
	case len(r.found.entries) == mostURLs:
		r.found.whole = false
	default:
		r.found.entries = append(r.found.entries, e)
	}
}
