"""Says where an independent CommonMark implementation sees code.

Reads one JSON string (a Markdown text) a line, and answers each with one line: the list of its code blocks as
[kind, first line, end line, info string, text], lines from 0, the end exclusive, fence lines included.
"""
import json
import sys

from markdown_it import MarkdownIt

# As in GFM, without a bound on nesting below what skills reach. Inline parsing decides nothing about blocks.
md = MarkdownIt("commonmark", {"maxNesting": 200}).enable("table").disable("inline")

for line in sys.stdin:
    blocks = [
        [t.type, *t.map, t.info.strip(), t.content]
        for t in md.parse(json.loads(line))
        if t.type in ("fence", "code_block")
    ]
    print(json.dumps(blocks), flush=True)
