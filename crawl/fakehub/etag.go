package fakehub

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"strings"
)

// weakETag returns the ETag of what its parts determine.
func weakETag(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return `W/"` + hex.EncodeToString(sum[:]) + `"`
}

// matches reports whether a request already has what the ETag names. The comparison is weak, as RFC 9110 13.1.2 asks.
func matches(r *http.Request, etag string) bool {
	for candidate := range strings.SplitSeq(r.Header.Get("If-None-Match"), ",") {
		candidate = strings.TrimSpace(candidate)
		if candidate == "*" || strings.TrimPrefix(candidate, "W/") == strings.TrimPrefix(etag, "W/") {
			return true
		}
	}
	return false
}

// escapePath escapes a path for a URL and keeps its slashes.
func escapePath(name string) string { return (&url.URL{Path: name}).EscapedPath() }
