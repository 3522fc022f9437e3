package skillssh

import (
	"bytes"
	"net/url"
	"testing"
)

func FuzzSitemap(f *testing.F) {
	f.Add([]byte(`<urlset><url><loc>https://skills.sh/o/r/s</loc><lastmod>2026-01-01</lastmod></url></urlset>`))
	f.Add([]byte(`<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE x [<!ENTITY a "b">]><sitemapindex><sitemap><loc>&a;</loc></sitemap></sitemapindex>`))
	f.Add([]byte("\x1f\x8b\x08\x00\x00"))
	f.Add([]byte(`<urlset><url><loc><![CDATA[https://www.skills.sh/a.example/b]]></loc><image><loc>x</loc></image></url>`))
	base, err := url.Parse("https://skills.sh")
	if err != nil {
		f.Fatal(err)
	}
	s := &Source{base: base}
	f.Fuzz(func(t *testing.T, text []byte) {
		found, err := readSitemap(bytes.NewReader(text))
		if err != nil {
			return
		}
		for _, e := range found.entries {
			if len(e.loc) > mostOfURL || e.loc == "" {
				t.Errorf("%d bytes of address", len(e.loc))
			}
			if row, ok := s.row(e); ok && (row.Repo == "" || row.Host == "" || row.Name == "" || row.ExternalID == "") {
				t.Errorf("%q: %+v", e.loc, row)
			}
		}
	})
}

func FuzzRow(f *testing.F) {
	f.Add([]byte(`{"slug":"a","source":"o/r","installs":1}`))
	f.Add([]byte(`{"slug":"a","source":"[::1]","installs":1e300}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if row, ok := listing(text); ok && (row.Repo == "" || row.Host == "" || row.Installs < 0) {
			t.Errorf("%s: %+v", text, row)
		}
	})
}
