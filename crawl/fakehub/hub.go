package fakehub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Config says what a hub serves and how.
type Config struct {
	Hub    fs.FS            // a folder in hub format: index.json and the archives that it names; nil if there is a corpus
	Corpus fs.FS            // a folder of skills-*.jsonl.gz; repositories that Hub has too are the Hub's
	Faults *Script          // nil is a hub without faults, with the real quotas
	Listen string           // loopback address of the API, default 127.0.0.1:0; the other hosts take free ports of its address
	Logger *slog.Logger     // one line a request at debug; nil logs nothing
	Now    func() time.Time // the clock of quotas and limits; nil is time.Now

	// Listings are files of JSON rows, also in gzip, that SkillsMP lists in place of the hub's own skills.
	Listings []string
}

// Hub plays several hosts. Once Start has returned its methods are safe for concurrent use.
type Hub struct {
	listen string
	logger *slog.Logger
	now    func() time.Time
	index  *index
	// listing is every skill of the folder as a marketplace's rows, read once whichever host asks first.
	listing     *listing
	treeEntries int // 0 is GitHub's own figure
	market      Market
	faults      *engine
	stats       *stats
	hosts       []*server

	closing sync.Once
	mu      sync.Mutex // guards what follows, and every Add of running
	started bool
	closed  bool
	cancel  func()
	running sync.WaitGroup // serving goroutines and requests in flight
}

// knownHost is one line of the table of hosts.
type knownHost struct {
	name    string                  // in fault rules, statistics and URLs
	setting string                  // the environment variable that tells a crawler its base URL
	open    func(*Hub, Quotas) host // called once a hub, before it listens
}

// hosts is the table of all that a hub plays, in the order in which they listen. To add a host write its constructor in
// a file of its own and one line here: fault rules, statistics, settings and URLs follow from the table. A host that
// answers an exhausted limit in a shape of its own implements refuser; one with a quota adds a field to Quotas.
func hosts() []knownHost {
	return []knownHost{
		{"api", "SKILLCORPUS_GITHUB_API_URL", newAPI},
		{"codeload", "SKILLCORPUS_CODELOAD_URL", newCodeload},
		{"raw", "SKILLCORPUS_RAW_URL", newRaw},
		{"skillsmp", "SKILLCORPUS_SKILLSMP_URL", newSkillsMP},
		{"skills.sh", "SKILLCORPUS_SKILLSSH_URL", newSkillsSH},
		{"clawhub", "SKILLCORPUS_CLAWHUB_URL", newClawHub},
		{"wellknown", "SKILLCORPUS_WELLKNOWN_URL", newWellKnown},
	}
}

// hostNames returns the names of the table.
func hostNames() []string {
	var names []string
	for _, known := range hosts() {
		names = append(names, known.name)
	}
	return names
}

// refuser is a host with its own answer while a limit is exhausted; the others say 429 in plain text with Retry-After.
type refuser interface {
	// refuse answers a request under a limit that holds until a time, left from now.
	refuse(r *http.Request, l Limit, until time.Time, left time.Duration) answer
}

// host is one of the parts that a hub plays.
type host interface {
	// classify says which endpoint and which repository a request asks for. It never looks at the state of
	// either.
	classify(r *http.Request) target
	// serve answers the request. Fault rules have been applied by then.
	serve(w http.ResponseWriter, r *http.Request, t target)
}

// target is what a request asks for.
type target struct {
	endpoint string      // as in the statistics, without the host
	repo     *repository // nil where there is none of that name
	asked    string      // the name by which the repository was asked, `owner/name`; empty where asked by number
	rest     string      // what follows the repository, without slashes at its ends
	partial  bool        // a fault orders that a part of the answer fails
	body     string      // digest of what was posted; empty where nothing was
}

// server is one host with its listener.
type server struct {
	name     string // as in fault rules and statistics
	setting  string // of the environment, for Env
	host     host
	listener net.Listener
	http     *http.Server
}

// New reads the folder's index.json and applies the script's unconditional repository states. Archives are
// opened when they are asked for.
func New(config Config) (*Hub, error) {
	if err := checkLoopback(cmp.Or(config.Listen, defaultListen)); err != nil {
		return nil, err
	}
	script := config.Faults
	if script == nil {
		script = &Script{}
	}
	index, err := readIndex(config)
	if err != nil {
		return nil, fmt.Errorf("read hub: %w", err)
	}
	h := &Hub{
		listen: cmp.Or(config.Listen, defaultListen),
		logger: config.Logger,
		now:    config.Now,
		index:  index,
		stats:  newStats(),
	}
	if h.logger == nil {
		h.logger = slog.New(slog.DiscardHandler)
	}
	if h.now == nil {
		h.now = time.Now
	}
	if h.faults, err = newEngine(script, index, h.now); err != nil {
		return nil, fmt.Errorf("apply fault script: %w", err)
	}
	if h.listing, err = openListing(index, config.Listings); err != nil {
		return nil, err
	}
	h.market = script.Market
	h.treeEntries = script.TreeEntries
	for _, known := range hosts() {
		h.hosts = append(h.hosts, &server{name: known.name, setting: known.setting, host: known.open(h, script.Quotas)})
	}
	return h, nil
}

