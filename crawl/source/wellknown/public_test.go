package wellknown

import (
	"errors"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"skillcorpus/data"
)

func TestIsPublic(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"8.8.8.8": true, "2606:4700::1111": true, "127.0.0.1": false, "127.9.9.9": false, "::1": false, "0.0.0.0": false, "10.1.2.3": false,
		"172.16.0.1": false, "172.32.0.1": true, "192.168.1.1": false, "169.254.169.254": false, "100.64.0.1": false, "224.0.0.1": false,
		"255.255.255.255": false, "240.0.0.1": false, "::ffff:127.0.0.1": false, "::ffff:10.0.0.1": false, "fe80::1": false, "fe80::1%eth0": false,
		"fd00::1": false, "64:ff9b::7f00:1": false, "2002:7f00:1::": false, "ff02::1": false, "::": false, "2001:db8::1": false, "198.18.0.1": false,
	} {
		if got := isPublic(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s: %v", address, got)
		}
	}
}

func TestIsPublicName(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{
		"example.org": true, "docs.example.co.uk": true, "EXAMPLE.org.": true, "8.8.8.8": true, "localhost": false, "x.localhost": false,
		"db.internal": false, "printer.local": false, "intranet": false, "": false, ".": false, "127.0.0.1": false, "[::1]": false, "::1": false,
		"127.1": false, "0x7f.1": false, "2130706433": false, "017700000001": false, "a.0x7f000001": false, "exa mple.org": false,
		"example.org:80": false, "a@b.org": false, "xn--bcher-kva.example": true, "bücher.example": false,
	} {
		if got := IsPublicName(host); got != want {
			t.Errorf("%q: %v", host, got)
		}
	}
}

func TestSourceNames(t *testing.T) {
	t.Parallel()
	c, err := New(Config{Now: time.Now, Warn: func(string) {}})
	if err != nil {
		t.Fatal(err)
	}
	for argument, want := range map[string]string{
		"Example.org": "wellknown:example.org", "https://example.org/": "wellknown:example.org", "https://example.org:8443": "wellknown:example.org:8443",
		"http://127.0.0.1:8080": "wellknown:http://127.0.0.1:8080", "http://localhost:1": "wellknown:http://localhost:1", "https://127.0.0.1": "wellknown:127.0.0.1",
		"http://example.org": "", "10.0.0.1": "", "https://u:p@example.org": "", "example.org/path": "", "": "", "ftp://example.org": "", "intranet": "",
	} {
		got := ""
		if s, err := c.Source(argument); err == nil {
			got = s.Name()
		}
		if got != want {
			t.Errorf("%q: %q, want %q", argument, got, want)
		}
	}
}

// internet answers by address, without any network.
type internet map[string]func() *http.Response

func (n internet) RoundTrip(req *http.Request) (*http.Response, error) {
	answer, ok := n[req.URL.String()]
	if !ok {
		answer = func() *http.Response { return text(404, "") }
	}
	response := answer()
	response.Request = req
	return response, nil
}

func text(status int, body string) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
}

func redirect(to string) func() *http.Response {
	return func() *http.Response {
		r := text(302, "")
		r.Header.Set("Location", to)
		return r
	}
}

// A public site leads nobody into a private network: neither by its index, nor by a redirect, nor by plain http.
func TestPrivateNetwork(t *testing.T) {
	t.Parallel()
	const base = "https://a.example"
	digest := "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	for target, want := range map[string]data.Outcome{
		"SKILL.md":                  data.OutcomeOK,
		"https://cdn.example/ok":    data.OutcomeOK,
		"https://127.0.0.1/x":       data.OutcomeForbidden,
		"https://[::1]/x":           data.OutcomeForbidden,
		"https://169.254.169.254/x": data.OutcomeForbidden,
		"https://localhost/x":       data.OutcomeForbidden,
		"http://a.example/x":        data.OutcomeForbidden,
		"ftp://a.example/x":         data.OutcomeForbidden,
		"/moved":                    data.OutcomeUnavailable,
		"/plain":                    data.OutcomeUnavailable,
	} {
		t.Run(target, func(t *testing.T) {
			t.Parallel()
			ok := func() *http.Response { return text(200, "") }
			c, err := New(Config{RequestsPerSecond: 1e6, RetryWait: time.Microsecond, Now: time.Now, Warn: func(s string) { t.Log(s) }, Transport: internet{
				base + indexPath: func() *http.Response {
					return text(200, `{"$schema":"`+schema+`","skills":[{"name":"a","type":"skill-md","url":"`+target+`","digest":"`+digest+`"}]}`)
				},
				base + "/.well-known/agent-skills/SKILL.md": ok, "https://cdn.example/ok": ok,
				"https://127.0.0.1/x": ok, "https://[::1]/x": ok, "https://169.254.169.254/x": ok, "https://localhost/x": ok, "http://a.example/x": ok,
				base + "/moved": redirect("https://127.0.0.1/x"), base + "/plain": redirect("http://a.example/x"),
			}})
			if err != nil {
				t.Fatal(err)
			}
			repo, _, err := c.Repository(t.Context(), "a", data.Repo{Host: base, Name: "a"})
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Archive(t.Context(), repo, io.Discard, 1000); data.OutcomeOf(err) != want {
				t.Errorf("%v, want %s", err, want)
			}
		})
	}
}

// A row of another marketplace may name a host of this machine: it is asked only if the user named it.
func TestNotNamed(t *testing.T) {
	t.Parallel()
	c, err := New(Config{Now: time.Now, Warn: func(string) {}})
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"https://127.0.0.1", "http://127.0.0.1:80", "https://localhost", "https://10.0.0.1", "http://example.org"} {
		if _, _, err := c.Repository(t.Context(), "a", data.Repo{Host: host, Name: "a"}); data.OutcomeOf(err) != data.OutcomeForbidden {
			t.Errorf("%s: %v", host, err)
		}
	}
}

// A public name that resolves to this machine is refused where it is dialled.
func TestDial(t *testing.T) {
	t.Parallel()
	direct, ok := publicOnly(nil).(checked)
	if !ok {
		t.Fatal("another transport")
	}
	transport, ok := direct.direct.(*http.Transport)
	if !ok {
		t.Fatal("another transport")
	}
	if _, err := transport.DialContext(t.Context(), "tcp", "127.0.0.1:1"); !errors.Is(err, errNotPublic) {
		t.Errorf("%v", err)
	}
}

func FuzzIndex(f *testing.F) {
	f.Add([]byte(`{"$schema":"` + schema + `","skills":[{"name":"a","type":"archive","url":"../x","digest":"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}]}`))
	f.Add([]byte(`{"skills":[{"name":"b","files":["SKILL.md","a/b"]},null,5]}`))
	f.Add([]byte(`{"$schema":"` + schema + `","skills":[{"name":"\u0000","url":"javascript:x"}]}`))
	at, err := url.Parse("https://a.example" + indexPath)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		found, err := parse(content, at)
		if err != nil {
			return
		}
		if len(found.names) != len(found.entries) {
			t.Errorf("%d names of %d skills", len(found.names), len(found.entries))
		}
		for _, name := range found.names {
			e := found.entries[strings.ToLower(name)]
			if strings.ContainsAny(e.Name, "/\\") || e.address(found) == "" {
				t.Errorf("%+v", e)
			}
			for _, file := range e.Files {
				if target, err := url.Parse(e.file(found, file)); err != nil || target.Host != at.Host || !strings.HasPrefix(target.Path, "/.well-known/agent-skills/"+e.Name+"/") {
					t.Errorf("%q leads to %v", file, target)
				}
			}
		}
	})
}
