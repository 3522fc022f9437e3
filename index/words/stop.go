package words

// Stop reports whether an English word says nothing about what a query is after. Such words are left out of
// queries, unless nothing else is left of them.
func Stop(word string) bool {
	switch word {
	case "a", "an", "the", "and", "or", "but", "nor", "so", "if", "then", "else", "than", "that", "this", "these",
		"those", "there", "here", "of", "in", "on", "at", "by", "for", "from", "to", "into", "onto", "with",
		"without", "within", "as", "about", "between", "through", "over", "under", "up", "down", "out", "off",
		"is", "are", "was", "were", "be", "been", "being", "am", "do", "does", "did", "done", "doing", "have",
		"has", "had", "having", "can", "could", "may", "might", "must", "shall", "should", "will", "would",
		"i", "me", "my", "mine", "we", "us", "our", "ours", "you", "your", "yours", "he", "him", "his", "she",
		"her", "it", "its", "they", "them", "their", "who", "whom", "whose", "which", "what", "when", "where",
		"why", "how", "not", "no", "yes", "all", "any", "both", "each", "every", "few", "more", "most", "much",
		"many", "some", "such", "other", "another", "own", "same", "only", "also", "just", "too", "very",
		"again", "once", "now", "please", "want", "wants", "need", "needs", "like", "isnt", "arent", "wasnt",
		"dont", "doesnt", "didnt", "cant", "couldnt", "wont", "wouldnt", "shouldnt", "havent", "hasnt", "eg",
		"ie", "etc", "via", "per":
		return true
	}
	return false
}
