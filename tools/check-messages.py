"""Do the messages that docs/messages.md quotes exist, and does it know all that reading and running a model can say?

    python3 tools/check-messages.py [ROOT]
"""
import pathlib
import re
import sys

COMPLETE = ("text", "expr", "model", "contact", "schemes", "sim", "solvers")  # folders whose messages must all be there
FAILS = r"\b(?:CAROM_FAIL|[a-z_]*fail[a-z_]*|found|refuse[a-z_]*)\s*\("
LITERALS = re.compile(r'"((?:[^"\\]|\\.)*)"(?:\s*"((?:[^"\\]|\\.)*)")*')


def joined(code):
    """The literals of a text, those that follow each other as one."""
    for match in LITERALS.finditer(code):
        yield match.start(), "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', match.group())).replace('\\"', '"')


def call(code, at):
    """What stands in the parentheses that open before at."""
    depth, end = 1, at
    while depth and end < len(code):
        if code[end] == '"':
            end += LITERALS.match(code, end).end() - end
            continue
        depth += {"(": 1, ")": -1}.get(code[end], 0)
        end += 1
    return code[at:end]


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    page = (root / "docs/messages.md").read_text()
    quoted = [text for line in page.splitlines() if line.startswith("| `")
              for text in re.findall(r"`([^`]+)`", line.split(" | ")[0])]
    pattern = {text: re.compile(".*".join(re.escape(part) for part in text.split("..."))) for text in quoted}
    said, needed = set(), set()
    for file in (root / "src").rglob("*.c"):
        code = re.sub(r"'\\?\"'", "0", file.read_text())  # '"' is no literal
        code = re.sub(r"(^|\s)/\*.*?\*/", "", code, flags=re.S)
        code = "\n".join("" if line.lstrip().startswith("#include") else line for line in code.split("\n"))
        said.update(text for _, text in joined(code))
        if file.relative_to(root / "src").parts[0] in COMPLETE:
            for match in re.finditer(FAILS, code):
                needed.update(text for _, text in list(joined(call(code, match.end())))[:1])
    memory = re.compile("memory")
    for text in quoted:
        if not any(pattern[text].search(message) for message in said):
            print(f"docs/messages.md: nothing in src says `{text}`")
    needed = {text for text in needed if not memory.search(text) and len(re.findall(r"[a-z]{2,}", text)) > 2}
    for message in sorted(needed):
        if not any(one.search(message) for one in pattern.values()):
            print(f"docs/messages.md does not explain: {message}")
    print(f"{len(quoted)} messages are quoted, {len(needed)} looked for", file=sys.stderr)


if __name__ == "__main__":
    main()
