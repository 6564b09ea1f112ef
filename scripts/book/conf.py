# Sphinx's settings for the book: docs/ and the READMEs as a site that needs no network. Built by `scripts/dev docs --site`.
# The pages are plain Markdown, as a forge shows them. What Sphinx needs besides is added here while it reads them:
# the tree of pages from the tables of each README, and lexers for the blocks of tests/lua/docs_examples.lua.
import pathlib
import posixpath
import re

from pygments.lexer import Lexer
from pygments.lexers import LuaLexer
from pygments.token import Error, Generic, Text

project = "Lutra"
author = "the authors of Lutra"
copyright = "the authors of Lutra; Apache License 2.0"
version = release = re.search(r"VERSION (\d+\.\d+\.\d+)", pathlib.Path("../../CMakeLists.txt").read_text()).group(1)

extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
root_doc = "docs/README"
include_patterns = ["docs/**.md", "**README.md", "CONTRIBUTING.md", "CHANGELOG.md"]
exclude_patterns = ["build", ".*"]
myst_heading_anchors = 4
myst_enable_extensions = ["attrs_block"]
# Pages that no table lists, such as READMEs of folders, are found by links and by the search.
suppress_warnings = ["toc.not_included"]

smartquotes = False  # `--sim-gpus` keeps its two hyphens

html_theme = "furo"
html_title = "Lutra " + version
html_static_path = ["book.css"]
html_css_files = ["book.css"]
html_copy_source = False
html_show_sourcelink = False
# A summary would be read from the page, which a browser refuses under file://.
html_show_search_summary = False


class SessionLexer(Lexer):
    """What was typed at the prompt, and what it answered."""

    name = "Lutra session"
    aliases = ["lutra-session"]

    def get_tokens_unprocessed(self, text):
        lua, at = LuaLexer(), 0
        for line in text.splitlines(keepends=True):
            if line.startswith(("> ", ">> ")):
                start = line.index(" ") + 1
                yield at, Generic.Prompt, line[:start]
                for offset, kind, value in lua.get_tokens_unprocessed(line[start:]):
                    # A command of the prompt, such as `:devices`, is no Lua.
                    yield at + start + offset, Text if kind is Error else kind, value
            else:
                yield at, Generic.Output, line
            at += len(line)


def page_of(docname, link):
    path = posixpath.normpath(posixpath.join(posixpath.dirname(docname), link.split("#")[0]))
    return path[:-3] if path.endswith(".md") else None


def tree(docname, text):
    """A toctree for each section of a README that has a table of pages: what the first column links to."""
    parts, title, pages, seen = [], None, [], {docname}

    def close():
        if pages:
            caption = [f":caption: {title}"] if docname == root_doc and title else []
            parts.append("\n".join(["", "```{toctree}", ":hidden:", ":maxdepth: 1", *caption, "", *pages, "```", ""]))

    for line in text.splitlines():
        heading = re.match(r"##+ (.*)", line)
        if heading:
            close()
            title, pages = heading.group(1), []
        elif line.startswith("| "):
            first = line.split(" | ")[0]
            for label, link in re.findall(r"\[([^\]]+)\]\(([^)]+)\)", first):
                page = page_of(docname, link)
                if page and page not in seen:
                    seen.add(page)
                    # The pages of the reference have long titles.
                    pages.append(f"{label} </{page}>" if "/reference/" in page else f"/{page}")
    close()
    return "".join(parts)


def code_block(language, caption, code):
    return f"```{{code-block}} {language}\n:caption: '`{caption}`'\n\n{code}```"


def captioned(block):
    words, code = block.group(1).split(), block.group(2)
    settings = [word for word in words if re.match(r"\w+=", word)]
    command = " ".join([*settings, "lutra", *words[len(settings):], "example.lua"])
    return code_block("lua", command, code)


def read(app, docname, source):
    text = source[0]
    text = re.sub(r"^```lua (session|terminal).*$", "```lutra-session", text, flags=re.M)
    # How a program is run is written above it; on a forge the info string has it.
    text = re.sub(r"^```lua (?:run|measured) ([^\n]+)\n(.*?)^```$", captioned, text, flags=re.M | re.S)
    text = re.sub(r"^```(\w+) file (\S+)\n(.*?)^```$", lambda block: code_block(*block.groups()), text, flags=re.M | re.S)
    text = re.sub(r"^```text output$", "{.output}\n```text", text, flags=re.M)
    if docname.startswith("docs/") and docname.endswith("/README"):
        text += tree(docname, text)
    # The wildcard of tests/lua/docs_examples.lua.
    text = re.sub(r"(?<!`)<\*>", "\u2026", text)
    # A link whose text is a file's name shows the page's title.
    text = re.sub(r"\[[\w./-]+\.md\]\(([^)#]+\.md)\)", r"[](\1)", text)
    source[0] = text


def finish(app, error):
    """The site opens at index.html."""
    if error is None:
        target = app.builder.get_target_uri(root_doc)
        (pathlib.Path(app.outdir) / "index.html").write_text(
            f'<!doctype html><meta charset="utf-8"><title>{html_title}</title>'
            f'<meta http-equiv="refresh" content="0; url={target}"><a href="{target}">{html_title}</a>\n'
        )


def setup(app):
    app.add_lexer("lutra-session", SessionLexer)
    app.connect("source-read", read)
    app.connect("build-finished", finish)
