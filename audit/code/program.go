package code

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// What a shell's grammar takes for a command is often none: prose, settings, statements of another language, and what is
// typed into a program. Names of these forms are told from programs.
var (
	executable = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9._+-]{0,40}$`)
	setting    = regexp.MustCompile(`^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$`)       // OPENAI_API_KEY, Q4_K_M
	cmdlet     = regexp.MustCompile(`^[A-Z][a-z]+-[A-Z]\w*$`)                // Get-Process: PowerShell's own
	property   = regexp.MustCompile(`^[a-z]+(?:\.[a-z]+){2,}$`)              // https.proxy.certificate
	title      = regexp.MustCompile(`^[A-Z][a-z]+$`)                         // Read the file
	operator   = regexp.MustCompile(`^(?:[-+*/:=!<>|&]*=|[=-]+>|<-|→|⟶|⇒)$`) // after a name: a setting, an expression, a path through a menu
)

// isProgram reports whether the first of a command's words is a program that a machine may lack.
func isProgram(words []string) bool {
	name := words[0]
	switch {
	case !executable.MatchString(name), strings.HasSuffix(name, "."), strings.Contains(name, ".."), name == "placeholder", strings.HasPrefix(name, "mcp__"):
		return false
	case builtin(name), standard[name], statement[name], setting.MatchString(name), cmdlet.MatchString(name), property.MatchString(name):
		return false
	case title.MatchString(name) && !titled[name]:
		return slices.ContainsFunc(words[1:], func(word string) bool { return strings.HasPrefix(word, "-") && len(word) > 1 })
	}
	return true
}

// titled are programs whose name is like a word of prose, and that are often run without options.
var titled = words(`Rscript Xvfb Xorg Xephyr`)

// statement lists words with which lines of SQL, Redis, SMTP, HTTP and Dockerfiles begin, and commands of other shells
// than bash.
var statement = words(`
	SELECT INSERT UPDATE DELETE CREATE ALTER DROP TRUNCATE FROM WHERE JOIN AND OR NOT ORDER GROUP HAVING LIMIT UNION VALUES BEGIN COMMIT
	ROLLBACK END EXPLAIN ANALYZE GRANT REVOKE SHOW DESCRIBE USE WITH SET
	GET HSET HGET INCR DECR LPUSH RPUSH SADD ZADD EXPIRE TTL KEYS CONFIG SLOWLOG INFO MONITOR STORED VALUE
	EHLO HELO MAIL RCPT DATA QUIT POST PUT PATCH HEAD OPTIONS
	RUN COPY ADD CMD ENTRYPOINT ENV EXPOSE WORKDIR ARG LABEL VOLUME USER
	NOTE TODO WARNING IF ELSE FOR WHILE
	setopt unsetopt autoload compdef compinit bindkey zle zmodload zstyle zparseopts emulate promptinit rehash
	fish_add_path funcsave funced abbr copy del cls rem ren setlocal endlocal`)

// typedIn returns the statements of a session that are typed into a program and not into the shell: those after a
// debugger, a console or the like, up to a blank line, a comment or its end; and those after a prompt of such a program.
func typedIn(statements []*syntax.Stmt) map[*syntax.Stmt]bool {
	typed, inside, line := map[*syntax.Stmt]bool{}, false, uint(0)
	for _, s := range statements {
		call, ok := s.Cmd.(*syntax.CallExpr)
		inside = inside && s.Pos().Line() <= line+1
		line = s.End().Line()
		if !ok || len(call.Args) == 0 {
			typed[s] = inside
			continue
		}
		name := literal(call.Args[0])
		switch {
		case inside:
			typed[s], inside = true, name != "exit" && name != "quit"
		case prompted(s, call):
			typed[s] = true
		case len(s.Redirs) == 0 && converses(call.Args):
			inside = true
		}
	}
	return typed
}

// prompted knows `msf6 > use exploit`: nobody redirects between a program and its arguments.
func prompted(s *syntax.Stmt, call *syntax.CallExpr) bool {
	if len(s.Redirs) == 0 || len(call.Args) < 2 || s.Redirs[0].Op != syntax.RdrOut {
		return false
	}
	return s.Redirs[0].Pos().Offset() < call.Args[1].Pos().Offset() && s.Redirs[0].Word.Pos().Offset() > s.Redirs[0].OpPos.Offset()+1
}

// converses reports whether a program then reads what is typed.
func converses(args []*syntax.Word) bool {
	for _, arg := range args[1:] {
		switch literal(arg) {
		case "-x", "-r", "-ex", "-batch", "--batch", "-b", "-o", "-c", "-e", "--command", "--version", "--help", "-v", "-h":
			return false
		}
	}
	switch literal(args[0]) {
	case "msfconsole", "bluetoothctl", "telnet", "ftp", "sftp", "gdb", "lldb":
		return true
	case "redis-cli", "nslookup", "irb", "ghci", "gremlin":
		return len(args) == 1
	}
	return false
}
