package skillsmp

// leaves are the leaf categories, by the slugs that public text shows (62 are said to exist). A slug that the
// marketplace doesn't know costs one request of a walk and shows nothing; what no category shows is looked for without.
func leaves() []string {
	return []string{
		"llm-ai", "frontend", "testing", "technical-docs", "cicd", "automation-tools", "security", "backend", "data-analysis",
		"business-apps", "sales-marketing", "machine-learning", "design", "code-quality", "documents", "cloud", "productivity-tools",
		"data-engineering", "architecture-patterns", "debugging", "knowledge-base", "containers", "project-management", "content-creation",
		"git-workflows", "full-stack", "mobile", "scripting", "cli-tools", "ide-plugins", "framework-internals", "frameworks-internals",
		"database-tools", "sql-databases", "nosql-databases", "monitoring", "media", "gaming", "education", "ecommerce",
		"ecommerce-development", "cms-platforms", "package-distribution", "system-admin", "domain-utilities", "finance-investment",
		"real-estate-legal", "health-fitness", "payment", "smart-contracts", "defi", "web3-tools", "academic", "scientific-computing",
		"bioinformatics", "computational-chemistry", "astronomy-physics", "lab-tools", "literature-writing", "wellness-health",
		"philosophy-ethics", "culinary-arts", "arts-crafts", "divination-mysticism",
	}
}