func readIndex(config Config) (*index, error) {
	x := newIndex()
	if config.Hub != nil {
		if err := x.readFolder(config.Hub); err != nil {
			return nil, err
		}
	}
	if config.Corpus != nil {
		if err := x.readCorpus(config.Corpus); err != nil {
			return nil, err
		}
	}
	if config.Hub == nil && config.Corpus == nil {
		return nil, errors.New("neither a hub's folder nor a corpus")
	}
	return x, nil
}

const defaultListen = "127.0.0.1:0"

func checkLoopback(address string) error {
	name, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("listen address %q: %w", address, err)
	}
	if ip := net.ParseIP(name); name != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("listen address %q: only loopback addresses are allowed, like %s", address, defaultListen)
	}
	return nil
}

// Start listens on all hosts and serves until Close or the end of ctx. An error leaves nothing behind. A hub starts
// once.
func (h *Hub) Start(ctx context.Context) error {
	if !h.starting() {
		return errors.New("start hub: it has been started or closed before")
	}
	name, _, err := net.SplitHostPort(h.listen)
	if err != nil {
		return fmt.Errorf("listen address %q: %w", h.listen, err)
	}
	address := h.listen
	for _, s := range h.hosts {
		if s.listener, err = (&net.ListenConfig{}).Listen(ctx, "tcp", address); err != nil {
			break
		}
		if tcp, ok := s.listener.Addr().(*net.TCPAddr); !ok || !tcp.IP.IsLoopback() {
			err = fmt.Errorf("%s resolves to %s, which is not loopback", address, s.listener.Addr())
			break
		}
		address = net.JoinHostPort(name, "0")
	}
	if err != nil {
		for _, s := range h.hosts {
			if s.listener != nil {
				err = errors.Join(err, s.listener.Close())
			}
		}
		return fmt.Errorf("start hub: %w", err)
	}
	h.serve(ctx)
	return nil
}

func (h *Hub) starting() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	first := !h.started && !h.closed
	h.started = true
	return first
}

func (h *Hub) serve(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(ctx, h.shutdown)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.cancel = func() { stop(); cancel() }
	for _, s := range h.hosts {
		s.http = &http.Server{
			Handler:           h.handler(s),
			BaseContext:       func(net.Listener) context.Context { return ctx },
			ReadHeaderTimeout: 10 * time.Second,
			ErrorLog:          slog.NewLogLogger(h.logger.Handler(), slog.LevelDebug),
		}
		h.running.Go(func() {
			if err := s.http.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
				h.logger.Error("host stopped", "host", s.name, "err", err)
			}
		})
	}
}

// Close tears all connections, waits for every goroutine of the hub, and returns nil. It may be called twice.
func (h *Hub) Close() error {
	h.shutdown()
	h.running.Wait()
	return nil
}

func (h *Hub) shutdown() {
	h.closing.Do(func() {
		h.mu.Lock()
		h.closed = true
		cancel := h.cancel
		h.mu.Unlock()
		if cancel == nil {
			return
		}
		cancel()
		for _, s := range h.hosts {
			if err := s.http.Close(); err != nil {
				h.logger.Debug("close host", "host", s.name, "err", err)
			}
		}
	})
}

// enter counts a request in, and refuses it once the hub is closing, so that Close waits for all others.
func (h *Hub) enter() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return false
	}
	h.running.Add(1)
	return true
}

// URLs returns the base URL of each host by its name, without a slash at the end. It is empty before Start.
func (h *Hub) URLs() map[string]string {
	urls := make(map[string]string, len(h.hosts))
	for _, s := range h.hosts {
		if url := s.url(); url != "" {
			urls[s.name] = url
		}
	}
	return urls
}

// Env returns the base URLs as settings that every crawl command reads: lines of KEY=value, also a file that a
// shell can source.
func (h *Hub) Env() string {
	var lines strings.Builder
	for _, s := range h.hosts {
		fmt.Fprintf(&lines, "%s=%s\n", s.setting, s.url())
	}
	return lines.String()
}

func (s *server) url() string {
	if s.listener == nil {
		return ""
	}
	return "http://" + s.listener.Addr().String()
}

// url returns the base URL of a host by its name.
func (h *Hub) url(name string) string {
	for _, s := range h.hosts {
		if s.name == name {
			return s.url()
		}
	}
	return ""
}
