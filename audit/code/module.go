package code

import (
	"regexp"
	"strings"
)

func managerOf(lang string) string {
	switch lang {
	case "python":
		return "pip"
	case "go":
		return "go"
	}
	return "npm"
}

// topModule is the first part of a module's name.
func topModule(name string) string {
	name, _ = cutAt(name, "./")
	return name
}

// distribution returns the package that provides an imported module; empty for one of the language itself or of the
// author's own project, and where the name does not tell.
func (i Import) distribution(lang string) string {
	if standsForAny(i.Path) {
		return ""
	}
	switch lang {
	case "python":
		return pythonDistribution(i.Path)
	case "javascript", "typescript":
		return moduleDistribution(i.Path)
	case "go":
		return goModule(i.Path)
	}
	return ""
}

func pythonDistribution(module string) string {
	top := topModule(module)
	switch {
	case pythonOwn[top] || projectWord[top] || strings.HasPrefix(top, "_") || strings.HasPrefix(top, "test_"):
		return ""
	case top == "google" || top == "azure":
		return namespaced(module)
	case distributionOf[top] != "":
		return distributionOf[top]
	}
	return pipName(top)
}

// namespaced names the distributions of the two great namespaces by their parts: google.cloud.storage is
// google-cloud-storage, azure.storage.blob azure-storage-blob.
func namespaced(module string) string {
	parts := strings.Split(module, ".")
	switch {
	case len(parts) < 2:
		return ""
	case parts[1] == "generativeai", parts[1] == "genai", parts[1] == "auth", parts[1] == "identity":
		return pipName(parts[0] + "-" + parts[1])
	case len(parts) > 2 && (parts[1] == "cloud" || parts[0] == "azure"):
		return pipName(strings.Join(parts[:3], "-"))
	}
	return ""
}

var npmForm = regexp.MustCompile(`^(?:@[a-z0-9][\w.-]*/)?[a-z0-9][\w.-]*$`)

func moduleDistribution(module string) string {
	module, _ = strings.CutPrefix(module, "npm:")
	parts := strings.SplitN(module, "/", 3)
	name := parts[0]
	if strings.HasPrefix(name, "@") && len(parts) > 1 {
		name += "/" + parts[1]
	}
	if at := strings.LastIndexByte(name, '@'); at > 0 {
		name = name[:at]
	}
	if nodeOwn[parts[0]] || projectWord[parts[0]] || !npmForm.MatchString(name) || strings.Contains(module, ":") || parts[0] == "@repo" || parts[0] == "@workspace" {
		return ""
	}
	return name
}

// goModule guesses the module of a package by the rules of the great hosts.
func goModule(module string) string {
	parts := strings.Split(module, "/")
	if !strings.Contains(parts[0], ".") || len(parts) < 2 || strings.HasPrefix(parts[0], "example.") || strings.HasPrefix(parts[1], "your") || parts[1] == "user" || parts[1] == "org" || parts[1] == "example" || parts[1] == "myorg" {
		return ""
	}
	most := 2
	switch parts[0] {
	case "github.com", "gitlab.com", "bitbucket.org", "golang.org":
		most = 3
	}
	if len(parts) < most {
		return ""
	}
	name := strings.Join(parts[:most], "/")
	if len(parts) > most && majorVersion.MatchString(parts[most]) {
		name += "/" + parts[most]
	}
	return name
}

var majorVersion = regexp.MustCompile(`^v[2-9]\d*$`)

// pythonOwn lists the modules of the standard library, 3.8 to 3.14.
var pythonOwn = words(`__future__ __main__ abc aifc antigravity argparse annotationlib array ast asynchat asyncio asyncore atexit audioop
	base64 bdb binascii bisect builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys
	compileall compression concurrent configparser contextlib contextvars copy copyreg crypt csv ctypes curses dataclasses datetime dbm
	decimal difflib dis distutils doctest email encodings ensurepip enum errno faulthandler fcntl filecmp fileinput fnmatch
	fractions ftplib functools gc getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html http idlelib imaplib
	imghdr imp importlib inspect io ipaddress itertools json keyword lib2to3 linecache locale logging lzma mailbox mailcap
	marshal math mimetypes mmap modulefinder msilib msvcrt multiprocessing netrc nis nntplib nt ntpath numbers opcode operator
	optparse os ossaudiodev parser pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib posix posixpath pprint
	profile pstats pty pwd py_compile pyclbr pydoc pyexpat queue quopri random re readline reprlib resource rlcompleter runpy
	sched secrets select selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket socketserver spwd sqlite3 ssl
	stat statistics string stringprep struct subprocess sunau symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile
	termios test textwrap this threading time timeit tkinter token tokenize tomllib trace traceback tracemalloc tty turtle
	turtledemo types typing unicodedata unittest urllib uu uuid venv warnings wave weakref webbrowser winreg winsound wsgiref
	xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo`)

// nodeOwn lists Node's built-in modules.
var nodeOwn = words(`assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns domain
	events fs http http2 https inspector module net os path perf_hooks process punycode querystring readline repl stream
	string_decoder sys timers tls trace_events tty url util v8 vm wasi worker_threads zlib bun`)

// projectWord lists the names that examples give the modules of a reader's own project; read off the corpus.
var projectWord = words(`agent agents api app apps billing client common community components config conftest core data database db domain
	helpers hooks lib main models module module_name mymodule mypackage myapp myproject package project project_name routes
	schemas scripts sdk server services settings skills specweave src test tests types use_cases utils views com uno`)

// distributionOf lists modules whose distribution has another name.
var distributionOf = map[string]string{
	"Bio": "biopython", "Crypto": "pycryptodome", "Levenshtein": "levenshtein", "MySQLdb": "mysqlclient", "OpenSSL": "pyopenssl",
	"PIL": "pillow", "allel": "scikit-allel", "attr": "attrs", "bs4": "beautifulsoup4", "cv2": "opencv-python", "dateutil": "python-dateutil",
	"deepgram": "deepgram-sdk", "discord": "discord-py", "django_filters": "django-filter", "docx": "python-docx", "dotenv": "python-dotenv",
	"edgar": "edgartools", "environ": "django-environ", "factory": "factory-boy", "faiss": "faiss-cpu", "fitz": "pymupdf", "gi": "pygobject",
	"git": "gitpython", "googleapiclient": "google-api-python-client", "jose": "python-jose", "jwt": "pyjwt", "kafka": "kafka-python",
	"ldap": "python-ldap", "magic": "python-magic", "mem0": "mem0ai", "mysql": "mysql-connector-python", "nacl": "pynacl", "paho": "paho-mqtt",
	"pkg_resources": "setuptools", "pptx": "python-pptx", "primer3": "primer3-py", "pythoncom": "pywin32", "rest_framework": "djangorestframework",
	"scvi": "scvi-tools", "serial": "pyserial", "skbio": "scikit-bio", "skimage": "scikit-image", "sklearn": "scikit-learn", "sksurv": "scikit-survival",
	"slugify": "python-slugify", "tdc": "pytdc", "telegram": "python-telegram-bot", "umap": "umap-learn", "usb": "pyusb", "vcf": "pyvcf", "vt": "vt-py",
	"weaviate": "weaviate-client", "whisper": "openai-whisper", "win32api": "pywin32", "win32com": "pywin32", "wx": "wxpython", "yaml": "pyyaml",
	"yara": "yara-python", "zmq": "pyzmq",
}
