package rules

// Coded returns the ids of the rules that have code, in the order of reports.
func Coded() []string {
	var ids []string
	for _, c := range checks() {
		ids = append(ids, c.id)
	}
	return ids
}
