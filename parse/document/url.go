package document

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/text"
)

// htmlLink matches the tags whose target is a link or image, with the target in one of three groups.
var htmlLink = regexp.MustCompile(`(?i)<(a|img)\s(?:[^>]*?\s)?(?:href|src)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))`)

// addHTMLLinks tells of the links and images in raw HTML that begins on a line, and of the comments inside it.
func (s *scan) addHTMLLinks(html string, line int) {
	if !strings.Contains(html, "=") {
		return
	}
	at := 0
	for _, m := range htmlLink.FindAllStringSubmatchIndex(html, -1) {
		line += strings.Count(html[at:m[0]], "\n")
		at = m[0]
		target := ""
		for group := 4; group < len(m); group += 2 {
			if m[group] >= 0 {
				target = html[m[group]:m[group+1]]
			}
		}
		if target = strings.TrimSpace(target); target != "" {
			s.links = append(s.links, link{line: line, target: target, image: m[3]-m[2] > 1})
		}
	}
}

// bareURL matches a URL that stands in the text by itself.
var bareURL = regexp.MustCompile(`https?://[^\s<>"\x60，。；：、！？（）【】「」《》]+`)

// addURLs tells of the bare URLs in a run of text. As in GFM a URL stands behind a blank, one of `*_~("'` or
// the text's start, and marks at its end and closing brackets without an opening one are not part of it; marks of
// Chinese end it too.
func (s *scan) addURLs(run text.Segment) {
	content := run.Value(s.source)
	if !bytes.Contains(content, []byte("://")) {
		return
	}
	for _, m := range bareURL.FindAllIndex(content, -1) {
		if m[0] > 0 && isWordByte(content[m[0]-1]) {
			continue
		}
		if url := trimURL(string(content[m[0]:m[1]])); len(url) > len("https://") {
			s.links = append(s.links, link{line: s.lineAt(run.Start + m[0]), target: url})
		}
	}
}

func isWordByte(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c == '/' || c == '.' || c == '-'
}

// trimURL drops what ends a sentence rather than the URL.
func trimURL(url string) string {
	unopened := strings.Count(url, ")") - strings.Count(url, "(")
	for url != "" {
		last := url[len(url)-1]
		switch {
		case strings.IndexByte(`?!.,:;*_~'|\]}`, last) >= 0:
		case last == ')' && unopened > 0:
			unopened--
		default:
			return url
		}
		url = url[:len(url)-1]
	}
	return url
}
