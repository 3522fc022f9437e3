package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// report is what a whole measurement says. Times are medians over the runs, memory the most of any.
type report struct {
	Machine     machine  `json:"machine"`
	Runs        int      `json:"runs"`
	Seed        uint64   `json:"seed"`
	ReferenceMS float64  `json:"reference_ms"` // unpack and SHA-256 of the corpus files on one core, in Go
	Stages      []stage  `json:"stages"`
	Searches    []search `json:"searches"`
}

type machine struct {
	CPU    string `json:"cpu"`
	Cores  int    `json:"cores"`
	Memory string `json:"memory"`
	OS     string `json:"os"`
	Go     string `json:"go"`
}

type stage struct {
	Stage   string  `json:"stage"`
	WallMS  float64 `json:"wall_ms"`
	CPUMS   float64 `json:"cpu_ms"` // user and system
	PeakMB  float64 `json:"peak_mb"`
	Ratio   float64 `json:"ratio"` // wall time over the reference's
	samples []usage
}

type search struct {
	Queries   string  `json:"queries"`
	Count     int     `json:"count"`
	MedianMS  float64 `json:"median_ms"` // inside one process, as the search itself says
	P95MS     float64 `json:"p95_ms"`
	ProcessMS float64 `json:"process_median_ms"` // a process a query
	Process95 float64 `json:"process_p95_ms"`
}

// samples collects what the runs give.
type samples struct {
	reference []time.Duration
	stages    []stage
	sets      map[string]*latencies
}

type latencies struct {
	inside  []float64 // ms
	process []time.Duration
}

// buildStages are those that make a corpus ready, in their order.
func buildStages() []string { return []string{"import", "parse", "audit", "index"} }

func (s *samples) stage(name string, used usage) {
	i := slices.IndexFunc(s.stages, func(have stage) bool { return have.Stage == name })
	if i < 0 {
		s.stages, i = append(s.stages, stage{Stage: name}), len(s.stages)
	}
	s.stages[i].samples = append(s.stages[i].samples, used)
}

func (s *samples) set(name string) *latencies {
	if s.sets == nil {
		s.sets = map[string]*latencies{}
	}
	if s.sets[name] == nil {
		s.sets[name] = &latencies{}
	}
	return s.sets[name]
}

// inProcess takes the times out of the summaries that a search of many queries printed.
func (s *samples) inProcess(name string, stdout []byte) error {
	for line := range bytes.Lines(stdout) {
		var object struct {
			Type   string  `json:"type"`
			TookMS float64 `json:"took_ms"`
		}
		if err := json.Unmarshal(line, &object); err != nil {
			return fmt.Errorf("read search output: %w", err)
		}
		if object.Type == "summary" {
			s.set(name).inside = append(s.set(name).inside, object.TookMS)
		}
	}
	return nil
}

func (s *samples) report(runs int, b bench) report {
	r := report{Machine: thisMachine(), Runs: runs, Seed: b.seed, ReferenceMS: median(milliseconds(s.reference))}
	for _, st := range s.stages {
		var wall, cpu []time.Duration
		for _, u := range st.samples {
			wall, cpu = append(wall, u.wall), append(cpu, u.cpu)
			st.PeakMB = max(st.PeakMB, float64(u.peak)/1e6)
		}
		st.WallMS, st.CPUMS = median(milliseconds(wall)), median(milliseconds(cpu))
		st.Ratio = st.WallMS / r.ReferenceMS
		r.Stages = append(r.Stages, st)
	}
	for _, set := range b.sets {
		l := s.set(set.name)
		process := milliseconds(l.process)
		r.Searches = append(r.Searches, search{
			set.name, len(set.queries), median(l.inside), quantile(l.inside, 0.95), median(process), quantile(process, 0.95),
		})
	}
	return r
}

func milliseconds(times []time.Duration) []float64 {
	all := make([]float64, len(times))
	for i, t := range times {
		all[i] = float64(t.Microseconds()) / 1000
	}
	return all
}

func median(all []float64) float64 { return quantile(all, 0.5) }

// quantile returns the smallest value that a share q of all does not exceed.
func quantile(all []float64, q float64) float64 {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(all))
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

func (r report) print(out io.Writer) error {
	var text strings.Builder
	m := r.Machine
	fmt.Fprintf(&text, "%s, %d cores, %s, %s, %s; %d runs, seed %d\n", m.CPU, m.Cores, m.Memory, m.OS, m.Go, r.Runs, r.Seed)
	fmt.Fprintf(&text, "reference: the corpus files unpacked and digested on one core in %.0f ms\n\n", r.ReferenceMS)
	text.WriteString("stage\twall s\tcpu s\tpeak MB\t× reference\t\n")
	var wall, cpu, peak float64
	for _, s := range r.Stages {
		fmt.Fprintf(&text, "%s\t%.1f\t%.1f\t%.0f\t%.1f\t\n", s.Stage, s.WallMS/1000, s.CPUMS/1000, s.PeakMB, s.Ratio)
		if slices.Contains(buildStages(), s.Stage) {
			wall, cpu, peak = wall+s.WallMS, cpu+s.CPUMS, max(peak, s.PeakMB)
		}
	}
	fmt.Fprintf(&text, "import to index\t%.1f\t%.1f\t%.0f\t%.1f\t\n", wall/1000, cpu/1000, peak, wall/r.ReferenceMS)
	text.WriteString("\nsearch\tmedian ms\tp95 ms\tprocess median\tprocess p95\t\n")
	for _, s := range r.Searches {
		fmt.Fprintf(&text, "%d %s\t%.1f\t%.1f\t%.1f\t%.1f\t\n", s.Count, s.Queries, s.MedianMS, s.P95MS, s.ProcessMS, s.Process95)
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	if _, err := io.WriteString(table, text.String()); err != nil {
		return err
	}
	return table.Flush()
}

// thisMachine describes where the figures come from, as far as the system tells.
func thisMachine() machine {
	return machine{
		CPU: procLine("/proc/cpuinfo", "model name"), Cores: runtime.NumCPU(), Memory: "memory " + procLine("/proc/meminfo", "MemTotal"),
		OS: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version(),
	}
}

// procLine returns the value of the first line with this key, such as `model name : …`.
func procLine(file, key string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return "unknown " + key
	}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == key {
			return strings.TrimSpace(value)
		}
	}
	return "unknown " + key
}
