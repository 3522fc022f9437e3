package skillsmp

import "time"

// quota is what is known of the day's requests.
type quota struct {
	Tier string `json:"tier,omitempty"`
	Day  string `json:"day,omitempty"`
	Left int    `json:"left"` // -1 is unknown
}

func day(now time.Time) string { return now.UTC().Format(time.DateOnly) }

// spent reports whether asking is in vain until the day ends.
func (q quota) spent(tier string, now time.Time) bool {
	return q.Tier == tier && q.Day == day(now) && q.Left == 0
}

// after returns the quota after an answer that told told requests left, or -1.
func (q quota) after(tier string, now time.Time, told int) quota {
	next := quota{Tier: tier, Day: day(now), Left: told}
	if told < 0 && q.Tier == tier && q.Day == next.Day && q.Left > 0 {
		next.Left = q.Left - 1
	}
	return next
}

// midnight returns the next 00:00 UTC, when the daily quota begins anew.
func midnight(now time.Time) time.Time {
	year, month, day := now.UTC().Date()
	return time.Date(year, month, day+1, 0, 0, 0, 0, time.UTC)
}
