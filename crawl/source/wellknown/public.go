package wellknown

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"syscall"
	"time"
)

var errNotPublic = errors.New("not an address of the public network")

// Networks that are nobody's on the internet, or lead into others, beside those that netip knows (RFC 6890).
var notPublic = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("198.51.100.0/24"),
	netip.MustParsePrefix("203.0.113.0/24"), netip.MustParsePrefix("240.0.0.0/4"), netip.MustParsePrefix("64:ff9b::/96"),
	netip.MustParsePrefix("64:ff9b:1::/48"), netip.MustParsePrefix("100::/64"), netip.MustParsePrefix("2001::/23"),
	netip.MustParsePrefix("2001:db8::/32"), netip.MustParsePrefix("2002::/16"), netip.MustParsePrefix("fec0::/10"),
}

func isPublic(address netip.Addr) bool {
	address = address.Unmap()
	if !address.IsGlobalUnicast() || address.IsPrivate() || address.Zone() != "" {
		return false
	}
	for _, network := range notPublic {
		if network.Contains(address) {
			return false
		}
	}
	return true
}

// IsPublicName reports whether a host may be one of the internet: a name with a dot that is none of a local network,
// or a public address. What a name resolves to is checked when it is dialled.
func IsPublicName(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if address, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return isPublic(address)
	}
	last := host[strings.LastIndex(host, ".")+1:]
	switch last {
	case "localhost", "local", "internal", "lan", "home", "corp", "intranet", "arpa", "test", "invalid":
		return false
	}
	return strings.Contains(host, ".") && strings.Trim(last, "0123456789") != "" && !strings.HasPrefix(last, "0x") &&
		!strings.ContainsFunc(host, func(r rune) bool { return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789-.", r) })
}

func isLocal(host string) bool {
	address, err := netip.ParseAddr(host)
	return err == nil && address.IsLoopback() || strings.EqualFold(host, "localhost")
}

// publicOnly returns a transport that reaches public hosts alone, redirects included: by name, and, where it dials
// itself and no proxy does, by every address that a name resolves to. next, if set, is used in its place below the
// check of names.
func publicOnly(next http.RoundTripper) http.RoundTripper {
	if next != nil {
		return checked{direct: next, proxied: next}
	}
	dialer := &net.Dialer{Timeout: 10 * time.Second, Control: func(_, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil || !isPublic(to.Addr()) {
			return errNotPublic
		}
		return nil
	}}
	transport := func() *http.Transport {
		return &http.Transport{
			ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 2, IdleConnTimeout: time.Minute, TLSHandshakeTimeout: 10 * time.Second,
		}
	}
	direct, proxied := transport(), transport()
	direct.DialContext = dialer.DialContext
	proxied.Proxy = http.ProxyFromEnvironment
	return checked{direct: direct, proxied: proxied}
}

// checked refuses hosts by name and chooses the way to all others.
type checked struct{ direct, proxied http.RoundTripper }

// RoundTrip passes a request to a public host on.
func (c checked) RoundTrip(req *http.Request) (*http.Response, error) {
	if !IsPublicName(req.URL.Hostname()) {
		return nil, errNotPublic
	}
	if proxy, err := http.ProxyFromEnvironment(req); err != nil || proxy != nil {
		return c.proxied.RoundTrip(req)
	}
	return c.direct.RoundTrip(req)
}
