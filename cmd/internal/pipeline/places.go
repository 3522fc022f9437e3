package pipeline

import (
	"strings"

	"skillcorpus/cmd/internal/terminal"
	"skillcorpus/crawl/source/marketplace"
	"skillcorpus/data"
)

// Places counts for people what a crawl fetches, given the numbers by host: repositories, skills that a registry or a
// site publishes one by one, folders and archives on this machine, packages.
func Places(byHost map[string]int) string {
	nouns := []string{"repository", "published skill", "local folder", "package"}
	counts := make([]int, len(nouns))
	for host, count := range byHost {
		counts[kindOf(host)] += count
	}
	var parts []string
	for i, count := range counts {
		if count > 0 {
			parts = append(parts, terminal.Count(int64(count), nouns[i]))
		}
	}
	switch last := len(parts) - 1; last {
	case -1:
		return terminal.Count(0, nouns[0])
	case 0:
		return parts[0]
	default:
		return strings.Join(parts[:last], ", ") + " and " + parts[last]
	}
}

func kindOf(host string) int {
	switch {
	case host == data.HostClawHub, strings.Contains(host, "://"):
		return 1
	case host == data.HostDir:
		return 2
	case host == marketplace.HostNPM, host == marketplace.HostPip:
		return 3
	}
	return 0
}

func total(byHost map[string]int) (sum int) {
	for _, count := range byHost {
		sum += count
	}
	return sum
}

// wait is Places with its verb.
func wait(byHost map[string]int) string {
	if total(byHost) == 1 {
		return Places(byHost) + " waits"
	}
	return Places(byHost) + " wait"
}
