package command

import (
	"runtime"

	"github.com/spf13/cobra"

	"skillcorpus/audit"
	"skillcorpus/crawl"
	"skillcorpus/index"
	"skillcorpus/parse"
)

// versions is what `version --json` prints (docs/json.md).
type versions struct {
	Type    string         `json:"type"` // always version
	Version string         `json:"version"`
	Go      string         `json:"go"`
	OS      string         `json:"os"`
	Arch    string         `json:"arch"`
	Stages  map[string]int `json:"stages"`
}

func (e *environment) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version of the program and of its stages",
		Example: "  skillcorpus version --json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if e.JSON {
				return e.Object(versions{"version", e.version, runtime.Version(), runtime.GOOS, runtime.GOARCH, map[string]int{
					"crawl": crawl.Version, "parse": parse.Version, "audit": audit.Version, "index": index.Version,
				}})
			}
			e.Printf("skillcorpus %s (%s %s/%s; crawl %d, parse %d, audit %d, index %d)\n", e.version, runtime.Version(), runtime.GOOS,
				runtime.GOARCH, crawl.Version, parse.Version, audit.Version, index.Version)
			return nil
		},
	}
}
