"""Reads Swift sources as text: what is code, and what is a comment or a string."""
import re

HASHES = re.compile("#*")
# Characters that begin and end nothing, in code and in a string.
PLAIN = re.compile(r'[^/"#()]+')
STRING = re.compile(r'[^"\\]*')
# A literal of a regular expression: where a value may begin, on one line.
REGEX = re.compile(r"/(?![\s*/])(?:[^/\\\n]|\\.)+/")
BEFORE_A_VALUE = re.compile(r"(?:[(\[{,=:!&|?]|\b(?:return|in|try|await))\s*\Z")


def code(text):
    """The same text with comments and the contents of strings blanked, line by line as before."""
    out = []
    place = 0
    depth = 0  # of block comments
    while place < len(text):
        if depth:
            if text.startswith("*/", place):
                depth -= 1
                place += 2
            elif text.startswith("/*", place):
                depth += 1
                place += 2
            else:
                out.append("\n" if text[place] == "\n" else " ")
                place += 1
        elif text.startswith("//", place):
            while place < len(text) and text[place] != "\n":
                place += 1
        elif text.startswith("/*", place):
            depth = 1
            place += 2
        elif text[place] == '"':
            place = string(text, place, out)
        else:
            out.append(text[place])
            place += 1
    return "".join(out)


def string(text, place, out):
    """Blanks one string literal, but for what it interpolates; returns where it ends."""
    mark = '"""' if text.startswith('"""', place) else '"'
    out.append('"')
    place += len(mark)
    while place < len(text):
        if text.startswith(mark, place):
            out.append('"')
            return place + len(mark)
        if text.startswith("\\(", place):
            depth = 0
            out.append(" ")
            place += 1
            while place < len(text):
                if text[place] == '"':
                    place = string(text, place, out)
                    continue
                depth += {"(": 1, ")": -1}.get(text[place], 0)
                out.append(text[place])
                place += 1
                if depth == 0:
                    break
            continue
        if text[place] == "\\":
            place += 1
        elif text[place] == "\n":
            if mark == '"':
                return place
            out.append("\n")
        place += 1
    return place


def masked(text):
    """The same text with comments and strings as spaces, each character in its place; raw strings and literals of regular
    expressions between `#/` and `/#` too."""
    out, place, opened = [], 0, []

    def blank(end):
        nonlocal place
        out.append("".join("\n" if character == "\n" else " " for character in text[place:end]))
        place = end

    def within(string):
        """Blanks to the end of a string, or to where it interpolates."""
        nonlocal place
        quote, hashes = string
        while place < len(text):
            if text.startswith(quote + hashes, place):
                blank(place + len(quote + hashes))
                return
            if text.startswith("\\" + hashes, place):
                after = place + 1 + len(hashes)
                if text.startswith("(", after):
                    blank(after + 1)
                    opened.append([string, 1])
                    return
                blank(min(after + 1, len(text)))
            else:
                blank(max(place + 1, STRING.match(text, place).end()))

    while place < len(text):
        if plain := PLAIN.match(text, place):
            out.append(plain[0])
            place = plain.end()
        elif text.startswith("//", place):
            end = text.find("\n", place)
            blank(end if end >= 0 else len(text))
        elif text.startswith("/*", place):
            depth, end = 1, place + 2
            while depth and end < len(text):
                step = {"/*": 1, "*/": -1}.get(text[end:end + 2], 0)
                depth += step
                end += 2 if step else 1
            blank(end)
        elif (regex := REGEX.match(text, place)) and BEFORE_A_VALUE.search(text[max(0, place - 40):place]):
            blank(regex.end())
        elif text[place] in '#"':
            hashes = HASHES.match(text, place)[0]
            after = place + len(hashes)
            if hashes and text.startswith("/", after):
                end = text.find("/" + hashes, after + 1)
                blank(end + 1 + len(hashes) if end >= 0 else len(text))
            elif text.startswith('"', after):
                # Of several lines: `#""""#` is a string of two quotes.
                quote = '"""' if text.startswith('"""\n', after) else '"'
                blank(after + len(quote))
                within((quote, hashes))
            else:
                out.append(text[place:max(after, place + 1)])
                place = max(after, place + 1)
        else:
            if opened:
                opened[-1][1] += {"(": 1, ")": -1}.get(text[place], 0)
                if opened[-1][1] == 0:
                    string, _ = opened.pop()
                    blank(place + 1)
                    within(string)
                    continue
            out.append(text[place])
            place += 1
    return "".join(out)
