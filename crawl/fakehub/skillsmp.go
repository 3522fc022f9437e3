package fakehub

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// skillsMP plays skillsmp.com's API.
type skillsMP struct {
	now     func() time.Time
	daily   *quota
	minute  *quota
	listing *listing
	market  Market
	called  atomic.Int64 // answered searches
}

// SkillsMP's limits, as people who tested it by hand report them.
const (
	searchPath   = "/api/v1/skills/search"
	maxQuery     = 200 // characters
	defaultLimit = 20
	maxLimit     = 50   // though 100 is documented
	maxResults   = 1000 // rows that one query can see
)

var (
	apiKey       = regexp.MustCompile(`^Bearer sk_live_skillsmp_[A-Za-z0-9_-]+$`)
	languageCode = regexp.MustCompile(`^([a-z]{2}|mul|und)$`)
	occupation   = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
)

func newSkillsMP(h *Hub, quotas Quotas) host {
	return &skillsMP{
		now:     h.now,
		daily:   newQuota(quotas.SkillsMPDay, day),
		minute:  newQuota(quotas.SkillsMPMinute, time.Minute),
		listing: h.listing,
		market:  h.market,
	}
}

// refuse answers an ordered limit as the day's or the minute's quota.
func (s *skillsMP) refuse(r *http.Request, l Limit, _ time.Time, left time.Duration) answer {
	if l.Kind == limitSecondary {
		return tooFast(left)
	}
	header := make(http.Header)
	n := RealQuotas().SkillsMPDay.of(r.Header.Get("Authorization") != "")
	setDailyHeaders(header, usage{limit: n, used: n})
	return quotaExceeded().with(header)
}

func (s *skillsMP) classify(r *http.Request) target {
	if strings.TrimSuffix(r.URL.Path, "/") == searchPath {
		return target{endpoint: "search"}
	}
	return target{endpoint: "unknown"}
}

func (s *skillsMP) serve(w http.ResponseWriter, r *http.Request, t target) {
	if t.endpoint != "search" || (r.Method != http.MethodGet && r.Method != http.MethodHead) {
		reply := refusal(http.StatusNotFound, "ENDPOINT_NOT_FOUND", "The requested endpoint does not exist",
			map[string]any{"availableEndpoints": []string{"GET " + searchPath}})
		write(w, r, reply)
		return
	}
	caller := r.Header.Get("Authorization")
	if caller != "" && !apiKey.MatchString(caller) {
		write(w, r, refusal(http.StatusUnauthorized, "INVALID_API_KEY", "The API key is invalid", nil))
		return
	}
	now := s.now()
	if u, ok := s.minute.take(caller, now); !ok {
		write(w, r, tooFast(u.reset.Sub(now)))
		return
	}
	u, ok := s.daily.take(caller, now)
	setDailyHeaders(w.Header(), u)
	if !ok {
		write(w, r, quotaExceeded())
		return
	}
	write(w, r, s.search(r.URL.Query(), requestID(r)))
}

func setDailyHeaders(header http.Header, u usage) {
	header.Set("X-RateLimit-Daily-Limit", strconv.Itoa(u.limit))
	header.Set("X-RateLimit-Daily-Remaining", strconv.Itoa(u.remaining()))
}

func quotaExceeded() answer {
	return refusal(http.StatusTooManyRequests, "DAILY_QUOTA_EXCEEDED", "Daily API quota exceeded", nil)
}

// tooFast is the answer over the quota of a minute. Its code is invented: nobody reports it.
func tooFast(wait time.Duration) answer {
	reply := refusal(http.StatusTooManyRequests, "RATE_LIMIT_EXCEEDED", "Too many requests", nil)
	reply.header = map[string]string{"Retry-After": seconds(wait)}
	return reply
}

// seconds rounds a wait up to whole seconds.
func seconds(wait time.Duration) string {
	return strconv.FormatInt(int64((wait+time.Second-1)/time.Second), 10)
}

func refusal(status int, code, text string, meta map[string]any) answer {
	value := map[string]any{"success": false, "error": map[string]any{"code": code, "message": text}}
	if meta != nil {
		value["meta"] = meta
	}
	return jsonAnswer(status, value)
}

func badRequest(code, text string) answer { return refusal(http.StatusBadRequest, code, text, nil) }

// search answers one query over name, description and author.
func (s *skillsMP) search(query url.Values, id string) answer {
	q := strings.TrimSpace(query.Get("q"))
	switch {
	case q == "":
		return badRequest("MISSING_QUERY", "Query parameter q is required")
	case q == "*" || len([]rune(q)) > maxQuery:
		return badRequest("INVALID_QUERY", "Query parameter q is not allowed")
	case query.Has("occupation") && !occupation.MatchString(query.Get("occupation")):
		return badRequest("INVALID_OCCUPATION", "Unknown occupation")
	case query.Has("language") && !languageCode.MatchString(query.Get("language")):
		return badRequest("INVALID_LANGUAGE", "Unknown language")
	}
	sortBy := query.Get("sortBy")
	if sortBy != "recent" {
		sortBy = "stars"
	}
	rows, err := s.listing.rows(sortBy == "recent")
	if err != nil {
		return refusal(http.StatusInternalServerError, "INTERNAL_ERROR", "fakehub: "+err.Error(), nil)
	}
	call := int(s.called.Add(1))
	words := strings.Fields(strings.ToLower(q))
	found := []*row{}
	for _, r := range rows {
		if s.market.matches(r, words) && facets(r, query) && !s.market.hides(r, call) {
			found = append(found, r)
		}
	}
	filters := map[string]any{"search": q, "sortBy": sortBy}
	for _, name := range []string{"category", "occupation"} {
		if query.Has(name) {
			filters[name] = query.Get(name)
		}
	}
	page, pagination := paginate(found, s.market.turn(query, call))
	return jsonAnswer(http.StatusOK, map[string]any{
		"success": true,
		"data":    map[string]any{"skills": page, "pagination": pagination, "filters": filters},
		"meta":    map[string]any{"requestId": id, "responseTimeMs": 1},
	})
}

// paginate cuts one page out. Beyond the end it silently gives the last one.
func paginate(rows []*row, query url.Values) ([]*row, map[string]any) {
	capped := len(rows) > maxResults
	rows = rows[:min(len(rows), maxResults)]
	limit := number(query.Get("limit"), defaultLimit)
	limit = min(max(limit, 1), maxLimit)
	pages := max(1, (len(rows)+limit-1)/limit)
	page := min(max(number(query.Get("page"), 1), 1), pages)
	start := (page - 1) * limit
	return rows[start:min(start+limit, len(rows))], map[string]any{
		"page": page, "limit": limit, "total": len(rows), "totalPages": pages,
		"hasNext": page < pages, "hasPrev": page > 1,
		"totalIsExact": !capped, "isCapped": capped, "maxResults": maxResults,
	}
}

func number(text string, otherwise int) int {
	n, err := strconv.Atoi(cmp.Or(text, strconv.Itoa(otherwise)))
	if err != nil {
		return otherwise
	}
	return n
}

// requestID follows from the request, so that equal requests have equal answers.
func requestID(r *http.Request) string {
	sum := sha256.Sum256([]byte(r.URL.RequestURI()))
	return "req_" + hex.EncodeToString(sum[:8])
}
