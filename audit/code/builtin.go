package code

import "strings"

// builtin lists the words that bash itself understands.
func builtin(name string) bool {
	switch name {
	case "alias", "bg", "bind", "break", "builtin", "caller", "cd", "command", "compgen", "complete", "compopt", "continue", "declare",
		"dirs", "disown", "echo", "enable", "eval", "exec", "exit", "export", "false", "fc", "fg", "getopts", "hash", "help", "history",
		"jobs", "kill", "let", "local", "logout", "mapfile", "popd", "printf", "pushd", "pwd", "read", "readarray", "readonly", "return",
		"set", "shift", "shopt", "source", "suspend", "test", "time", "times", "trap", "true", "type", "typeset", "ulimit", "umask",
		"unalias", "unset", "wait", "if", "then", "else", "fi", "do", "done", "for", "while", "case", "esac", "in":
		return true
	}
	return false
}

// shellOwn lists variables that every shell or system sets by itself, or the agent that runs the skill.
func shellOwn(name string) bool {
	switch name {
	case "PATH", "HOME", "USER", "PWD", "OLDPWD", "SHELL", "IFS", "RANDOM", "SECONDS", "LINENO", "UID", "EUID", "HOSTNAME", "TERM", "LANG",
		"TMPDIR", "REPLY", "OPTARG", "OPTIND", "PPID", "BASHPID", "DIRSTACK", "GROUPS", "HOSTTYPE", "MACHTYPE", "OSTYPE", "LOGNAME",
		"COLUMNS", "LINES", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "EPOCHSECONDS", "EPOCHREALTIME", "PROMPT_COMMAND",
		"ARGUMENTS", "CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA", "CLAUDE_PROJECT_DIR", "CLAUDE_SKILL_DIR", "CLAUDE_SESSION_ID":
		return true
	}
	return strings.HasPrefix(name, "BASH_") || strings.HasPrefix(name, "LC_") || strings.HasPrefix(name, "PIPESTATUS") || strings.HasPrefix(name, "FUNCNAME")
}

// standard lists the programs that every Unix has: POSIX's utilities and GNU coreutils.
var standard = words(`[ ar arch at awk b2sum base32 base64 basename basenc batch bc cal cat chcon chgrp chmod chown chroot cksum
	clear cmp comm compress cp crontab csplit cut date dc dd df diff dir dircolors dirname du ed egrep env ex expand expr
	factor fgrep file find fmt fold fuser getconf grep groups gunzip gzip head hostid hostname iconv id install ipcrm ipcs
	join less link ln locale logger logname lp ls m4 mailx make man md5sum mesg mkdir mkfifo mknod mktemp more mount mv nice nl
	nohup nproc numfmt od paste patch pathchk pax pinky pr printenv ps ptx readlink realpath renice reset rm rmdir sed seq
	sh sha1sum sha224sum sha256sum sha384sum sha512sum shred shuf sleep sort split stat stdbuf strings strip stty sum
	sync tabs tac tail talk tar tee timeout top touch tput tr truncate tsort tty umount uname unexpand uniq unlink uptime
	users uuencode vdir vi watch wc which who whoami write xargs yes zcat`)

func words(text string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		set[word] = true
	}
	return set
}
